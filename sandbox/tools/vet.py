"""``python -m sandbox.tools.vet``: checks that our Go programs are formatted and tidy, and that their tests pass."""

from __future__ import annotations

import shutil
import sys

from sandbox.tools.cache import only_one, workshop
from sandbox.tools.child import log_tail, run_child
from sandbox.tools.go import go_in
from sandbox.tools.own import OWN_PROGRAMS, OwnProgram

_LIMIT_SECONDS = 1800.0
_STEPS = (
    ("tidy", ("mod", "tidy", "-diff")),
    ("vet", ("vet", "-mod=readonly", "./...")),
    ("test", ("test", "-mod=readonly", "./...")),
)


def main() -> int:
    """Exit code 0 when every check passes, 1 with the failures."""
    failures = [failure for program in OWN_PROGRAMS for failure in _failures(program)]
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def _failures(program: OwnProgram) -> list[str]:
    with only_one("go", sys.stdout, doing="building with it"), workshop(program.name) as folder:
        log = folder / "vet.log"
        go = go_in(folder, log, sys.stdout)
        if isinstance(go, str):
            return [go]
        gofmt = shutil.which("gofmt", path=str(go.command.resolve().parent)) or "gofmt"
        commands = [("format", [gofmt, "-d", "."]), *((name, [str(go.command), *step]) for name, step in _STEPS)]
        for name, command in commands:
            # gofmt always exits with code 0; its output is the list of problems.
            size_before = log.stat().st_size if log.exists() else 0
            result = run_child(
                command,
                what=f"{program.name}: {name}",
                log=log,
                cwd=program.folder,
                env=go.environment(),
                limit_seconds=_LIMIT_SECONDS,
                out=sys.stdout,
            )
            if not result.ok or (name == "format" and log.stat().st_size > size_before):
                return [f"{program.name}: {name} {result.in_words()}{log_tail(log)}"]
            print(f"{program.name}: {name} passes ({result.elapsed_seconds:.0f} s)", flush=True)
    return []


if __name__ == "__main__":
    sys.exit(main())
