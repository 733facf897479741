"""The gate of the program: a stack that breaks a rule ends it before the first resource, with or without a pack."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pulumi

from policies.published import label_changes
from policies.stack import PlainObject, judge_stack, report


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
