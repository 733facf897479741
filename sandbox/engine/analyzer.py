"""Starts a policy pack where no official language host exists.

The engine passes the options of ``PulumiPolicy.yaml`` on as flags (``-virtualenv=…``), which the pack's own entry
point does not know; the environment is the one that runs this, so they are dropped.
"""

from __future__ import annotations

import os
import sys


def pack_arguments(arguments: list[str]) -> list[str]:
    """The engine's address and the pack's folder, without the flags."""
    return [each for each in arguments if not each.startswith("-")]


def main() -> None:
    """Become the policy pack's process."""
    os.execv(sys.executable, [sys.executable, "-u", "-m", "pulumi.policy", *pack_arguments(sys.argv[1:])])


if __name__ == "__main__":
    main()
