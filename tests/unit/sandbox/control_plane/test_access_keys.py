from __future__ import annotations

import base64

from sandbox.control_plane.access import signing_key


def der(pem: str) -> bytes:
    return base64.b64decode("".join(pem.splitlines()[1:-1]))


def test_a_key_is_pem_of_the_kind_that_the_api_server_reads() -> None:
    lines = signing_key().splitlines()
    assert lines[0] == "-----BEGIN EC PRIVATE KEY-----"
    assert lines[-1] == "-----END EC PRIVATE KEY-----"
    assert max(map(len, lines)) <= 64


def test_its_lengths_add_up() -> None:
    key = der(signing_key())
    assert key[0] == 0x30
    assert key[1] == len(key) - 2
    assert key[5:7] == b"\x04\x20"
    assert key[39:41] == b"\xa0\x0a"


def test_no_two_are_the_same() -> None:
    assert signing_key() != signing_key()
