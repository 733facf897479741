from __future__ import annotations

import socket

from sandbox.control_plane.part import LOOPBACK, free_ports


def test_ports_are_different_and_can_be_listened_on() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    with socket.socket() as listening:
        listening.bind((LOOPBACK, ports[0]))
