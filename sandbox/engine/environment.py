"""What the engine is given: a home, a backend and a PATH of its own, so that nothing of the user's is touched."""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.cloud.place import Place
from sandbox.tools.pulumi import PulumiCli

_PACKAGES = {"aws": "pulumi-aws", "kubernetes": "pulumi-kubernetes", "eks": "pulumi-eks"}
_PASSPHRASE = "this state holds no real secret"


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where one stack's engine works."""

    stack: str
    state: Path
    """Everything of the stack on this machine."""
    cli: PulumiCli
    control_plane: Path | None = None
    """The folder of a real control plane, where there is one."""

    @property
    def world(self) -> Path:
        """What the stand-ins have made."""
        return self.state / "world.db"

    @property
    def backend(self) -> Path:
        """The engine's file backend."""
        return self.state / "backend"

    @property
    def work_dir(self) -> Path:
        """Where the engine finds the project file and the stack file."""
        return self.state / "work"

    @property
    def stack_file(self) -> Path:
        """The engine's copy of the stack's settings."""
        return self.work_dir / f"Pulumi.{self.stack}.yaml"

    @property
    def root(self) -> Path:
        """Where the Automation API looks for ``bin/pulumi``."""
        return self.state

    @property
    def executables(self) -> Path:
        """First on the engine's PATH."""
        return self.root / "bin"

    def prepare(self) -> None:
        """Make the folders and the executables that the engine starts."""
        for folder in (self.backend, self.work_dir, self.executables, self.state / "home"):
            folder.mkdir(parents=True, exist_ok=True)
        for package, distribution in _PACKAGES.items():
            version = importlib.metadata.version(distribution)
            place = Place(self.world, self.stack_file, self.control_plane)
            arguments = ["-m", "sandbox.cloud", package, version, *place.arguments()]
            _script(self.executables / f"pulumi-resource-{package}", arguments)
        # A CLI that somebody supplied need not be in a folder called bin.
        command = self.executables / "pulumi"
        command.unlink(missing_ok=True)
        command.symlink_to(self.cli.command.absolute())
        shim = self.executables / "pulumi-analyzer-policy-python"
        if self.cli.language_host:
            shim.unlink(missing_ok=True)
        else:
            _script(shim, ["-m", "sandbox.engine.analyzer"])

    def variables(self) -> dict[str, str]:
        """The engine's environment."""
        path = os.pathsep.join([str(self.executables), str(self.cli.command.parent), os.environ.get("PATH", "")])
        return {
            "PATH": path,
            "PULUMI_HOME": str(self.state / "home"),
            # Without side files: they are not written in one step, and a torn one makes the stack unreadable.
            "PULUMI_BACKEND_URL": f"file://{self.backend}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": _PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "true",
            "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
        }


def _script(path: Path, arguments: list[str]) -> None:
    command = shlex.join([sys.executable, *arguments])
    # The engine starts these in folders of its choosing; the project is found by its installation.
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
