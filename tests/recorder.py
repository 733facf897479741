"""A recording engine for unit tests: what a program registers, after all of it has landed.

It is as strict as the stand-ins: an unlisted type, a missing or unknown input, and any look-up end the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sized
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import cast
from unittest.mock import patch

import pulumi
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime import mocks, settings
from pulumi.runtime.proto import resource_pb2, source_pb2
from pulumi.runtime.stack import Stack

from components.program import READ_OUTPUTS
from sandbox.cloud.input_validation import input_problems
from sandbox.cloud.store import Properties

PROJECT = "gpu-platform"
ORGANIZATION = "organization"
"""What every file backend calls it."""
OWN_TYPES = f"{PROJECT}:index:"
_ANY_INPUTS = (OWN_TYPES, "pulumi:providers:", "pulumi:pulumi:", "test:index:")
STACK_TYPE, _REFERENCE_TYPE = "pulumi:pulumi:Stack", "pulumi:pulumi:StackReference"
KUBECONFIG = '{"clusters": [{"cluster": {"server": "https://recorded.example"}}]}'

_SIGNATURE = "4dabf18193072939515e22adb298388d"
"""The key that marks a wrapped value; below it the marks of a reference and of a secret (pulumi runtime/rpc.py)."""
_REFERENCE = "5cf8f73096256a8f31e491e813e4eb8e"
_SECRET = "1b47061264138c4ac30d75fd1eb44270"

_OUTPUTS: dict[str, dict[str, object]] = {
    "aws:ec2/launchTemplate:LaunchTemplate": {"latestVersion": 1},
    "aws:sqs/queue:Queue": {"url": "https://sqs.us-east-1.amazonaws.com/111122223333/recorded"},
}
_CLUSTER_TYPE, _AWS_CLUSTER_TYPE = "eks:index:Cluster", "aws:eks/cluster:Cluster"


@dataclass(frozen=True, slots=True)
class Registered:
    """One resource as the program asked for it."""

    urn: str
    type: str
    name: str
    inputs: Mapping[str, object]
    """Plain values by the names that go over the wire; secrets opened."""
    request: resource_pb2.RegisterResourceRequest

    @property
    def depends_on(self) -> frozenset[str]:
        """URNs of the resources that it depends on, for any reason."""
        return frozenset(self.request.dependencies)

    @property
    def transforms(self) -> int:
        """The number of its transforms; the recorder does not run them."""
        return len(cast(Sized, self.request.transforms))  # pyright: ignore[reportUnknownMemberType]

    def at(self, *path: str) -> object:
        """The input at a path of keys; None where it is absent."""
        value: object = self.inputs
        for key in path:
            value = _mapping(value).get(key)
        return value


@dataclass(slots=True)
class Recording:
    """Everything that one program registered, by type and name: the order in time is not the program's to choose."""

    resources: list[Registered] = field(default_factory=list[Registered])
    outputs: dict[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])
    """What each component registered as its outputs, by its URN."""
    exports: dict[str, object] = field(default_factory=dict[str, object])
    """The stack's outputs."""

    def of(self, kind: str) -> list[Registered]:
        """The resources of a type, or of the last part of a type's name, such as ``NodePool``."""
        return [resource for resource in self.resources if kind in {resource.type, resource.type.rsplit(":", 1)[-1]}]

    def named(self, name: str, kind: str | None = None) -> Registered:
        """The one resource of that name, and of that type where several share it."""
        (match,) = [
            resource for resource in (self.resources if kind is None else self.of(kind)) if resource.name == name
        ]
        return match


class _NoLookUps(mocks.Mocks):
    """Outputs that AWS would mint, and what stacks publish; no other call is answered."""

    def __init__(self, references: Mapping[str, Mapping[str, object]]) -> None:
        self._references = references

    def call(self, args: mocks.MockCallArgs) -> tuple[dict[str, object], list[tuple[str, str]] | None]:
        if args.token == READ_OUTPUTS:
            name = str(cast(dict[str, object], args.args)["name"])  # pyright: ignore[reportUnknownMemberType]
            return {"name": name, "outputs": dict(self._references.get(name, {})), "secretOutputNames": []}, []
        raise AssertionError(f"{args.token}: look-ups are not allowed; zones, images and accounts are settings")

    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str, dict[str, object]]:
        inputs = cast(dict[str, object], args.inputs)  # pyright: ignore[reportUnknownMemberType]
        if args.typ == _REFERENCE_TYPE:
            name = str(inputs["name"])
            return name, {"name": name, "outputs": dict(self._references[name]), "secretOutputNames": []}
        minted: dict[str, object] = {"arn": f"arn:aws:recorded::111122223333:{args.name}", "name": args.name}
        return f"{args.name}-id", {**minted, **inputs, **_OUTPUTS.get(args.typ, {})}


class _Recorder(mocks.MockMonitor):
    """The mock engine; it keeps every request."""

    def __init__(self, recording: Recording, references: Mapping[str, Mapping[str, object]]) -> None:
        super().__init__(_NoLookUps(references))
        self._recording = recording

    def RegisterResource(self, request: resource_pb2.RegisterResourceRequest) -> resource_pb2.RegisterResourceResponse:
        if request.type == STACK_TYPE:
            return self._registered(request)
        inputs = _plain(request.object)
        response = self._registered(request)
        self._recording.resources.append(Registered(response.urn, request.type, request.name, inputs, request))
        if request.type == _CLUSTER_TYPE and inputs:
            response.object.update(self._cluster(request, inputs))
        return response

    def RegisterResourceOutputs(self, request: resource_pb2.RegisterResourceOutputsRequest) -> empty_pb2.Empty:
        self._recording.outputs[request.urn] = _plain(request.outputs)
        return empty_pb2.Empty()

    def _registered(self, request: resource_pb2.RegisterResourceRequest) -> resource_pb2.RegisterResourceResponse:
        return super().RegisterResource(request)  # pyright: ignore[reportUnknownMemberType]

    def _cluster(self, request: resource_pb2.RegisterResourceRequest, inputs: Mapping[str, object]) -> Properties:
        """What the component that the engine builds elsewhere gives back: a reference to the AWS cluster inside it."""
        urn = self.make_urn("", _AWS_CLUSTER_TYPE, request.name)  # pyright: ignore[reportUnknownMemberType]
        name = str(inputs["name"])
        state = {
            "name": name,
            "arn": f"arn:aws:eks:us-east-1:111122223333:cluster/{name}",
            "endpoint": "https://recorded.example",
        }
        self.resources[urn] = mocks.MockMonitor.ResourceRegistration(urn, name, state)
        return {
            "eksCluster": {_SIGNATURE: _REFERENCE, "urn": urn, "id": name},
            "kubeconfigJson": KUBECONFIG,
            "clusterSecurityGroupId": "sg-0123456789abcdef0",
        }


def record(
    program: Callable[[], object],
    stack: str = "test",
    references: Mapping[str, Mapping[str, object]] = MappingProxyType({}),
) -> Recording:
    """Run a program to its end and give what it registered. What the program raises is raised here.

    ``references`` are the outputs of stacks that it may read, by the stack's full name; its own has none unless named.
    """
    recording = Recording()
    monitor = _Recorder(recording, references)
    settings.ROOT.set(None)  # a root left by an earlier program would keep that program's exports
    pulumi.runtime.set_mocks(monitor.mocks, PROJECT, stack, preview=False, monitor=monitor, organization=ORGANIZATION)

    def run() -> object:
        program()
        root = settings.get_root_resource()
        assert isinstance(root, Stack)
        exported = cast(dict[str, object], root.outputs)  # pyright: ignore[reportUnknownMemberType]
        return pulumi.Output.from_input(exported).apply(recording.exports.update)

    awaited = cast(Callable[[Callable[[], object]], Callable[[], None]], mocks.test)  # pyright: ignore[reportUnknownMemberType]
    # Where the program stands in its source costs a quarter of the time, and nothing reads it here.
    with patch("pulumi.runtime.resource._get_stack_trace", source_pb2.StackTrace):
        awaited(run)()
    recording.resources.sort(key=lambda resource: (resource.type, resource.name, resource.urn))
    refused = [refusal for resource in recording.resources for refusal in _refusals(resource)]
    assert not refused, "\n".join(refused)
    return recording


def _refusals(resource: Registered) -> list[str]:
    """What the stand-ins would refuse of its inputs; components and providers accept any input."""
    if resource.type.startswith(_ANY_INPUTS):
        return []
    problems = input_problems(resource.type, cast(Properties, dict(resource.inputs)))
    return [f"{resource.name}: {problem.property}: {problem.reason}" for problem in problems]


def _mapping(value: object) -> Mapping[str, object]:
    return cast(Mapping[str, object], value) if isinstance(value, Mapping) else {}


def _plain(struct: struct_pb2.Struct) -> dict[str, object]:
    return cast(dict[str, object], _opened(cast(object, json_format.MessageToDict(struct))))


def _opened(value: object) -> object:
    """Secrets without their wrapping; whole numbers, which travel as floats, as integers."""
    if isinstance(value, dict):
        mapping = cast(dict[str, object], value)
        if mapping.get(_SIGNATURE) == _SECRET:
            return _opened(mapping["value"])
        return {key: _opened(item) for key, item in mapping.items()}
    if isinstance(value, list):
        return [_opened(item) for item in cast(list[object], value)]
    return int(value) if isinstance(value, float) and value.is_integer() else value
