"""How many examples a property test tries: fewer in `make quick`, the whole number in CI."""

from __future__ import annotations

import os

IS_QUICK = bool(os.environ.get("GPU_PLATFORM_QUICK"))
QUICK_EXAMPLES = 10


def examples(count: int) -> int:
    """The number for a property that is usually tried so often."""
    return min(count, QUICK_EXAMPLES) if IS_QUICK else count
