"""Kueue as a process beside a control plane, configured as its chart configures it with the stack's own values.

Real helm renders the chart: its CRDs, configuration and webhooks are used. Kueue makes its own certificate, as in a
cluster. This module does the kubelet's work of mounting the certificate, and points the Service at the process. Its
Deployment and its visibility API are left out.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import cast

import yaml

from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from sandbox.control_plane.api import Api
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import await_parts
from sandbox.control_plane.part import LOOPBACK, Part, free_ports, running
from sandbox.errors import SandboxError
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import KUEUE_CHART, files_at_hand
from sandbox.tools.table import HELM, KUEUE

_FOLDER = "kueue"
_GONE_SECONDS = 120.0
_NAMESPACE = "kueue-system"
_SERVICE = "kueue-webhook-service"
_SECRET = "kueue-webhook-server-cert"
_MOUNTED = ("tls.crt", "tls.key", "ca.crt", "ca.key")
_READY = "ready.json"
_CONFIGURATION = "controller_manager_config.yaml"
_KINDS = ("CustomResourceDefinition", "Secret", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
"""The kinds of the chart's objects that are applied. The others serve Kueue's pods and its aggregated API."""


@dataclass(frozen=True, slots=True)
class KueueCommands:
    """Kueue, its chart, and the helm that renders it."""

    kueue: Path
    helm: Path
    chart: Path


def kueue_at_hand() -> KueueCommands | None:
    """The commands and the chart, from PATH or the cache; None where one is missing. Nothing is built."""
    command, helm, chart = at_hand(KUEUE), at_hand(HELM), files_at_hand(KUEUE_CHART)
    return KueueCommands(command.command, helm.command, chart) if command and helm and chart else None


@contextmanager
def kueue(plane: ControlPlane, commands: KueueCommands, values: Mapping[str, object]) -> Generator[Part]:
    """Kueue with the chart's values, until the block is left; its webhooks already answer when the block is entered.

    Raises SandboxError when helm refuses the values or Kueue does not start.
    """
    folder = plane.folder / _FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "certificates").mkdir(parents=True)
    rendered = _rendered(commands, values)
    webhook, health, metrics = free_ports(3)
    file = folder / "configuration.yaml"
    file.write_text(as_yaml(_configuration(rendered, folder, webhook, health, metrics)), encoding="utf-8")
    service: Document = {"type": "ExternalName", "externalName": "localhost"}
    _have_namespace(plane.api)
    plane.api.put(kubernetes_object("v1", "Service", _SERVICE, _NAMESPACE, spec=service))
    plane.api.put_all(_to_port(document, webhook) for document in rendered if document["kind"] in _KINDS)
    line = [commands.kueue, f"--config={file}", f"--kubeconfig={plane.kubeconfig}"]
    with running("kueue", line, plane.folder, {"POD_NAMESPACE": _NAMESPACE}) as part:
        await_parts([part], "Kueue's certificates", lambda: _mounted(plane.api, folder / "certificates"))
        await_parts([part], "Kueue's webhooks", lambda: _answers(f"http://{LOOPBACK}:{health}/readyz"))
        ready = folder / _READY
        ready.write_text(json.dumps(values), encoding="utf-8")
        try:
            yield part
        finally:
            ready.unlink(missing_ok=True)


def kueue_in(folder: Path) -> dict[str, object] | None:
    """The chart's values with which another process runs Kueue in a control plane's folder; None where none does."""
    try:
        return cast(dict[str, object], json.loads((folder / _FOLDER / _READY).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def remove_kueue(api: Api, commands: KueueCommands, values: Mapping[str, object]) -> None:
    """Delete the chart's objects. Kueue must still run: it removes the finalizers of its objects.

    Raises SandboxError with the API server's message.
    """
    documents = [document for document in _rendered(commands, values) if document["kind"] in _KINDS]
    api.delete_all(documents, _GONE_SECONDS)


def _have_namespace(api: Api) -> None:
    """Create the namespace, unless the stack has already made it with its own labels."""
    namespace = kubernetes_object("v1", "Namespace", _NAMESPACE)
    if api.read(api.place(namespace)) is None:
        api.put(namespace)


def _answers(url: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=2) as answer:
            return answer.status == HTTPStatus.OK
    except urllib.error.HTTPError as error:
        error.close()
        return False
    except OSError:
        return False


def _rendered(commands: KueueCommands, values: Mapping[str, object]) -> list[Document]:
    """Every object of the chart. Raises SandboxError with helm's message."""
    ended = subprocess.run(
        [commands.helm, "template", "kueue", commands.chart, "--namespace", _NAMESPACE, "--values", "-"],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise SandboxError(f"helm template kueue: {ended.stderr.strip()}")
    return [cast(Document, document) for document in yaml.safe_load_all(ended.stdout) if document]


def _configuration(rendered: Sequence[Document], folder: Path, webhook: int, health: int, metrics: int) -> Document:
    """The configuration in the chart's ConfigMap, with other addresses and without leader election."""
    (data,) = (
        cast(Mapping[str, str], document["data"])
        for document in rendered
        if document["kind"] == "ConfigMap" and _CONFIGURATION in cast(Mapping[str, str], document["data"])
    )
    configuration = cast(Document, yaml.safe_load(data[_CONFIGURATION]))
    return configuration | {
        "health": {"healthProbeBindAddress": f"{LOOPBACK}:{health}"},
        "metrics": cast(Document, configuration["metrics"]) | {"bindAddress": f"{LOOPBACK}:{metrics}"},
        "webhook": {"host": LOOPBACK, "port": webhook, "certDir": str(folder / "certificates")},
        "leaderElection": {"leaderElect": False},
        "featureGates": {"VisibilityOnDemand": False},
    }


def _mounted(api: Api, folder: Path) -> bool:
    """Write the Secret's data where Kueue reads them, as a kubelet does; False while the Secret is not complete."""
    secret = api.read(api.place(kubernetes_object("v1", "Secret", _SECRET, _NAMESPACE))) or {}
    data = cast(dict[str, str], secret.get("data") or {})
    if not data.keys() >= set(_MOUNTED):
        return False
    for file_name in _MOUNTED:
        (folder / file_name).write_bytes(base64.b64decode(data[file_name]))
    return True


def _to_port(document: Document, port: int) -> Document:
    """A document with the process's port wherever it names Kueue's Service: in webhooks and conversions."""
    return cast(Document, _with_port(document, port))


def _with_port(value: object, port: int) -> object:
    if isinstance(value, list):
        return [_with_port(item, port) for item in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    mapping = cast(dict[str, object], value)
    replaced = {key: _with_port(item, port) for key, item in mapping.items()}
    return replaced | {"port": port} if mapping.get("name") == _SERVICE else replaced
