"""etcd and kube-apiserver in one state folder: they are started, awaited, and always stopped at the end."""

from __future__ import annotations

import shutil
import time
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from sandbox.control_plane.access import (
    Access,
    Identity,
    forget_identity,
    identity_in,
    identity_in_use,
    signing_key,
    write_private,
)
from sandbox.control_plane.kubectl import Kubectl
from sandbox.control_plane.part import LOOPBACK, Part, running
from sandbox.errors import SandboxError

_READY_SECONDS = 360.0
"""It takes 3 to 4 s on two idle cores, and many times that on a busy machine."""
_POLL_SECONDS = 0.1
_SERVICE_RANGE = "10.96.0.0/16"
_SIGNING_KEY = "service-accounts.pem"
_OF_ONE_START = ("etcd", "certificates", "kubectl")
"""Folders that a start makes anew."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of a control plane."""

    etcd: Path
    kube_apiserver: Path
    kubectl: Path


@dataclass(frozen=True, slots=True)
class ControlPlane:
    """A running control plane."""

    folder: Path
    """The folder of its whole state."""
    kubectl: Kubectl
    access: Access
    kubeconfig: Path
    """With a token of ``system:masters``; only its owner can read it."""
    signing_key: Path
    """Signs the tokens of service accounts."""
    parts: tuple[Part, ...]
    ready_seconds: float
    """From the first process to the first ready answer."""


def control_plane_in(folder: Path, kubectl: Path) -> ControlPlane:
    """A control plane that another process started and supervises."""
    identity = identity_in_use(folder)
    access = _access(folder, identity)
    kubeconfig = folder / "kubeconfig"
    return ControlPlane(folder, Kubectl(kubectl, kubeconfig), access, kubeconfig, folder / _SIGNING_KEY, (), 0.0)


def _access(folder: Path, identity: Identity) -> Access:
    url = f"https://{LOOPBACK}:{identity.api_server}"
    return Access(url, identity.token, folder / "certificates" / "apiserver.crt")


@contextmanager
def control_plane(folder: Path, commands: Commands, *, keep: bool = False) -> Generator[ControlPlane]:
    """A cluster whose whole state is in ``folder``; it is stopped when the block is left in any way.

    The state of an earlier start is removed first, so that a cluster never begins with another cluster's objects. With
    ``keep`` that state is used again, with its ports and token. The logs stay until the next start. Raises SandboxError
    where another start holds the folder, a process ends, or the API server is not ready in time.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        lock = FileLock(folder / "lock").acquire(timeout=0)
    except Timeout as error:
        raise SandboxError(f"a control plane already runs in {folder}: stop that one first") from error
    with lock, ExitStack() as parts:
        if not keep:
            forget_identity(folder)
            (folder / _SIGNING_KEY).unlink(missing_ok=True)
            for name in _OF_ONE_START:
                shutil.rmtree(folder / name, ignore_errors=True)
        yield _start(folder, commands, parts)


def _start(folder: Path, commands: Commands, block: ExitStack) -> ControlPlane:
    start_time = time.monotonic()
    identity = identity_in(folder)
    access = _access(folder, identity)
    tokens = write_private(folder / "tokens.csv", access.tokens_file())
    key = folder / _SIGNING_KEY
    if not key.exists():
        write_private(key, signing_key())
    etcd = [commands.etcd, *_etcd_flags(folder / "etcd", identity)]
    api_server = [commands.kube_apiserver, *_api_server_flags(access, identity, tokens, key)]
    parts = (
        block.enter_context(running("etcd", etcd, folder)),
        block.enter_context(running("kube-apiserver", api_server, folder)),
    )
    _await_ready(access, parts, start_time)
    kubeconfig = write_private(folder / "kubeconfig", access.kubeconfig())
    kubectl = Kubectl(commands.kubectl, kubeconfig)
    return ControlPlane(folder, kubectl, access, kubeconfig, key, parts, time.monotonic() - start_time)


def _await_ready(access: Access, parts: Sequence[Part], start_time: float) -> None:
    while not access.ready():
        for part in parts:
            part.must_live()
        if time.monotonic() - start_time > _READY_SECONDS:
            logs = ", ".join(str(part.log) for part in parts)
            raise SandboxError(f"the API server is not ready after {_READY_SECONDS:g} s; the logs are {logs}")
        time.sleep(_POLL_SECONDS)


def _etcd_flags(data: Path, identity: Identity) -> list[str]:
    client, peer = f"{LOOPBACK}:{identity.etcd_client}", f"{LOOPBACK}:{identity.etcd_peer}"
    return [
        f"--data-dir={data}",
        f"--listen-client-urls=http://{client}",
        f"--advertise-client-urls=http://{client}",
        f"--listen-peer-urls=http://{peer}",
        f"--initial-advertise-peer-urls=http://{peer}",
        f"--initial-cluster=default=http://{peer}",
        # The state need not survive a crash of the machine.
        "--unsafe-no-fsync",
    ]


def _api_server_flags(access: Access, identity: Identity, tokens: Path, key: Path) -> list[str]:
    return [
        f"--etcd-servers=http://{LOOPBACK}:{identity.etcd_client}",
        f"--bind-address={LOOPBACK}",
        f"--advertise-address={LOOPBACK}",
        f"--secure-port={identity.api_server}",
        # The folder is empty at first: the server writes a self-signed certificate there.
        f"--cert-dir={access.certificate.parent}",
        f"--service-cluster-ip-range={_SERVICE_RANGE}",
        "--service-account-issuer=https://kubernetes.default.svc",
        f"--service-account-key-file={key}",
        f"--service-account-signing-key-file={key}",
        f"--token-auth-file={tokens}",
        "--authorization-mode=RBAC",
        "--anonymous-auth=false",
        # As on EKS: device plugins and drivers are privileged.
        "--allow-privileged=true",
        "--endpoint-reconciler-type=none",
    ]
