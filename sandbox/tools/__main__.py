"""``python -m sandbox.tools``: have the tools ready before they are needed."""

from __future__ import annotations

import sys

from sandbox.tools.failure import ToolUnavailableError
from sandbox.tools.pulumi import pulumi_cli


def main() -> int:
    """Exit code 0 when every tool is there, 1 with a report when one cannot be had."""
    try:
        cli = pulumi_cli(sys.stdout)
    except ToolUnavailableError as error:
        print(error, file=sys.stderr)
        return 1
    host = "with" if cli.language_host else "without"
    print(f"pulumi {cli.version} from {cli.source}, {host} the official Python language host: {cli.command}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
