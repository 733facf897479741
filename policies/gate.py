"""Ends the program before its first resource if the stack breaks a rule, with or without the policy pack."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from policies.judge import report
from policies.rule import Finding


def require_no_findings(findings: Sequence[Finding]) -> None:
    """End the program with every finding, by pulumi.RunError, which the engine shows without a traceback."""
    if findings:
        raise pulumi.RunError(report(findings))
