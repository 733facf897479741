"""The secrets keys that the official CLI writes into a stack file do not reach this machine's engine."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sandbox.engine.secrets_keys import salt_of_state, without_secrets_keys

_REST = "config:\n  gpu-platform:settings:\n    environment: dev\n    start: 22:00\n"


@pytest.mark.parametrize(
    "written",
    [
        "secretsprovider: awskms://alias/pulumi?region=us-east-1\n",
        "encryptedkey: AQICAHh\n",
        "encryptionsalt: v1:abc=:v1:def:ghi=\n",
        '"encryptionsalt": v1:abc=\n',
        "encryptedkey: >-\n  AQIC\n  AHh\n",
        "secretsprovider: passphrase\nencryptionsalt: v1:abc=\n",
    ],
)
def test_a_key_goes_with_its_value_and_the_rest_stays_as_it_is_written(written: str) -> None:
    assert without_secrets_keys(written + _REST) == _REST
    assert without_secrets_keys(_REST + written) == _REST


def test_a_setting_of_that_name_further_in_stays() -> None:
    nested = "config:\n  other:encryptionsalt: kept\n"

    assert without_secrets_keys(nested) == nested


def test_the_salt_is_the_one_that_the_state_was_written_with(tmp_path: Path) -> None:
    folder = tmp_path / ".pulumi" / "stacks" / "gpu-platform"
    folder.mkdir(parents=True)
    provider = {"type": "passphrase", "state": {"salt": "v1:own="}}
    (folder / "dev.json").write_text(json.dumps({"checkpoint": {"latest": {"secrets_providers": provider}}}))

    assert salt_of_state(tmp_path, "dev") == "v1:own="
    assert salt_of_state(tmp_path, "staging") is None


@pytest.mark.parametrize("written", ["", "{", "[]", "{}", '{"checkpoint": null}', '{"checkpoint": {"latest": []}}'])
def test_a_state_without_a_salt_has_none(written: str, tmp_path: Path) -> None:
    folder = tmp_path / ".pulumi" / "stacks" / "gpu-platform"
    folder.mkdir(parents=True)
    (folder / "dev.json").write_text(written)

    assert salt_of_state(tmp_path, "dev") is None


def test_a_blank_line_inside_a_value_goes_with_it() -> None:
    assert without_secrets_keys("encryptedkey: |\n  abc\n\n  def\n" + _REST) == _REST
