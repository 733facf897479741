"""Start, find and stop the sandbox's processes, and use the running sandbox as a cluster."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from lightkube.operators import not_exists

from gpuplatform.render.document import namespace_of
from gpuplatform.settings.settings import Settings
from sandbox import places
from sandbox.cloud.workloads import RELEASE
from sandbox.cluster import Cluster, apply
from sandbox.contents import known_requirements, storage
from sandbox.control_plane.control_plane import control_plane_in
from sandbox.control_plane.karpenter import karpenter_in
from sandbox.errors import RefusedError, SandboxError
from sandbox.offerings import ec2_of
from sandbox.places import must_have_space
from sandbox.session.folder import SessionFolder, Status, write_whole
from sandbox.tools.child import log_tail

_READY_SECONDS = 540.0
_STOP_SECONDS = 60.0
_POLL_SECONDS = 0.1
_WORKLOADS = (
    ("policy/v1", "PodDisruptionBudget"),
    *(("apps/v1", kind) for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")),
    *(("batch/v1", kind) for kind in ("CronJob", "Job")),
    ("v1", "Pod"),
)
_WORKLOADS_SECONDS = 60


@contextmanager
def session_lock(folder: SessionFolder) -> Generator[None]:
    """Lock the sandbox for one command. Raises SandboxError while another command uses it."""
    folder.path.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder.path / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise SandboxError("another command is using the sandbox. Change: wait until that command has ended.") from None
    try:
        yield
    finally:
        lock.release()


def must_be_free_for(folder: SessionFolder, stack: str) -> None:
    """Raises SandboxError where the sandbox holds another stack, or the disk is full."""
    current_stack = folder.stack()
    if current_stack is not None and current_stack != stack:
        raise SandboxError(
            f"the sandbox runs the stack {current_stack}, and it runs one stack at a time."
            f" Change: run `.venv/bin/gpuplatform sandbox down`, then bring {stack} up."
        )
    must_have_space(folder.path)


def start(folder: SessionFolder, stack: str, settings: Settings) -> Status:
    """Start the control plane of a stack, or continue with the one that runs. Earlier state is kept.

    Raises SandboxError.
    """
    folder.claim(stack)
    write_whole(folder.catalog, ec2_of(settings).catalog())
    status = _running(folder) or _start_supervisor(folder)
    apply(control_plane_in(folder.control_plane).api, (*storage(), *known_requirements()))
    return status


def stop(folder: SessionFolder) -> None:
    """Stop every process. A supervisor that does not stop in time is killed; its processes end with it."""
    supervisor = folder.supervisor()
    if supervisor is None:
        return
    with suppress(psutil.NoSuchProcess):
        supervisor.terminate()
        _, survivors = psutil.wait_procs([supervisor], timeout=_STOP_SECONDS)
        for process in survivors:
            process.kill()
            process.wait()


def discard(folder: SessionFolder) -> None:
    """Stop every process and remove the state folder."""
    stop(folder)
    shutil.rmtree(folder.path, ignore_errors=True)


def attach(folder: SessionFolder, settings: Settings) -> Cluster:
    """The running sandbox as a cluster. Raises SandboxError where no sandbox runs, or Karpenter does not run in it."""
    if _running(folder) is None:
        raise SandboxError("no sandbox runs. Change: make sandbox STACK=dev")
    karpenter = karpenter_in(folder.control_plane)
    if karpenter is None:
        raise SandboxError("Karpenter does not run in the sandbox: its release is not installed. Change: make sandbox")
    return Cluster(control_plane_in(folder.control_plane), karpenter, ec2_of(settings))


def end_workloads(folder: SessionFolder) -> None:
    """Delete the users' workloads before the platform is taken down: pods that may not be disrupted keep their nodes.

    The workloads of releases stay until their release is removed. Raises SandboxError with the API server's message.
    """
    api = control_plane_in(folder.control_plane).api
    workloads = [item for kind in _WORKLOADS for item in api.items(*kind, labels={RELEASE: not_exists()})]
    users = [item for item in workloads if not str(namespace_of(item)).startswith("kube-")]
    try:
        api.delete_all(users, _WORKLOADS_SECONDS, grace_seconds=0)
    except RefusedError as error:
        raise SandboxError(f"the users' workloads could not be deleted: {error}") from error


def _running(folder: SessionFolder) -> Status | None:
    status = folder.status()
    return status if status and status.ready and status.supervisor.running() else None


def _start_supervisor(folder: SessionFolder) -> Status:
    supervisor = folder.supervisor()
    if supervisor is None:
        (folder.path / "status.json").unlink(missing_ok=True)
        with folder.log.open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "sandbox.session.supervisor", str(folder.path)],
                cwd=places.PROJECT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        supervisor = psutil.Process(process.pid)
    start_time = time.monotonic()
    while time.monotonic() - start_time < _READY_SECONDS:
        status = _running(folder)
        if status:
            return status
        if not _lives(supervisor):
            raise SandboxError(f"the control plane did not start; its log is {folder.log}{log_tail(folder.log)}")
        time.sleep(_POLL_SECONDS)
    raise SandboxError(f"the control plane is not ready after {_READY_SECONDS:g} s; its log is {folder.log}")


def _lives(process: psutil.Process) -> bool:
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def logs(folder: SessionFolder) -> tuple[Path, ...]:
    """Every log of the sandbox, the supervisor's first."""
    return tuple(path for path in (folder.log, *sorted(folder.control_plane.glob("*.log"))) if path.exists())
