from __future__ import annotations

import base64
from pathlib import Path

import yaml

from sandbox.control_plane.access import Access, write_private


def access(tmp_path: Path) -> Access:
    return Access("https://127.0.0.1:1", "secret", tmp_path / "server.crt")


def test_the_token_is_of_the_group_that_may_do_everything(tmp_path: Path) -> None:
    token, user, _, group = access(tmp_path).tokens_file().strip().split(",")
    assert token == "secret"
    assert user
    assert group == '"system:masters"'


def test_a_kubeconfig_stands_by_itself(tmp_path: Path) -> None:
    (tmp_path / "server.crt").write_bytes(b"certificate")
    config = yaml.safe_load(access(tmp_path).kubeconfig())
    cluster = config["clusters"][0]["cluster"]
    assert cluster["server"] == "https://127.0.0.1:1"
    assert base64.b64decode(cluster["certificate-authority-data"]) == b"certificate"
    assert config["users"][0]["user"]["token"] == "secret"
    assert config["current-context"] == config["contexts"][0]["name"]


def test_a_server_that_wrote_no_certificate_yet_is_not_ready(tmp_path: Path) -> None:
    assert not access(tmp_path).ready()


def test_a_secret_is_its_owners_alone_even_where_a_readable_file_stood(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)
    write_private(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o600
