"""Starts a policy pack that judges nothing, and never returns."""

from pulumi_policy import (
    EnforcementLevel,
    PolicyPack,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
)


def silent(args: ResourceValidationArgs, report_violation: ReportViolation) -> None:
    """Say nothing of any resource."""


PolicyPack(
    "silent",
    [ResourceValidationPolicy(name="silent", description="Says nothing.", validate=silent)],
    enforcement_level=EnforcementLevel.MANDATORY,
)
