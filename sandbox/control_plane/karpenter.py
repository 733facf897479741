"""This repository's Karpenter as a process beside a control plane, and the commands that control its cloud."""

from __future__ import annotations

import datetime
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http import HTTPStatus
from pathlib import Path
from typing import cast

from sandbox.control_plane.access import write_private
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.control_plane.part import LOOPBACK, Part, free_ports, running
from sandbox.errors import SandboxError

_FOLDER = "karpenter"
_ACCESS_FILE = "access.json"
_SLACK_SECONDS = 30.0
"""The HTTP timeout is so much longer than the command's own limit."""
_SETTINGS = {
    "batchIdleDuration": "BATCH_IDLE_DURATION",
    "batchMaxDuration": "BATCH_MAX_DURATION",
    "preferencePolicy": "PREFERENCE_POLICY",
    "minValuesPolicy": "MIN_VALUES_POLICY",
    "ignoreDRARequests": "IGNORE_DRA_REQUESTS",
}
"""The chart's settings that Karpenter's core reads, by environment variable; the AWS provider reads the others."""


@dataclass(frozen=True, slots=True)
class Karpenter:
    """A running Karpenter. Every command can raise SandboxError with Karpenter's message."""

    url: str
    """The address of its commands."""
    token: str
    metrics_url: str

    def settle(self, limit_seconds: float) -> tuple[str, ...]:
        """Wait until the cluster has settled; returns the objects that still move at the limit, else an empty tuple.

        Settled means: every pod runs, or waits after the scheduler and Karpenter have decided on it since this call;
        every node is initialized; every controller has made its pods.
        """
        answer = self._ask("GET", f"settle?limitSeconds={limit_seconds:g}", None, limit_seconds)
        return tuple(cast(list[str], answer["moving"]))

    def state(self) -> Mapping[str, object]:
        """The state of the stand-in cloud, and the time on Karpenter's clock."""
        return self._ask("GET", "state", None)

    def withdraw(self, instance_type: str = "", zone: str = "", market: str = "") -> None:
        """Let EC2 run out of a type, zone or market; empty means any. Karpenter learns of it when it tries to buy."""
        self._ask("POST", "withdraw", {"instanceType": instance_type, "zone": zone, "market": market})

    def restore(self) -> None:
        """Give back all withdrawn capacity, and let Karpenter know at once."""
        self._ask("POST", "restore", {})

    def interrupt(self, nodepool: str) -> None:
        """Interrupt every spot node of a NodePool: the machines end two minutes later."""
        self._ask("POST", "interrupt", {"nodePool": nodepool})

    def drift(self, node_class: str) -> None:
        """Publish a newer image, so that every node of an EC2NodeClass has drifted."""
        self._ask("POST", "drift", {"nodeClass": node_class})

    def set_clock(self, to: datetime.datetime | None) -> None:
        """Set Karpenter's clock, which runs on from that time; None for the machine's time."""
        self._ask("POST", "clock", {"now": None if to is None else to.astimezone(datetime.UTC).isoformat()})

    def alive(self) -> bool:
        """Whether Karpenter answers."""
        try:
            self.state()
        except SandboxError:
            return False
        return True

    def _ask(self, method: str, path: str, body: object, limit_seconds: float = 0.0) -> dict[str, object]:
        request = urllib.request.Request(
            f"{self.url}/{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Bearer {self.token}"},
        )
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=limit_seconds + _SLACK_SECONDS) as answer:
                return cast(dict[str, object], json.loads(answer.read()))
        except urllib.error.HTTPError as error:
            with error:
                message = error.read().decode(errors="replace").strip()
            if error.code == HTTPStatus.NOT_FOUND:
                raise SandboxError(message) from error
            raise SandboxError(f"Karpenter refuses {path}: {message}") from error
        except OSError as error:
            raise SandboxError(f"Karpenter does not answer at {self.url}: {error}") from error


@contextmanager
def karpenter(
    plane: ControlPlane, command: Path, catalog: str, values: Mapping[str, object]
) -> Generator[tuple[Karpenter, Part]]:
    """Karpenter with an EC2 that sells the catalog, configured by the chart's values, until the block is left.

    Karpenter's CRDs must be served. It answers a few seconds later. The state of its cloud is kept in the folder of the
    control plane.
    """
    folder = plane.folder / _FOLDER
    folder.mkdir(exist_ok=True)
    commands, metrics, health = free_ports(3)
    process = Karpenter(
        f"http://{LOOPBACK}:{commands}", secrets.token_urlsafe(32), f"http://{LOOPBACK}:{metrics}/metrics"
    )
    file = folder / "catalog.json"
    file.write_text(catalog, encoding="utf-8")
    environment = {
        "KUBECONFIG": str(plane.kubeconfig),
        "DISABLE_LEADER_ELECTION": "true",
        "METRICS_PORT": str(metrics),
        "HEALTH_PROBE_PORT": str(health),
        "SYSTEM_NAMESPACE": "kube-system",
        "SANDBOX_CATALOG": str(file),
        "SANDBOX_STATE": str(folder / "state.json"),
        "SANDBOX_CONTROL": process.url.removeprefix("http://"),
        "SANDBOX_TOKEN": process.token,
        **environment_of(values),
    }
    try:
        with running("karpenter", [command], plane.folder, environment) as part:
            write_private(folder / _ACCESS_FILE, json.dumps(asdict(process)))
            yield process, part
    finally:
        (folder / _ACCESS_FILE).unlink(missing_ok=True)


def karpenter_in(folder: Path) -> Karpenter | None:
    """The Karpenter that another process runs in a control plane's folder; None where there is none."""
    try:
        return Karpenter(**json.loads((folder / _FOLDER / _ACCESS_FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def environment_of(values: Mapping[str, object]) -> dict[str, str]:
    """The chart's values as the environment variables that the chart sets for Karpenter."""
    settings = cast(Mapping[str, object], values.get("settings") or {})
    gates = cast(Mapping[str, bool], settings.get("featureGates") or {})
    variables = {variable: _text(settings[name]) for name, variable in _SETTINGS.items() if name in settings}
    if gates:
        variables["FEATURE_GATES"] = ",".join(f"{name[0].upper()}{name[1:]}={_text(on)}" for name, on in gates.items())
    return variables


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
