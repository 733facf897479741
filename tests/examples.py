"""How many examples a property test tries: fewer in `make quick`, the whole number in CI."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")

IS_QUICK = bool(os.environ.get("GPU_PLATFORM_QUICK"))
QUICK_EXAMPLES = 10
QUICK_STRIDE = 10


def examples(count: int, quick: int = QUICK_EXAMPLES) -> int:
    """The number for a property that is usually tried so often; ``quick`` where one example takes long."""
    return min(count, quick) if IS_QUICK else count


def sampled(things: Sequence[_T]) -> Sequence[_T]:
    """All of a sweep's things; every tenth in `make quick`, the first among them."""
    return things[::QUICK_STRIDE] if IS_QUICK else things
