"""Ids and other minted text, made from the URN, so that the same program has the same ids on every machine."""

from __future__ import annotations

import hashlib
import uuid
from dataclasses import dataclass

_EC2_DIGITS = 17


@dataclass(frozen=True, slots=True)
class Mint:
    """Everything that is minted for one creation of one resource.

    ``generation`` counts how often this URN has been made: a replacement's id differs from the replaced one's.
    """

    urn: str
    generation: int

    def hexadecimal(self, digits: int = _EC2_DIGITS, salt: str = "") -> str:
        """Hexadecimal digits, as in ``vpc-0a1b…``; EC2 begins them with 0."""
        digest = hashlib.sha256(f"{self.urn}#{self.generation}#{salt}".encode()).hexdigest()
        return f"0{digest[: digits - 1]}"

    def upper(self, characters: int, salt: str) -> str:
        """Capitals and digits, as in an IAM unique id."""
        return self.hexadecimal(characters + 1, salt)[1:].upper()

    def uuid(self, salt: str = "") -> str:
        """A UUID, as Kubernetes and KMS use."""
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.urn}#{self.generation}#{salt}"))


def automatic_name(logical_name: str, urn: str) -> str:
    """The name of a resource that was given none: the program's name and seven digits."""
    return f"{logical_name}-{hashlib.sha256(urn.encode()).hexdigest()[:7]}"
