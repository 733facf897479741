from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.cloud.references import REFERENCES, at_path, names_in_settings
from sandbox.cloud.signatures import Signature, resource_class, signature
from sandbox.cloud.store import Properties
from sandbox.cloud.types import AWS_TYPES


@pytest.mark.parametrize("token", sorted(REFERENCES))
def test_every_row_is_of_a_listed_type_and_names_its_inputs(token: str) -> None:
    reference = resource_class(token)
    assert token in AWS_TYPES
    assert reference is not None
    for row in REFERENCES[token]:
        inputs: Signature = signature(reference)
        for step in row.path.split("."):
            assert step in inputs
            nested = inputs[step].nested
            inputs = signature(nested) if nested else {}
        assert set(row.types) <= set(AWS_TYPES)


def test_a_path_enters_lists_and_gives_nothing_where_there_is_nothing() -> None:
    value: Properties = {"a": [{"b": [1, 2]}, {"b": None}, {"c": 3}]}
    assert list(at_path(value, "a.b")) == [1, 2]
    assert list(at_path(value, "x.y")) == []


def test_what_the_settings_name_is_what_the_account_holds(tmp_path: Path) -> None:
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(
        "existing: {vpc_id: vpc-0a1b2c3d4e5f67890, subnets: [subnet-0aaaaaaaaaaaaaaaa]}\n"
        'admin: "arn:aws:iam::111122223333:role/path/admin"\n'
        "not: [vpc-0x, my-subnet-network, arn:azure:x]\n",
        encoding="utf-8",
    )
    assert names_in_settings(file) == {
        "vpc-0a1b2c3d4e5f67890",
        "subnet-0aaaaaaaaaaaaaaaa",
        "arn:aws:iam::111122223333:role/path/admin",
    }
    assert names_in_settings(tmp_path / "absent.yaml") == frozenset()
