"""Entry of a provider process: ``python -m sandbox.cloud PACKAGE VERSION`` with its place, then the engine's words."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from sandbox.cloud.place import Place

_OWN_ARGUMENTS = 5
_WATCH_SECONDS = 0.5


def main() -> None:
    """Serve the package that the engine asked for."""
    package, version, *files = sys.argv[1 : 1 + _OWN_ARGUMENTS]
    place = Place.of(files)
    # How the engine ends a plugin when nothing of it runs any more: Python, gRPC and the SDK would each complain of it.
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(0))
    threading.Thread(target=_end_with_engine, daemon=True).start()
    if package == "eks":
        from sandbox.cloud.eks import serve_eks  # noqa: PLC0415

        serve_eks(version, place, sys.argv[1 + _OWN_ARGUMENTS :])
        return
    from sandbox.cloud.servicer import serve  # noqa: PLC0415

    serve(package, version, place)


def _end_with_engine() -> None:
    """An engine that is killed tells nobody: whoever was started by it must notice by itself."""
    engine = os.getppid()
    while os.getppid() == engine:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
