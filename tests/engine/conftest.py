"""The engine tier: the real Pulumi CLI, gotten as `make up` gets it."""

from __future__ import annotations

import io
import os

import pytest

from sandbox.tools.failure import ToolUnavailableError
from sandbox.tools.pulumi import PulumiCli, pulumi_cli

REQUIRED = "GPU_PLATFORM_REQUIRE_ENGINE"
"""Set where a skipped engine tier would hide something: continuous integration."""


@pytest.fixture(scope="session")
def engine_cli() -> PulumiCli:
    """The CLI; without one the tier is skipped with the reason, or fails where it is required."""
    out = io.StringIO()
    try:
        return pulumi_cli(out)
    except ToolUnavailableError as error:
        if os.environ.get(REQUIRED):
            pytest.fail(f"the engine tier is required here: {error}")
        pytest.skip(f"no Pulumi CLI: {error}")
