"""kubectl as a person types it, without the user's own kubeconfig, preferences and cache.

Tests use it for what a person does: label, cordon, wait, and act as somebody else (``--as``).
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sandbox.control_plane.api import SANDBOX
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.tools import acquire
from sandbox.tools.table import KUBECTL
from tests.tiers import at_hand


@dataclass(frozen=True, slots=True)
class Answer:
    """kubectl's exit code and output."""

    code: int
    out: str
    err: str

    @property
    def ok(self) -> bool:
        """Whether the command succeeded."""
        return self.code == 0


@dataclass(frozen=True, slots=True)
class Kubectl:
    """A command and the cluster it speaks to."""

    command: Path
    kubeconfig: Path

    def __call__(self, *arguments: str, stdin: str = "", limit_seconds: float = 120.0) -> Answer:
        """Run it once. A refusal of the API server is an answer too; raises TimeoutExpired."""
        home = self.kubeconfig.parent
        command = [str(self.command), f"--kubeconfig={self.kubeconfig}", f"--cache-dir={home / 'kubectl'}", *arguments]
        ended = subprocess.run(
            command,
            input=stdin,
            env={**os.environ, "HOME": str(home), "KUBERC": "off"},
            capture_output=True,
            text=True,
            check=False,
            timeout=limit_seconds,
        )
        return Answer(ended.returncode, ended.stdout, ended.stderr)

    def apply(self, text: str, *flags: str) -> Answer:
        """Server-side apply of YAML or JSON; it takes objects that are too big for client-side apply's annotation."""
        return self(
            "apply",
            "--server-side",
            "--force-conflicts",
            f"--field-manager={SANDBOX}",
            "-f",
            "-",
            *flags,
            stdin=text,
        )


def kubectl(plane: ControlPlane) -> Kubectl:
    """kubectl for a running control plane; without the command the tier is skipped, or fails where it is required."""
    return Kubectl(at_hand("cluster", acquire.at_hand(KUBECTL)).command, plane.kubeconfig)
