"""The commands of a control plane, if they are on the machine."""

from __future__ import annotations

from sandbox.control_plane.control_plane import Commands
from sandbox.control_plane.controllers import FullCommands
from sandbox.tools.acquire import at_hand
from sandbox.tools.module_files import KWOK_POD_STAGES, files_at_hand
from sandbox.tools.table import ETCD, KUBE_APISERVER, KUBE_CONTROLLER_MANAGER, KUBE_SCHEDULER, KUBECTL, KWOK


def commands_at_hand() -> Commands | None:
    """All of them, from PATH or the cache; None where one is missing. Nothing is built."""
    etcd, api_server, kubectl = at_hand(ETCD), at_hand(KUBE_APISERVER), at_hand(KUBECTL)
    if etcd is None or api_server is None or kubectl is None:
        return None
    return Commands(etcd.command, api_server.command, kubectl.command)


def full_commands_at_hand() -> FullCommands | None:
    """The same with the controllers'."""
    small, stages = commands_at_hand(), files_at_hand(KWOK_POD_STAGES)
    scheduler, manager, kwok = at_hand(KUBE_SCHEDULER), at_hand(KUBE_CONTROLLER_MANAGER), at_hand(KWOK)
    if small is None or stages is None or scheduler is None or manager is None or kwok is None:
        return None
    return FullCommands(small, scheduler.command, manager.command, kwok.command, stages)
