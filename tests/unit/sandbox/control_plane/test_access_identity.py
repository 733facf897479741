from __future__ import annotations

import socket
from pathlib import Path

import pytest

from sandbox.control_plane.access import forget_identity, identity_in
from sandbox.errors import SandboxError


def test_a_folder_keeps_its_identity_until_it_is_forgotten(tmp_path: Path) -> None:
    first = identity_in(tmp_path)
    assert identity_in(tmp_path) == first
    forget_identity(tmp_path)
    assert identity_in(tmp_path).token != first.token


def test_its_token_is_for_its_owner_alone(tmp_path: Path) -> None:
    identity_in(tmp_path)
    assert all(path.stat().st_mode & 0o077 == 0 for path in tmp_path.iterdir())


def test_a_remembered_port_that_another_program_took_is_named(tmp_path: Path) -> None:
    identity = identity_in(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", identity.api_server))
        other.listen()
        with pytest.raises(SandboxError, match=f"another program uses ports of .*: {identity.api_server}"):
            identity_in(tmp_path)
