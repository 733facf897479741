"""The real pack in a separate process, called over the engine's protocol; answers are plain data."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import grpc
from google.protobuf import empty_pb2, json_format
from google.protobuf.message import Message
from pulumi.runtime import proto
from pulumi.runtime.proto import analyzer_pb2_grpc

from tests.policies.documents import Document
from tests.policies.harness import resource_request, stack_request

PACK = Path(__file__).parents[2] / "policies"


@dataclass(frozen=True, slots=True)
class Reported:
    """One violation as the engine receives it."""

    rule: str
    level: str
    message: str
    urn: str


@dataclass(frozen=True, slots=True)
class Analyzer:
    """A started pack."""

    stub: analyzer_pb2_grpc.AnalyzerStub

    def rules(self) -> dict[str, str]:
        """The names of the policies and their enforcement levels."""
        listed = self._call("GetAnalyzerInfo", empty_pb2.Empty())["policies"]
        return {policy["name"]: policy["enforcementLevel"] for policy in cast("list[dict[str, str]]", listed)}

    def configure(self, levels: Mapping[str, str]) -> None:
        """Set the levels of rules, as the engine does from its configuration file."""
        config = {"policyConfig": {name: {"enforcementLevel": level} for name, level in levels.items()}}
        self._call("Configure", json_format.ParseDict(config, proto.ConfigureAnalyzerRequest()))

    def analyze(self, document: Document) -> list[Reported]:
        """What the pack says of one resource."""
        return self._reported("Analyze", resource_request(document))

    def analyze_stack(self, *documents: Document) -> list[Reported]:
        """What the pack says of resources together."""
        return self._reported("AnalyzeStack", stack_request(documents))

    def _reported(self, method: str, request: Message) -> list[Reported]:
        diagnostics = cast("list[dict[str, str]]", self._call(method, request)["diagnostics"])
        return [
            Reported(
                diagnostic["policyName"],
                diagnostic["enforcementLevel"],
                diagnostic["message"],
                diagnostic.get("urn", ""),
            )
            for diagnostic in diagnostics
        ]

    def _call(self, method: str, request: Message) -> dict[str, object]:
        answer = cast("Callable[[Message], Message]", vars(self.stub)[method])(request)
        return cast("dict[str, object]", json_format.MessageToDict(answer, always_print_fields_with_no_presence=True))


@contextmanager
def started_pack(*, installed: bool = True) -> Generator[Analyzer]:
    """The pack, started as the language host starts it and ended afterwards.

    Not ``installed`` is an environment with the project's dependencies and without the project, as `pulumi install`
    makes it: the dependencies are a plain folder, and no file there adds the project's.
    """
    command = [sys.executable, *(() if installed else ("-S",)), "-u", "-m", "pulumi.policy", "127.0.0.1:1", "."]
    environment = os.environ | ({} if installed else {"PYTHONPATH": sysconfig.get_path("purelib")})
    with subprocess.Popen(command, cwd=PACK, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            port = int(server.stdout.readline())
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield Analyzer(analyzer_pb2_grpc.AnalyzerStub(channel))
        finally:
            server.kill()
