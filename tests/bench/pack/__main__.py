"""Starts a policy pack without checks, and never returns."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)


def silent(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    """Accept every resource."""


PolicyPack(
    "silent",
    [ResourceValidationPolicy(name="silent", description="Says nothing.", validate=silent)],
    enforcement_level=EnforcementLevel.MANDATORY,
)
