"""Kubeflow's training operator as a process beside a control plane: it makes the pods of TFJobs and PyTorchJobs.

It is not part of the platform: a team that needs it installs it. The operator makes its own certificate and waits until
its Secret is mounted, which this module does. It looks for the files in two folders, one of which is hard-coded.
"""

from __future__ import annotations

import base64
import shutil
import socket
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import yaml

from gpuplatform.render.document import Document, kubernetes_object
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.controllers import await_parts
from sandbox.control_plane.crds import install_files
from sandbox.control_plane.part import LOOPBACK, Part, free_ports, running

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
        install_files(plane.api, [manifests / "crds" / f"kubeflow.org_{kind}.yaml"])
    service: Document = {"type": "ExternalName", "externalName": "localhost"}
    objects = [
        kubernetes_object("v1", "Namespace", _NAMESPACE),
        kubernetes_object("v1", "Service", _SERVICE, _NAMESPACE, spec=service),
        kubernetes_object("v1", "Secret", _SECRET, _NAMESPACE),
        _webhooks(manifests, webhook),
    ]
    plane.api.put_all(objects)
    line = [
        command,
        *("--enable-scheme=tfjob", "--enable-scheme=pytorchjob", f"--webhook-server-port={webhook}"),
        *(f"--metrics-bind-address={LOOPBACK}:{metrics}", f"--health-probe-bind-address={LOOPBACK}:{health}"),
        f"--kubeconfig={plane.kubeconfig}",
    ]
    # Files of an earlier operator would let this one continue before its own certificate exists.
    shutil.rmtree(_LOOKED_FOR, ignore_errors=True)
    with running("training-operator", line, plane.folder, {"TMPDIR": str(folder)}) as part:
        await_parts([part], "the training operator's certificates", lambda: _mounted(plane, folder / _SERVED))
        await_parts([part], "the training operator's webhooks", lambda: _listens(webhook))
        yield part


def _listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((LOOPBACK, port)) == 0


def _webhooks(manifests: Path, port: int) -> Document:
    """The module's webhooks for the two kinds, with the Service's name and the process's port."""
    text = (manifests / "webhook" / "manifests.yaml").read_text(encoding="utf-8")
    manifest = cast(dict[str, Any], yaml.safe_load(text))
    kept = [webhook for webhook in manifest["webhooks"] if webhook["name"].split(".")[1] in ("tfjob", "pytorchjob")]
    for webhook in kept:
        webhook["clientConfig"]["service"] |= {"name": _SERVICE, "namespace": _NAMESPACE, "port": port}
    return {**manifest, "metadata": {"name": _WEBHOOKS}, "webhooks": kept}


def _mounted(plane: ControlPlane, served: Path) -> bool:
    secret = plane.api.read(plane.api.place(kubernetes_object("v1", "Secret", _SECRET, _NAMESPACE))) or {}
    data = cast(dict[str, str], secret.get("data") or {})
    if not data.keys() >= set(_FILES):
        return False
    _LOOKED_FOR.mkdir(parents=True, exist_ok=True)
    for file_name in _FILES:
        (served / file_name).write_bytes(base64.b64decode(data[file_name]))
        (_LOOKED_FOR / file_name).touch()  # the operator only checks that these files exist
    return True
