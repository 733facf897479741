"""``python -m tests.soak.once up|down FOLDER``: one command on a sandbox of its own, in a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.session.folder import SessionFolder
from sandbox.session.up_and_down import Steps, down, up
from tests.builders import ROOT


def main(verb: str, path: str) -> int:
    """Exit code 0 when the command succeeded and the sandbox has settled, 1 otherwise."""
    folder, steps = SessionFolder(Path(path)), Steps(sys.stdout, [])
    try:
        if verb == "up":
            ended = up("dev", ROOT / "Pulumi.dev.yaml", folder, steps)
            print("changes:", dict(ended.outcome.changes), "moving:", ended.unsettled)
            return 0 if ended.ok and not ended.unsettled else 1
        _, outcome = down(folder, steps)
    except SandboxError as error:
        print(error)
        return 1
    return 0 if outcome is None or outcome.ok else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
