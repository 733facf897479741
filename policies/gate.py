"""Ends the program before its first resource if the stack breaks a rule, with or without the policy pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pulumi

from policies.judge import PlainObject, judge_stack, report
from policies.published import label_changes


def hold_to_the_rules(
    documents: Iterable[PlainObject],
    chart_values: Mapping[str, PlainObject],
    node_groups: Mapping[str, PlainObject],
    published: PlainObject,
    published_before: PlainObject,
) -> None:
    """End the program with every finding of ``judge_stack``, and every fixed label that is published and would change.

    The end is pulumi.RunError, which is shown without a traceback. ``published_before`` is empty before a first `up`.
    """
    findings = (
        *judge_stack(documents, chart_values, node_groups, published),
        *label_changes(published_before, published),
    )
    if findings:
        raise pulumi.RunError(report(findings))
