"""The contract of components, tested on all of them; a new component without a builder fails."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import pkgutil
import typing
from collections import Counter

import pulumi
import pytest

import components
from tests.recorder import OWN_TYPES, Recording, Registered, record
from tests.unit.components.builders import BUILDERS, GIVEN, full_settings

COMPONENTS = sorted(
    {
        value
        for module in pkgutil.walk_packages(components.__path__, "components.")
        for value in vars(importlib.import_module(module.name)).values()
        if inspect.isclass(value)
        and issubclass(value, pulumi.ComponentResource)
        and value.__module__.startswith("components.")
    },
    key=lambda component: component.__name__,
)
SETTINGS = full_settings()

every_component = pytest.mark.parametrize("component", COMPONENTS, ids=lambda component: component.__name__)

ComponentClass = type[pulumi.ComponentResource]


class Shell(pulumi.ComponentResource):
    """Another team's component around ours."""

    def __init__(self) -> None:
        super().__init__("test:index:Shell", "shell")
        self.register_outputs({})


@functools.cache
def built(component: ComponentClass, *names: str) -> Recording:
    """The component under each name, for tests that only read."""

    def program() -> None:
        for name in names:
            BUILDERS[component](name, SETTINGS, None)

    return record(program)


def parts(recording: Recording) -> tuple[Registered, list[Registered]]:
    """The component itself, and everything else but what it was given."""
    (root,) = [resource for resource in recording.resources if resource.type.startswith(OWN_TYPES)]
    return root, [resource for resource in recording.resources if resource is not root and resource.name != GIVEN]


def args_of(component: ComponentClass) -> type:
    """The class of the component's arguments, by its constructor's annotation."""
    return typing.get_type_hints(component.__init__)["args"]


@every_component
def test_it_is_built_by_the_tests(component: ComponentClass) -> None:
    assert component in BUILDERS, f"add {component.__name__} to tests/unit/components/builders.py"


@every_component
def test_its_type_is_named_after_its_class(component: ComponentClass) -> None:
    root, _ = parts(built(component, "one"))
    assert root.type == f"{OWN_TYPES}{component.__name__}"


@every_component
def test_its_children_are_its_own_and_named_after_it(component: ComponentClass) -> None:
    root, children = parts(built(component, "one"))
    assert children
    assert [registered.name for registered in children if registered.request.parent != root.urn] == []
    assert [child.name for child in children if child.name != "one" and not child.name.startswith("one-")] == []


@every_component
def test_registering_its_outputs_is_the_last_thing_it_does(component: ComponentClass) -> None:
    recording = built(component, "one")
    root, _ = parts(recording)
    assert root.urn in recording.outputs


@every_component
def test_it_stands_twice_in_one_stack_without_clashing(component: ComponentClass) -> None:
    recording = built(component, "one", "two")
    seen = Counter((resource.type, resource.name) for resource in recording.resources if resource.name != GIVEN)
    assert [key for key, count in seen.items() if count > 1] == []
    ones = [resource for resource in recording.resources if resource.name.split("-")[0] == "one"]
    twos = [resource for resource in recording.resources if resource.name.split("-")[0] == "two"]
    assert len(ones) == len(twos) > 1


@every_component
def test_a_parent_given_by_the_caller_holds_the_component_and_not_its_children(component: ComponentClass) -> None:
    def program() -> None:
        BUILDERS[component]("one", SETTINGS, pulumi.ResourceOptions(parent=Shell()))

    recording = record(program)
    (shell,) = [resource for resource in recording.resources if resource.name == "shell"]
    (root,) = [resource for resource in recording.resources if resource.type.startswith(OWN_TYPES)]
    assert root.request.parent == shell.urn
    parents = {resource.request.parent for resource in recording.resources if resource.name.startswith("one-")}
    assert parents == {root.urn}


@every_component
def test_it_takes_a_name_typed_arguments_and_options(component: ComponentClass) -> None:
    hints = typing.get_type_hints(component.__init__)
    assert list(inspect.signature(component).parameters) == ["name", "args", "opts"]
    assert hints["name"] is str
    assert hints["opts"] == pulumi.ResourceOptions | None
    assert args_of(component).__name__ == f"{component.__name__}Args"


@every_component
def test_its_arguments_are_frozen_named_and_each_of_a_type(component: ComponentClass) -> None:
    args = args_of(component)
    assert dataclasses.is_dataclass(args)
    assert args.__dataclass_params__.frozen  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
    assert all(field.kw_only for field in dataclasses.fields(args))
    assert not {typing.Any, object} & set(typing.get_type_hints(args).values())
