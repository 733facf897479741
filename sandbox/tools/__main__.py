"""``python -m sandbox.tools [TOOL or TIER…]``: build or fetch tools before they are needed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from sandbox.tools.child import ToolUnavailableError
from sandbox.tools.go import Go
from sandbox.tools.inventory import Row, provide, rows_of, shared_go
from sandbox.tools.table import NEEDED_BY_TESTS


def main(names: Sequence[str]) -> int:
    """Exit code 0 when every tool is ready, 1 with a report of each that is unavailable, 2 for an unknown name.

    Without names: the tools that the tests need.
    """
    try:
        rows = rows_of(names or NEEDED_BY_TESTS)
    except LookupError as error:
        print(error.args[0], file=sys.stderr)
        return 2
    with shared_go(rows, sys.stdout) as go:
        return _provide_all(rows, go)


def _provide_all(rows: Sequence[Row], go: Go | None) -> int:
    """Get every tool, one at a time: two builds at once are no faster on two cores and need twice the memory."""
    exit_code = 0
    for row in rows:
        start_time = time.monotonic()
        try:
            tool = provide(row, sys.stdout, go)
        except ToolUnavailableError as error:
            print(error, file=sys.stderr)
            exit_code = 1
        else:
            seconds = time.monotonic() - start_time
            print(f"{row.name} {tool.version} from {tool.source}: {tool.path} ({seconds:.1f} s)", flush=True)
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
