"""One preview in a process of its own, as a user runs it; prints the figures as one line of JSON.

``python -m tests.bench.once STATE STACK_FILE [RESOURCES]``: the platform on a stack file, or with RESOURCES the floor.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from dataclasses import replace
from pathlib import Path

from sandbox.engine.run import Request, Verb, platform, run
from tests.bench.floor import floor

STACK = "dev"
PACK = Path(__file__).parent / "pack"
_KIB_PER_MIB = 1024


def main() -> int:
    """Exit code 1 and the engine's output where the preview failed."""
    state, stack_file, *resources = sys.argv[1:]
    out = io.StringIO()
    request = replace(platform(Verb.PREVIEW, STACK, Path(stack_file), out), state=Path(state))
    if resources:
        request = _floor(request, int(resources[0]))
    outcome = run(request)
    if not outcome.ok:
        print(out.getvalue(), file=sys.stderr)
        return 1
    rss_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _KIB_PER_MIB
    print(json.dumps({"resources": outcome.changes["create"], "rss_mib": rss_mib}))
    return 0


def _floor(request: Request, resources: int) -> Request:
    return replace(request, program=lambda: floor(resources), policy_pack=PACK, warm_up=lambda: None)


if __name__ == "__main__":
    sys.exit(main())
