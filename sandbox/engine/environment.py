"""The engine's working folders, executables and environment variables for one stack.

Run as a program, this module starts a policy pack where no official language host exists. The engine passes the options
of ``PulumiPolicy.yaml`` on as flags (``-virtualenv=…``). The pack's own entry point does not know them, and the pack
runs in the present environment, so they are dropped.
"""

from __future__ import annotations

import importlib.metadata
import os
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox.cloud.store import StackFiles
from sandbox.tools.pulumi import PulumiCli


def pack_arguments(arguments: list[str]) -> list[str]:
    """The engine's address and the pack's folder, without the flags."""
    return [argument for argument in arguments if not argument.startswith("-")]


def main() -> None:
    """Become the policy pack's process."""
    os.execv(sys.executable, [sys.executable, "-u", "-m", "pulumi.policy", *pack_arguments(sys.argv[1:])])


if __name__ == "__main__":
    main()


_PACKAGES = {"aws": "pulumi-aws", "kubernetes": "pulumi-kubernetes", "eks": "pulumi-eks"}
_PASSPHRASE = "this state holds no real secret"


@dataclass(frozen=True, slots=True)
class Workspace:
    """The folders in which one stack's engine works."""

    stack: str
    state: Path
    """The folder of the stack's whole state on this machine."""
    cli: PulumiCli
    control_plane: Path | None = None
    """The folder of a real control plane, where there is one."""

    @property
    def world(self) -> Path:
        """The file of the resources that the stand-ins have made."""
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
        """The first folder on the engine's PATH."""
        return self.root / "bin"

    def prepare(self) -> None:
        """Make the folders and the executables that the engine starts."""
        for folder in (self.backend, self.work_dir, self.executables, self.state / "home"):
            folder.mkdir(parents=True, exist_ok=True)
        for package, distribution in _PACKAGES.items():
            version = importlib.metadata.version(distribution)
            place = StackFiles(self.world, self.stack_file, self.control_plane)
            arguments = ["-m", "sandbox.cloud", package, version, *place.arguments()]
            _script(self.executables / f"pulumi-resource-{package}", arguments)
        # A CLI from PATH may be in a folder that is not called bin.
        command = self.executables / "pulumi"
        command.unlink(missing_ok=True)
        command.symlink_to(self.cli.command.absolute())
        shim = self.executables / "pulumi-analyzer-policy-python"
        if self.cli.language_host:
            shim.unlink(missing_ok=True)
        else:
            _script(shim, ["-m", "sandbox.engine.environment"])

    def variables(self) -> dict[str, str]:
        """The engine's environment."""
        path = os.pathsep.join([str(self.executables), str(self.cli.command.parent), os.environ.get("PATH", "")])
        return {
            "PATH": path,
            "PULUMI_HOME": str(self.state / "home"),
            # Without metadata files: they are not written in one step, and a partial one makes the stack unreadable.
            "PULUMI_BACKEND_URL": f"file://{self.backend}?metadata=skip",
            "PULUMI_CONFIG_PASSPHRASE": _PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_AUTOMATION_API_SKIP_VERSION_CHECK": "true",
            "PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS": "true",
        }


def _script(path: Path, arguments: list[str]) -> None:
    command = shlex.join([sys.executable, *arguments])
    # The engine starts these scripts in any folder; Python finds the project because it is installed.
    path.write_text(f'#!/bin/sh\nexec {command} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
