"""Kubeflow's training operator as a process beside a control plane: what makes pods of TFJobs and PyTorchJobs.

It is no part of the platform: a team that wants it installs it. It makes its own certificate and waits for its Secret
to be mounted, which is done here, and looks for the files in two places, one of which is written into it.
"""

from __future__ import annotations

import base64
import json
import shutil
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import yaml

from gpuplatform.render.document import Document, a, as_yaml
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import await_parts
from sandbox.control_plane.part import Part, running
from sandbox.control_plane.ports import LOOPBACK, free_ports

_NAMESPACE = "kubeflow"
_SERVICE = "training-operator"
_SECRET = "training-operator-webhook-cert"
_WEBHOOKS = "validator.training-operator.kubeflow.org"
_LOOKED_FOR = Path("/tmp/k8s-webhook-server/serving-certs")
_SERVED = Path("k8s-webhook-server/serving-certs")
_FILES = ("tls.crt", "tls.key")


@contextmanager
def training_operator(plane: ControlPlane, command: Path, manifests: Path) -> Generator[Part]:
    """The operator for TFJobs and PyTorchJobs, until the block is left; its webhooks answer when it is entered."""
    folder = plane.folder / "training-operator"
    (folder / _SERVED).mkdir(parents=True)
    webhook, metrics, health = free_ports(3)
    for kind in ("tfjobs", "pytorchjobs"):
        definition = (manifests / "crds" / f"kubeflow.org_{kind}.yaml").read_text(encoding="utf-8")
        assert plane.kubectl.apply(definition).ok
    service: Document = {"type": "ExternalName", "externalName": "localhost"}
    objects = [
        a("v1", "Namespace", _NAMESPACE),
        a("v1", "Service", _SERVICE, _NAMESPACE, spec=service),
        a("v1", "Secret", _SECRET, _NAMESPACE),
        _webhooks(manifests, webhook),
    ]
    applied = plane.kubectl.apply("\n---\n".join(as_yaml(each) for each in objects))
    assert applied.ok, applied.err
    line = [
        command,
        *("--enable-scheme=tfjob", "--enable-scheme=pytorchjob", f"--webhook-server-port={webhook}"),
        *(f"--metrics-bind-address={LOOPBACK}:{metrics}", f"--health-probe-bind-address={LOOPBACK}:{health}"),
        f"--kubeconfig={plane.kubeconfig}",
    ]
    # Left by another, they would let it go on before its own are there.
    shutil.rmtree(_LOOKED_FOR, ignore_errors=True)
    with running("training-operator", line, plane.folder, {"TMPDIR": str(folder)}) as part:
        await_parts([part], "the training operator's certificates", lambda: _mounted(plane, folder / _SERVED))
        await_parts([part], "the training operator's webhooks", lambda: _listens(webhook))
        yield part


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((LOOPBACK, port)) == 0


def _webhooks(manifests: Path, port: int) -> Document:
    """The module's own, of the two kinds, by way of the Service."""
    text = (manifests / "webhook" / "manifests.yaml").read_text(encoding="utf-8")
    found = cast(dict[str, Any], yaml.safe_load(text))
    kept = [each for each in found["webhooks"] if each["name"].split(".")[1] in ("tfjob", "pytorchjob")]
    for each in kept:
        each["clientConfig"]["service"] |= {"name": _SERVICE, "namespace": _NAMESPACE, "port": port}
    return {**found, "metadata": {"name": _WEBHOOKS}, "webhooks": kept}


def _mounted(plane: ControlPlane, served: Path) -> bool:
    found = plane.kubectl("get", "secret", _SECRET, "--namespace", _NAMESPACE, "-o", "json")
    data = cast(dict[str, str], json.loads(found.out).get("data", {})) if found.ok else {}
    if not data.keys() >= set(_FILES):
        return False
    _LOOKED_FOR.mkdir(parents=True, exist_ok=True)
    for each in _FILES:
        (served / each).write_bytes(base64.b64decode(data[each]))
        (_LOOKED_FOR / each).touch()  # it is asked only whether they are there
    return True
