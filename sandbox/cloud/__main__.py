"""Entry of a provider process: ``python -m sandbox.cloud PACKAGE VERSION WORLD [engine's arguments]``."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Serve the package that the engine asked for."""
    package, version, world = sys.argv[1:4]
    if package == "eks":
        from sandbox.cloud.eks import serve_eks  # noqa: PLC0415

        serve_eks(version, sys.argv[4:])
        return
    from sandbox.cloud.servicer import serve  # noqa: PLC0415

    serve(package, version, Path(world))


if __name__ == "__main__":
    main()
