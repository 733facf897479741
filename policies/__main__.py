"""Starts the policy pack: prints the port that the engine dials, and serves until the engine ends it.

The rules import ``gpuplatform``, so the project's folder is put on the path: an environment that holds the project's
dependencies is enough, whether the project is installed in it or not.
"""

from __future__ import annotations

import contextlib
import sys
from concurrent import futures
from pathlib import Path

import grpc
from pulumi.runtime.proto import analyzer_pb2_grpc

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from policies.engine import PackServer
from policies.rules import RULES, STACK_RULES

_MAX_MESSAGE_BYTES = 400 * 1024 * 1024
"""What the engine's own channels take: a whole stack is one message (pulumi sdk/go/common/util/rpcutil)."""


def serve() -> None:
    """Bind to a port of the loopback that is free."""
    sizes = [
        ("grpc.max_receive_message_length", _MAX_MESSAGE_BYTES),
        ("grpc.max_send_message_length", _MAX_MESSAGE_BYTES),
    ]
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), options=sizes)
    analyzer_pb2_grpc.add_AnalyzerServicer_to_server(PackServer(RULES, STACK_RULES), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print(port, flush=True)
    with contextlib.suppress(KeyboardInterrupt):  # how the engine ends a pack
        server.wait_for_termination()
    server.stop(None)


if __name__ == "__main__":
    serve()
