"""The commands of a control plane, if they are on the machine."""

from __future__ import annotations

from sandbox.control_plane.control_plane import Commands
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import ETCD, KUBE_APISERVER, KUBECTL


def commands_at_hand() -> Commands | None:
    """All of them, from PATH or the cache; None where one is missing. Nothing is built."""
    etcd, api_server, kubectl = at_hand(ETCD), at_hand(KUBE_APISERVER), at_hand(KUBECTL)
    if etcd is None or api_server is None or kubectl is None:
        return None
    return Commands(etcd.command, api_server.command, kubectl.command)
