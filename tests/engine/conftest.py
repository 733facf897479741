"""The engine tier: tests with the real Pulumi CLI, which is installed as `make up` installs it."""

from __future__ import annotations

import io
import os

import pytest

from sandbox.tools.child import ToolUnavailableError
from sandbox.tools.pulumi import PulumiCli, pulumi_cli

REQUIRED = "GPU_PLATFORM_REQUIRE_ENGINE"
"""This variable is set where the engine tier must not be skipped: in continuous integration."""


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
