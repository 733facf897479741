"""The key that signs tokens of service accounts, made here because no other tool is sure to be on the machine."""

from __future__ import annotations

import base64
import secrets
import textwrap

_P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
"""Order of the curve's base point; SEC 2, section 2.4.2."""
_VERSION_1 = bytes.fromhex("020101")
_NAMED_P256 = bytes.fromhex("a00a06082a8648ce3d030107")
"""Context tag 0 around the object identifier 1.2.840.10045.3.1.7."""


def signing_key() -> str:
    """A new P-256 private key in PEM, as RFC 5915 has it; the public half is left out, as readers compute it."""
    scalar = (1 + secrets.randbelow(_P256_ORDER - 1)).to_bytes(32, "big")
    body = _VERSION_1 + b"\x04\x20" + scalar + _NAMED_P256
    text = "\n".join(textwrap.wrap(base64.b64encode(b"\x30" + bytes([len(body)]) + body).decode(), 64))
    return f"-----BEGIN EC PRIVATE KEY-----\n{text}\n-----END EC PRIVATE KEY-----\n"
