from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.cloud.signatures import ClassRef, Property, Shape, resource_class, signature
from sandbox.cloud.types import AWS_TYPES, CRD_CHARTS, type_names

SDK = """
@pulumi.input_type
class HouseArgs:
    def __init__(__self__, *,
                 street_name: pulumi.Input[str],
                 rooms: pulumi.Input[Optional[Sequence[pulumi.Input['RoomArgs']]]] = None,
                 doors: pulumi.Input[Optional[Mapping[str, pulumi.Input['DoorArgs']]]] = None,
                 roof: pulumi.Input[Optional[Union[str, 'RoofArgs']]] = None,
                 owner: pulumi.Input[Optional['_people.v1.OwnerArgs']] = None):
        pass

    @property
    @pulumi.getter(name="streetName")
    def street_name(self): ...

    @property
    @pulumi.getter
    def rooms(self): ...


class Another:
    def __init__(self): ...
"""


@pytest.fixture
def house(tmp_path: Path) -> ClassRef:
    file = tmp_path / "building" / "v1" / "House.py"
    file.parent.mkdir(parents=True)
    file.write_text(SDK, encoding="utf-8")
    return ClassRef(file, "HouseArgs")


def test_inputs_are_known_by_the_names_that_go_over_the_wire(house: ClassRef) -> None:
    assert set(signature(house)) == {"streetName", "rooms", "doors", "roof", "owner"}


def test_an_input_without_a_default_is_required(house: ClassRef) -> None:
    assert [name for name, input_property in signature(house).items() if input_property.required] == ["streetName"]


def test_the_class_of_a_nested_input_is_found_beside_it_or_in_the_folder_it_names(house: ClassRef) -> None:
    properties, inputs = signature(house), house.file.parent / "_inputs.py"
    assert properties["rooms"] == Property(False, Shape.LIST, ClassRef(inputs, "RoomArgs"), mapping=False)
    assert properties["doors"] == Property(False, Shape.MAPPING, ClassRef(inputs, "DoorArgs"), mapping=True)
    people = house.file.parents[2] / "people" / "v1" / "_inputs.py"
    assert properties["owner"].nested == ClassRef(people, "OwnerArgs")


def test_an_input_that_may_be_several_things_is_not_looked_into(house: ClassRef) -> None:
    assert signature(house)["roof"].nested is None


def test_a_class_that_the_sdk_lacks_is_named(house: ClassRef) -> None:
    with pytest.raises(LookupError, match=r"House\.py has no class BarnArgs"):
        signature(ClassRef(house.file, "BarnArgs"))


@pytest.mark.parametrize("token", type_names())
def test_every_listed_type_is_described_by_the_installed_sdk_down_to_its_last_input(token: str) -> None:
    reference = resource_class(token)
    if reference is None:
        assert token.split(":")[1].split("/", maxsplit=1)[0] in CRD_CHARTS
        return
    seen: set[ClassRef] = set()
    waiting = [reference]
    while waiting:
        class_ref = waiting.pop()
        if class_ref in seen:
            continue
        seen.add(class_ref)
        waiting += [
            input_property.nested
            for input_property in signature(class_ref).values()
            if input_property.nested is not None
        ]


@pytest.mark.parametrize("token", sorted(AWS_TYPES))
def test_what_replaces_a_resource_is_an_input_of_it(token: str) -> None:
    reference = resource_class(token)
    assert reference is not None
    assert {path.partition(".")[0] for path in AWS_TYPES[token].replaces} <= set(signature(reference))
