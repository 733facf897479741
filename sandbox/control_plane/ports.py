"""Free ports of loopback."""

from __future__ import annotations

import socket
from contextlib import ExitStack

LOOPBACK = "127.0.0.1"


def free_ports(count: int) -> list[int]:
    """So many ports that nobody listens on, no two the same: all are held until the last is found."""
    with ExitStack() as held:
        sockets = [held.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) for _ in range(count)]
        for each in sockets:
            each.bind((LOOPBACK, 0))
        return [int(each.getsockname()[1]) for each in sockets]


def is_free(port: int) -> bool:
    """Whether a server could listen there now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as held:
        # As servers do: connections of an ended one that linger do not count.
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            held.bind((LOOPBACK, port))
        except OSError:
            return False
    return True
