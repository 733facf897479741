"""Entry of a provider process: ``python -m sandbox.cloud PACKAGE VERSION WORLD STACK_FILE [engine's arguments]``."""

from __future__ import annotations

import os
import sys
import threading
import time
from pathlib import Path

_OWN_ARGUMENTS = 4
_WATCH_SECONDS = 0.5


def main() -> None:
    """Serve the package that the engine asked for."""
    package, version, world, stack_file = sys.argv[1 : 1 + _OWN_ARGUMENTS]
    threading.Thread(target=_end_with_engine, daemon=True).start()
    if package == "eks":
        from sandbox.cloud.eks import serve_eks  # noqa: PLC0415

        serve_eks(version, sys.argv[1 + _OWN_ARGUMENTS :])
        return
    from sandbox.cloud.servicer import serve  # noqa: PLC0415

    serve(package, version, Path(world), Path(stack_file))


def _end_with_engine() -> None:
    """An engine that is killed tells nobody: whoever was started by it must notice by itself."""
    engine = os.getppid()
    while os.getppid() == engine:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
