"""Entry of a provider process: ``python -m sandbox.cloud PACKAGE VERSION FILES… ENGINE-ARGUMENTS…``."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from sandbox.cloud.store import StackFiles

_OWN_ARGUMENTS = 5
_WATCH_SECONDS = 0.5


def main() -> None:
    """Serve the package that the engine asked for."""
    package, version, *files = sys.argv[1 : 1 + _OWN_ARGUMENTS]
    place = StackFiles.of(files)
    # The engine ends an idle plugin by SIGINT. Without a handler Python, gRPC and the SDK would each print an error.
    signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(0))
    threading.Thread(target=_end_with_engine, daemon=True).start()
    if package == "eks":
        from sandbox.cloud.eks import serve_eks  # noqa: PLC0415

        serve_eks(version, place, sys.argv[1 + _OWN_ARGUMENTS :])
        return
    from sandbox.cloud.servicer import serve  # noqa: PLC0415

    serve(package, version, place)


def _end_with_engine() -> None:
    """End this process with the engine: a killed engine does not stop the plugins that it started."""
    engine = os.getppid()
    while os.getppid() == engine:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


if __name__ == "__main__":
    main()
