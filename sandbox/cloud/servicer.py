"""A provider process: it receives the engine's requests and returns a stand-in's answers."""

from __future__ import annotations

import json
import signal
import sys
import threading
from concurrent import futures
from pathlib import Path
from typing import cast

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime.proto import plugin_pb2, provider_pb2, provider_pb2_grpc

from sandbox.cloud import aws
from sandbox.cloud.input_validation import RefusedError, input_problems
from sandbox.cloud.kubernetes import ProviderOptions
from sandbox.cloud.references import at_path, names_in_settings
from sandbox.cloud.services import AwsService, KubernetesService, Service
from sandbox.cloud.store import Entry, Plain, Properties, StackFiles, Store

_SECRET = "4dabf18193072939515e22adb298388d"
"""The key that marks a wrapped value (pulumi sdk/go/common/resource/sig)."""


class Servicer(provider_pb2_grpc.ResourceProviderServicer):
    """The provider protocol for one package; the engine names the methods."""

    def __init__(self, package: str, version: str, place: StackFiles, stop: threading.Event) -> None:
        self._package, self._version, self._place, self._stop = package, version, place, stop
        self._world = Store(place.world)
        self._service: Service | None = None

    def Handshake(  # noqa: N802
        self, request: provider_pb2.ProviderHandshakeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ProviderHandshakeResponse:
        """Take plain values only: the engine keeps the secrets."""
        del request, context
        return provider_pb2.ProviderHandshakeResponse(
            accept_secrets=False, accept_resources=False, accept_outputs=False
        )

    def GetPluginInfo(  # noqa: N802
        self, request: empty_pb2.Empty, context: grpc.ServicerContext
    ) -> plugin_pb2.PluginInfo:
        """The version of the SDK that this provider serves."""
        del request, context
        return plugin_pb2.PluginInfo(version=self._version)

    def CheckConfig(  # noqa: N802
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        """Accept a provider's own inputs; Configure checks the ones that it needs."""
        del context
        return provider_pb2.CheckResponse(inputs=request.news)

    def DiffConfig(  # noqa: N802
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        """A changed provider never replaces what it made."""
        del context
        same = _plain(request.old_inputs) == _plain(request.news)
        kind = provider_pb2.DiffResponse.DIFF_NONE if same else provider_pb2.DiffResponse.DIFF_SOME
        return provider_pb2.DiffResponse(changes=kind)

    def Configure(  # noqa: N802
        self, request: provider_pb2.ConfigureRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ConfigureResponse:
        """Set the account and region, or the cluster, of this provider."""
        config = {key: str(_unwrapped(value)) for key, value in _plain(request.args).items()}
        with _Refusing(context):
            if self._package == "aws":
                at = aws.account_of(config, names_in_settings(self._place.stack_file))
                self._service = AwsService(self._world, at, self._inside(at.region))
                return provider_pb2.ConfigureResponse(supportsPreview=True)
            kubeconfig = config.get("kubeconfig", "")
            # The SDK sends a provider's booleans as JSON text.
            options = ProviderOptions(mutable_config_maps=config.get("enableConfigMapMutable", "").lower() == "true")
            if self._place.control_plane is None:
                self._service = KubernetesService(self._world, _server(kubeconfig), options)
            else:
                self._service = self._cluster(self._place.control_plane, kubeconfig, options)
        return provider_pb2.ConfigureResponse(supportsPreview=True)

    def Check(  # noqa: N802
        self, request: provider_pb2.CheckRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CheckResponse:
        """Every problem of the inputs, in one answer."""
        del context
        failures = [
            provider_pb2.CheckFailure(property=problem.property, reason=problem.reason)
            for problem in input_problems(_token(request.urn), _plain(request.news))
        ]
        return provider_pb2.CheckResponse(inputs=request.news, failures=failures)

    def Diff(  # noqa: N802
        self, request: provider_pb2.DiffRequest, context: grpc.ServicerContext
    ) -> provider_pb2.DiffResponse:
        """Inputs that changed, and those of them that make a new resource."""
        del context
        token, old, new = _token(request.urn), _plain(request.old_inputs), _plain(request.news)
        changed_inputs = {key for key in {*old, *new} if old.get(key) != new.get(key)} - set(request.ignoreChanges)
        kind = provider_pb2.DiffResponse.DIFF_SOME if changed_inputs else provider_pb2.DiffResponse.DIFF_NONE
        service = self._ready()
        replaces = sorted(service.replaces(token, old, new, changed_inputs))
        first = bool(replaces) and service.deletes_first(token, old, new)
        return provider_pb2.DiffResponse(
            changes=kind, diffs=sorted(changed_inputs), replaces=replaces, deleteBeforeReplace=first
        )

    def Create(  # noqa: N802
        self, request: provider_pb2.CreateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.CreateResponse:
        """Make a resource; in a preview, return the inputs."""
        if request.preview:
            return provider_pb2.CreateResponse(id="", properties=request.properties)
        with _Refusing(context):
            entry = self._ready().create(request.urn, _token(request.urn), _plain(request.properties))
            return provider_pb2.CreateResponse(id=entry.id, properties=_struct(entry.outputs))

    def Update(  # noqa: N802
        self, request: provider_pb2.UpdateRequest, context: grpc.ServicerContext
    ) -> provider_pb2.UpdateResponse:
        """Change a resource; in a preview, refuse what a dry run would refuse and return the inputs."""
        if request.preview:
            with _Refusing(context):
                if (entry := self._world.find(_token(request.urn), request.id)) is not None:
                    self._ready().dry_run(entry, _plain(request.news))
            return provider_pb2.UpdateResponse(properties=request.news)
        with _Refusing(context):
            entry = self._ready().update(self._existing_entry(request.urn, request.id), _plain(request.news))
            return provider_pb2.UpdateResponse(properties=_struct(entry.outputs))

    def Read(  # noqa: N802
        self, request: provider_pb2.ReadRequest, context: grpc.ServicerContext
    ) -> provider_pb2.ReadResponse:
        """The resource with an id; an empty answer where it does not exist."""
        del context
        entry = self._world.find(_token(request.urn), request.id)
        if entry is None:
            return provider_pb2.ReadResponse()
        return provider_pb2.ReadResponse(id=entry.id, properties=_struct(entry.outputs), inputs=_struct(entry.inputs))

    def Delete(  # noqa: N802
        self, request: provider_pb2.DeleteRequest, context: grpc.ServicerContext
    ) -> empty_pb2.Empty:
        """Delete a resource; one that no longer exists is no error, as an interrupted run may have deleted it."""
        with _Refusing(context):
            entry = self._world.find(_token(request.urn), request.id)
            if entry is not None:
                self._ready().delete(entry)
        return empty_pb2.Empty()

    def Invoke(  # noqa: N802
        self, request: provider_pb2.InvokeRequest, context: grpc.ServicerContext
    ) -> provider_pb2.InvokeResponse:
        """Always refused: the program makes no look-ups."""
        with _Refusing(context):
            raise RefusedError(f"{request.tok}: look-ups are not allowed; zones, images and accounts are settings")

    def Cancel(self, request: empty_pb2.Empty, context: grpc.ServicerContext) -> empty_pb2.Empty:  # noqa: N802
        """Stop, because the engine cancels the run."""
        del request, context
        self._stop.set()
        return empty_pb2.Empty()

    # Modules for a real cluster are imported only where there is one.
    def _inside(self, region: str) -> aws.Inside | None:
        if self._place.control_plane is None:
            return None
        from sandbox.cloud.kubeconfig import in_cluster  # noqa: PLC0415

        return in_cluster(self._world, self._place.control_plane, self._place.stack_file, region, self._stop)

    def _cluster(self, control_plane: Path, kubeconfig: str, options: ProviderOptions) -> Service:
        from sandbox.cloud.api import Api  # noqa: PLC0415
        from sandbox.cloud.cluster import ClusterService  # noqa: PLC0415

        return ClusterService.of(self._world, Api(kubeconfig, self._stop), control_plane, options)

    def _ready(self) -> Service:
        assert self._service is not None, "the engine configures a provider before it uses it"
        return self._service

    def _existing_entry(self, urn: str, id_: str) -> Entry:
        entry = self._world.find(_token(urn), id_)
        if entry is None:
            raise RefusedError(f"{_token(urn)} {id_} does not exist any more: it was deleted outside the stack")
        return entry


class _Refusing:
    """Turns a refusal into the error that the engine prints beside the resource."""

    def __init__(self, context: grpc.ServicerContext) -> None:
        self._context = context

    def __enter__(self) -> None:
        return None

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if isinstance(error, RefusedError):
            self._context.abort(grpc.StatusCode.UNKNOWN, str(error))


def _unwrapped(value: Plain) -> Plain:
    """A configured value without its wrapper: the engine wraps secrets here, despite the handshake."""
    return value["value"] if isinstance(value, dict) and _SECRET in value else value


def _server(kubeconfig: str) -> str:
    """The address of the cluster that a kubeconfig in JSON names."""
    try:
        servers = list(at_path(json.loads(kubeconfig), "clusters.cluster.server"))
    except ValueError:
        servers = []
    if not servers:
        raise RefusedError("the Kubernetes provider has no kubeconfig that names a server")
    return str(servers[0])


def _token(urn: str) -> str:
    return urn.split("::")[2].rsplit("$", 1)[-1]


def _plain(struct: struct_pb2.Struct) -> Properties:
    return cast(Properties, _with_integers(cast(Plain, json_format.MessageToDict(struct))))


def _with_integers(value: Plain) -> Plain:
    """Numbers travel as floats; those that are whole become integers again."""
    if isinstance(value, dict):
        return {key: _with_integers(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_integers(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _struct(properties: Properties) -> struct_pb2.Struct:
    struct = struct_pb2.Struct()
    struct.update(properties)
    return struct


def serve(package: str, version: str, place: StackFiles) -> None:
    """Serve one package until the engine cancels; the first line of standard output is the port."""
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda _number, _frame: stop.set())
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=16),
        options=[("grpc.max_receive_message_length", 1 << 28), ("grpc.max_send_message_length", 1 << 28)],
    )
    servicer = Servicer(package, version, place, stop)
    provider_pb2_grpc.add_ResourceProviderServicer_to_server(servicer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    stop.wait()
    server.stop(grace=1)
