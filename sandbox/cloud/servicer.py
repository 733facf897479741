"""A provider process: the engine's requests in, a stand-in's answers out."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Mapping
from concurrent import futures
from pathlib import Path
from typing import Protocol, cast

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from sandbox.cloud import aws, kubernetes
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.world import Entry, Plain, Properties, World

_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""How the engine writes a value that only a later step knows (pulumi sdk/go/common/resource/plugin/rpc.go)."""


class Service(Protocol):
    """What the AWS and the Kubernetes stand-in each do."""

    def faults(self, token: str, inputs: Properties) -> list[tuple[str, str]]: ...
    def replaces(self, token: str, old: Properties, new: Properties, changed: set[str]) -> set[str]: ...
    def create(self, urn: str, token: str, inputs: Properties) -> Entry: ...
    def update(self, old: Entry, inputs: Properties) -> Entry: ...
    def delete(self, entry: Entry) -> None: ...


class AwsService:
    """AWS in one region of one account."""

    def __init__(self, world: World, config: Mapping[str, str]) -> None:
        self._world, self._at = world, aws.account_of(config)

    def faults(self, token: str, inputs: Properties) -> list[tuple[str, str]]:
        return aws.faults(token, inputs)

    def replaces(self, token: str, old: Properties, new: Properties, changed: set[str]) -> set[str]:
        del old, new
        return changed & aws.replaced_by(token)

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        return aws.create(self._world, urn, token, inputs, self._at)

    def update(self, old: Entry, inputs: Properties) -> Entry:
        return aws.update(self._world, old, inputs, self._at)

    def delete(self, entry: Entry) -> None:
        aws.delete(self._world, entry)


class KubernetesService:
    """One cluster's API."""

    def __init__(self, world: World) -> None:
        self._world = world

    def faults(self, token: str, inputs: Properties) -> list[tuple[str, str]]:
        return kubernetes.faults(token, inputs)

    def replaces(self, token: str, old: Properties, new: Properties, changed: set[str]) -> set[str]:
        moved = {"metadata"} if "metadata" in changed and kubernetes.moved(old, new) else set[str]()
        return changed & kubernetes.replaced_by(token) | moved

    def create(self, urn: str, token: str, inputs: Properties) -> Entry:
        return kubernetes.create(self._world, urn, token, inputs)

    def update(self, old: Entry, inputs: Properties) -> Entry:
        return kubernetes.update(self._world, old, inputs)

    def delete(self, entry: Entry) -> None:
        kubernetes.delete(self._world, entry)


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """The provider protocol for one package."""

    def __init__(self, package: str, version: str, world: World, stop: threading.Event) -> None:
        self._package, self._version, self._world, self._stop = package, version, world, stop
        self._service: Service | None = None

    def Handshake(self, request, context):  # pyright: ignore
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=False, accept_resources=False, accept_outputs=False
        )

    def GetPluginInfo(self, request, context):  # pyright: ignore
        return plugin_pb2.PluginInfo(version=self._version)

    def CheckConfig(self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext):
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext):
        return provider_pb2.DiffResponse(changes=provider_pb2.DiffResponse.DIFF_NONE)

    def Configure(self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext):
        config = {key: str(value) for key, value in _plain(request.args).items()}
        with _refusing(context):
            self._service = AwsService(self._world, config) if self._package == "aws" else self._kubernetes(config)
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def _kubernetes(self, config: Mapping[str, str]) -> KubernetesService:
        if not config.get("kubeconfig"):
            raise RefusedError("the Kubernetes provider has no kubeconfig")
        return KubernetesService(self._world)

    def Check(self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext):
        token = _token(request.urn)
        inputs = _plain(request.news)
        judge = aws.faults if self._package == "aws" else kubernetes.faults
        failures = [provider_pb2.CheckFailure(property=name, reason=reason) for name, reason in judge(token, inputs)]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    def Diff(self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext):
        old, new = _plain(request.old_inputs), _plain(request.news)
        changed = {key for key in {*old, *new} if old.get(key) != new.get(key)} - set(request.ignoreChanges)
        kind = provider_pb2.DiffResponse.DIFF_SOME if changed else provider_pb2.DiffResponse.DIFF_NONE
        replaces = sorted(self._ready().replaces(_token(request.urn), old, new, changed))
        return provider_pb2.DiffResponse(
            changes=kind, diffs=sorted(changed), replaces=replaces, deleteBeforeReplace=self._package == "kubernetes"
        )

    def Create(self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext):
        if request.preview:
            return provider_pb2.CreateResponse(id="", properties=request.properties)
        with _refusing(context):
            entry = self._ready().create(request.urn, _token(request.urn), _plain(request.properties))
            return provider_pb2.CreateResponse(id=entry.id, properties=_struct(entry.outputs))

    def Update(self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext):
        if request.preview:
            return provider_pb2.UpdateResponse(properties=request.news)
        with _refusing(context):
            entry = self._ready().update(self._found(request.urn, request.id), _plain(request.news))
            return provider_pb2.UpdateResponse(properties=_struct(entry.outputs))

    def Read(self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext):
        entry = self._world.find(_token(request.urn), request.id)
        if entry is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=entry.id, properties=_struct(entry.outputs), inputs=_struct(entry.inputs))

    def Delete(self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext):
        with _refusing(context):
            entry = self._world.find(_token(request.urn), request.id)
            if entry is not None:  # gone already: deleted before an interruption
                self._ready().delete(entry)
        return empty_pb2.Empty()

    def Invoke(self, request: provider_pb2.InvokeRequest, context: grpc.ServicerContext):
        with _refusing(context):
            raise RefusedError(f"{request.tok}: look-ups are not allowed; zones, images and accounts are settings")

    def Cancel(self, request, context):  # pyright: ignore
        self._stop.set()
        return empty_pb2.Empty()

    def _ready(self) -> Service:
        assert self._service is not None, "the engine configures a provider before it uses it"
        return self._service

    def _found(self, urn: str, id_: str) -> Entry:
        entry = self._world.find(_token(urn), id_)
        if entry is None:
            raise RefusedError(f"{_token(urn)} {id_} does not exist any more: it was deleted outside the stack")
        return entry


class _refusing:  # noqa: N801 (a context manager)
    """Turns a refusal into the error that the engine prints beside the resource."""

    def __init__(self, context: grpc.ServicerContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, RefusedError):
            self._context.abort(grpc.StatusCode.UNKNOWN, str(error))


def _token(urn: str) -> str:
    return urn.split("::")[2].rsplit("$", 1)[-1]


def _plain(struct: struct_pb2.Struct) -> Properties:
    return cast(Properties, _whole(cast(Plain, json_format.MessageToDict(struct))))


def _whole(value: Plain) -> Plain:
    """Numbers travel as floats; those that are whole become integers again."""
    if isinstance(value, dict):
        return {key: _whole(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _struct(properties: Properties) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(properties)
    return struct


def serve(package: str, version: str, world: Path) -> None:
    """Serve one package until the engine says stop: the port is the first line of standard output."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=16),
        options=[("grpc.max_receive_message_length", 1 << 28), ("grpc.max_send_message_length", 1 << 28)],
    )
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(Servicer(package, version, World(world), stop), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    stop.wait()
    server.stop(grace=1)
