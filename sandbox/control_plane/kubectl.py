"""kubectl for one cluster, without the user's own kubeconfig, preferences and cache."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError

FIELD_MANAGER = "gpu-platform"


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
        """Run it once. A refusal of the API server is an answer; raises SandboxError where no answer comes in time."""
        home = self.kubeconfig.parent
        command = [str(self.command), f"--kubeconfig={self.kubeconfig}", f"--cache-dir={home / 'kubectl'}", *arguments]
        try:
            ended = subprocess.run(
                command,
                input=stdin,
                env={**os.environ, "HOME": str(home), "KUBERC": "off"},
                capture_output=True,
                text=True,
                check=False,
                timeout=limit_seconds,
            )
        except subprocess.TimeoutExpired as error:
            raise SandboxError(f"kubectl {' '.join(arguments)} did not end within {limit_seconds:g} s") from error
        return Answer(ended.returncode, ended.stdout, ended.stderr)

    def apply(self, text: str, *flags: str) -> Answer:
        """Server-side apply of YAML or JSON; it takes objects that are too big for client-side apply's annotation."""
        return self(
            "apply",
            "--server-side",
            "--force-conflicts",
            f"--field-manager={FIELD_MANAGER}",
            "-f",
            "-",
            *flags,
            stdin=text,
        )
