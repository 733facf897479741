"""This repository's Karpenter as a part of a control plane, and the commands that it takes about its cloud."""

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
from sandbox.control_plane.part import Part, running
from sandbox.control_plane.ports import LOOPBACK, free_ports
from sandbox.errors import SandboxError

_FOLDER = "karpenter"
_ACCESS_FILE = "access.json"
_SLACK_SECONDS = 30.0
"""An answer is awaited so much longer than it may take."""
_SETTINGS = {
    "batchIdleDuration": "BATCH_IDLE_DURATION",
    "batchMaxDuration": "BATCH_MAX_DURATION",
    "preferencePolicy": "PREFERENCE_POLICY",
    "minValuesPolicy": "MIN_VALUES_POLICY",
    "ignoreDRARequests": "IGNORE_DRA_REQUESTS",
}
"""Settings of the chart that the core reads, with the variables in which the chart puts them; the others are AWS's."""


@dataclass(frozen=True, slots=True)
class Karpenter:
    """A Karpenter that answers. What is asked of it can raise SandboxError, with its own words."""

    url: str
    """Of its commands."""
    token: str
    metrics_url: str

    def settle(self, limit_seconds: float) -> tuple[str, ...]:
        """Wait until nothing moves; what still moves at the limit, so nothing where all is settled.

        Settled means: every pod runs, or waits with a decision of the scheduler and of Karpenter that is younger than
        this question; every node is initialized; every controller has made its pods.
        """
        answer = self._ask("GET", f"settle?limitSeconds={limit_seconds:g}", None, limit_seconds)
        return tuple(cast(list[str], answer["moving"]))

    def state(self) -> Mapping[str, object]:
        """What was done to the cloud, and Karpenter's time."""
        return self._ask("GET", "state", None)

    def withdraw(self, instance_type: str = "", zone: str = "", market: str = "") -> None:
        """Let EC2 have no capacity of these; empty means any. Karpenter learns it by trying."""
        self._ask("POST", "withdraw", {"instanceType": instance_type, "zone": zone, "market": market})

    def restore(self) -> None:
        """Give back all that was withdrawn, and let Karpenter know at once."""
        self._ask("POST", "restore", {})

    def interrupt(self, nodepool: str) -> None:
        """Interrupt every spot node of a NodePool: two minutes later the machines are gone."""
        self._ask("POST", "interrupt", {"nodePool": nodepool})

    def drift(self, node_class: str) -> None:
        """Release a newer image, so that every node of an EC2NodeClass has drifted."""
        self._ask("POST", "drift", {"nodeClass": node_class})

    def set_clock(self, to: datetime.datetime | None) -> None:
        """Make Karpenter's clock show a time, from which it goes on; None for the machine's."""
        self._ask("POST", "clock", {"now": None if to is None else to.astimezone(datetime.UTC).isoformat()})

    def alive(self) -> bool:
        """Whether it answers."""
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
                said = error.read().decode(errors="replace").strip()
            if error.code == HTTPStatus.NOT_FOUND:
                raise SandboxError(said) from error
            raise SandboxError(f"Karpenter refuses {path}: {said}") from error
        except OSError as error:
            raise SandboxError(f"Karpenter does not answer at {self.url}: {error}") from error


@contextmanager
def karpenter(
    plane: ControlPlane, command: Path, catalogue: str, values: Mapping[str, object]
) -> Generator[tuple[Karpenter, Part]]:
    """Karpenter with an EC2 that sells the catalogue, set as the chart's values say, until the block is left.

    Its definitions must be served; it answers a few seconds later. What was done to its cloud is kept in the folder of
    the control plane.
    """
    folder = plane.folder / _FOLDER
    folder.mkdir(exist_ok=True)
    commands, metrics, health = free_ports(3)
    made = Karpenter(f"http://{LOOPBACK}:{commands}", secrets.token_urlsafe(32), f"http://{LOOPBACK}:{metrics}/metrics")
    file = folder / "catalogue.json"
    file.write_text(catalogue, encoding="utf-8")
    environment = {
        "KUBECONFIG": str(plane.kubeconfig),
        "DISABLE_LEADER_ELECTION": "true",
        "METRICS_PORT": str(metrics),
        "HEALTH_PROBE_PORT": str(health),
        "SYSTEM_NAMESPACE": "kube-system",
        "SANDBOX_CATALOGUE": str(file),
        "SANDBOX_STATE": str(folder / "state.json"),
        "SANDBOX_CONTROL": made.url.removeprefix("http://"),
        "SANDBOX_TOKEN": made.token,
        **environment_of(values),
    }
    try:
        with running("karpenter", [command], plane.folder, environment) as part:
            write_private(folder / _ACCESS_FILE, json.dumps(asdict(made)))
            yield made, part
    finally:
        (folder / _ACCESS_FILE).unlink(missing_ok=True)


def karpenter_in(folder: Path) -> Karpenter | None:
    """The Karpenter of a control plane's folder, for whoever did not start it; None where there is none."""
    try:
        return Karpenter(**json.loads((folder / _FOLDER / _ACCESS_FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None


def environment_of(values: Mapping[str, object]) -> dict[str, str]:
    """The chart's values as the variables in which the chart gives them to Karpenter."""
    settings = cast(Mapping[str, object], values.get("settings") or {})
    gates = cast(Mapping[str, bool], settings.get("featureGates") or {})
    found = {variable: _text(settings[name]) for name, variable in _SETTINGS.items() if name in settings}
    if gates:
        found["FEATURE_GATES"] = ",".join(f"{name[0].upper()}{name[1:]}={_text(on)}" for name, on in gates.items())
    return found


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
