"""The stack's settings, accepted whole or refused with every reason."""

from __future__ import annotations

from typing import cast

import pulumi

from gpuplatform.accept import RefusedError, accepted
from gpuplatform.settings.settings import Settings

_PROJECT = "gpu-platform"


def settings_of_stack() -> Settings:
    """What ``gpu-platform:settings`` says. Refused settings end the program with the report and nothing made."""
    raw = cast(object, pulumi.Config(_PROJECT).get_object("settings"))
    try:
        return accepted(raw)
    except RefusedError as refused:
        raise pulumi.RunError(str(refused)) from None
