"""Kueue as a process beside a control plane, set up as its chart sets it up with the stack's own values.

Real helm renders the chart: the definitions, the configuration and the webhooks are taken from there. Kueue makes its
own certificate, as in a cluster; this module is the kubelet that mounts it and the Service that leads to the process.
Not here: its Deployment, and the server of its visibility API.
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

from gpuplatform.render.document import Document, a, as_yaml
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import await_parts
from sandbox.control_plane.kubectl import Kubectl
from sandbox.control_plane.part import Part, running
from sandbox.control_plane.ports import LOOPBACK, free_ports
from sandbox.errors import SandboxError
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import KUEUE_CHART, files_at_hand
from sandbox.tools.table import HELM, KUEUE

_FOLDER = "kueue"
_NAMESPACE = "kueue-system"
_SERVICE = "kueue-webhook-service"
_SECRET = "kueue-webhook-server-cert"
_MOUNTED = ("tls.crt", "tls.key", "ca.crt", "ca.key")
_READY = "ready.json"
_CONFIGURATION = "controller_manager_config.yaml"
_KINDS = ("CustomResourceDefinition", "Secret", "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
"""What the API server reads of the chart. The rest is for pods, and for the aggregator that would look for them."""


@dataclass(frozen=True, slots=True)
class KueueCommands:
    """Kueue, its chart, and the helm that renders it."""

    kueue: Path
    helm: Path
    chart: Path


def kueue_at_hand() -> KueueCommands | None:
    """All of it, from PATH or the cache; None where something is missing. Nothing is built."""
    command, helm, chart = at_hand(KUEUE), at_hand(HELM), files_at_hand(KUEUE_CHART)
    return KueueCommands(command.command, helm.command, chart) if command and helm and chart else None


@contextmanager
def kueue(plane: ControlPlane, commands: KueueCommands, values: Mapping[str, object]) -> Generator[Part]:
    """Kueue with the chart's values, until the block is left; its webhooks answer when the block is entered.

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
    _have_namespace(plane)
    _apply(plane, [a("v1", "Service", _SERVICE, _NAMESPACE, spec=service)])
    _apply(plane, [_to_port(each, webhook) for each in rendered if each["kind"] in _KINDS])
    line = [commands.kueue, f"--config={file}", f"--kubeconfig={plane.kubeconfig}"]
    with running("kueue", line, plane.folder, {"POD_NAMESPACE": _NAMESPACE}) as part:
        await_parts([part], "Kueue's certificates", lambda: _mounted(plane, folder / "certificates"))
        await_parts([part], "Kueue's webhooks", lambda: _answers(f"http://{LOOPBACK}:{health}/readyz"))
        ready = folder / _READY
        ready.write_text(json.dumps(values), encoding="utf-8")
        try:
            yield part
        finally:
            ready.unlink(missing_ok=True)


def kueue_in(folder: Path) -> dict[str, object] | None:
    """The chart's values with which Kueue runs beside a control plane of somebody else's; None where it does not."""
    try:
        return cast(dict[str, object], json.loads((folder / _FOLDER / _READY).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def remove_kueue(kubectl: Kubectl, commands: KueueCommands, values: Mapping[str, object]) -> None:
    """Delete what the API server reads of the chart; Kueue must still run, as its objects wait for it to let them go.

    Raises SandboxError with the API server's words.
    """
    documents = [each for each in _rendered(commands, values) if each["kind"] in _KINDS]
    gone = kubectl("delete", "--ignore-not-found", "-f", "-", stdin="\n---\n".join(as_yaml(each) for each in documents))
    if not gone.ok:
        raise SandboxError(gone.err.strip())


def _apply(plane: ControlPlane, documents: Sequence[Mapping[str, object]]) -> None:
    applied = plane.kubectl.apply("\n---\n".join(as_yaml(each) for each in documents))
    if not applied.ok:
        raise SandboxError(applied.err.strip())


def _have_namespace(plane: ControlPlane) -> None:
    """The stack's own, with the stack's labels, where it is there already."""
    made = plane.kubectl("create", "namespace", _NAMESPACE)
    if not made.ok and "AlreadyExists" not in made.err:
        raise SandboxError(made.err.strip())


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
    """Every object of the chart. Raises SandboxError with helm's words."""
    ended = subprocess.run(
        [commands.helm, "template", "kueue", commands.chart, "--namespace", _NAMESPACE, "--values", "-"],
        input=json.dumps(values),
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise SandboxError(f"helm template kueue: {ended.stderr.strip()}")
    return [cast(Document, each) for each in yaml.safe_load_all(ended.stdout) if each]


def _configuration(rendered: Sequence[Document], folder: Path, webhook: int, health: int, metrics: int) -> Document:
    """What the chart's ConfigMap says, but for where it listens, and that it is alone."""
    (data,) = (
        cast(Mapping[str, str], each["data"])
        for each in rendered
        if each["kind"] == "ConfigMap" and _CONFIGURATION in cast(Mapping[str, str], each["data"])
    )
    asked = cast(Document, yaml.safe_load(data[_CONFIGURATION]))
    return asked | {
        "health": {"healthProbeBindAddress": f"{LOOPBACK}:{health}"},
        "metrics": cast(Document, asked["metrics"]) | {"bindAddress": f"{LOOPBACK}:{metrics}"},
        "webhook": {"host": LOOPBACK, "port": webhook, "certDir": str(folder / "certificates")},
        "leaderElection": {"leaderElect": False},
        "featureGates": {"VisibilityOnDemand": False},
    }


def _mounted(plane: ControlPlane, folder: Path) -> bool:
    """Write the Secret's data where Kueue looks for them, as a kubelet does, once they are there."""
    found = plane.kubectl("get", "secret", _SECRET, "--namespace", _NAMESPACE, "-o", "json")
    data = cast(dict[str, dict[str, str]], json.loads(found.out)).get("data", {}) if found.ok else {}
    if not data.keys() >= set(_MOUNTED):
        return False
    for each in _MOUNTED:
        (folder / each).write_bytes(base64.b64decode(data[each]))
    return True


def _to_port(document: Document, port: int) -> Document:
    """The same, with the process's port wherever the chart names its Service: webhooks and conversions."""
    return cast(Document, _with_port(document, port))


def _with_port(value: object, port: int) -> object:
    if isinstance(value, list):
        return [_with_port(each, port) for each in cast(list[object], value)]
    if not isinstance(value, dict):
        return value
    mapping = cast(dict[str, object], value)
    found = {key: _with_port(each, port) for key, each in mapping.items()}
    return found | {"port": port} if mapping.get("name") == _SERVICE else found
