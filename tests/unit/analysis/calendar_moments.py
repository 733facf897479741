"""What the calendar says of NodePools at moments around every change, for the real code to agree with.

``sandbox/karpenter/calendar_test.go`` reads the file and asks Karpenter's own package the same questions.
"""

from __future__ import annotations

import datetime
import json
from pathlib import Path

from gpuplatform.analysis.disruption.week import allowed_at, budgets_of, stretches
from gpuplatform.render.document import Document, kubernetes_object, name_of
from gpuplatform.render.stack import render
from gpuplatform.standard.markets import Reason
from tests.builders import STACKS, stack_settings

FILE = Path(__file__).parents[3] / "sandbox/karpenter/testdata/calendar.json"
MONDAY = datetime.datetime(2026, 11, 23, tzinfo=datetime.UTC)
SECOND = datetime.timedelta(seconds=1)

SHARES: Document = {
    "budgets": [
        {"nodes": "5%"},
        {"nodes": "34%", "reasons": ["Drifted"], "schedule": "15 8-17/3 * * 1-5", "duration": "1h30m"},
        {"nodes": "0", "reasons": ["Empty"], "schedule": "0 6 1,25 * 0", "duration": "45m"},
        {"nodes": "100%", "reasons": ["Underutilized"], "schedule": "*/20 * */1 * *", "duration": "0h7m0s"},
    ]
}
"""What our pools do not use: shares of the nodes, steps, both kinds of days, windows that meet."""
ONE_REASON: Document = {"budgets": [{"nodes": "2", "reasons": ["Empty"]}]}
OF_NODES = (1, 7, 30)


def nodepools() -> dict[str, Document]:
    """NodePools by a name, each way of disruption once."""
    by_name: dict[str, Document] = {}
    for stack in STACKS:
        for document in (rendered.node_pool for rendered in render(stack_settings(stack)).node_pools):
            if all(document["spec"]["disruption"] != other["spec"]["disruption"] for other in by_name.values()):  # type: ignore[index]
                by_name[f"{stack}/{name_of(document)}"] = document
    for name, disruption in (("shares", SHARES), ("one-reason", ONE_REASON)):
        by_name[name] = kubernetes_object("karpenter.sh/v1", "NodePool", name, spec={"disruption": disruption})
    return by_name


def text() -> str:
    """The file."""
    return json.dumps([_answers(name, document) for name, document in nodepools().items()], indent=1) + "\n"


def _answers(name: str, document: Document) -> dict[str, object]:
    budgets = budgets_of(document)
    moments = {MONDAY, MONDAY + datetime.timedelta(days=40, minutes=3)}
    for reason in Reason:
        for stretch in stretches(budgets, reason, MONDAY, 10)[:12]:
            moments |= {stretch.start, stretch.start - SECOND, stretch.start + 29 * SECOND}
    return {
        "name": name,
        "nodePool": document,
        "answers": [
            {
                "at": at.isoformat(),
                "nodes": nodes,
                "reason": reason.value,
                "allowed": allowed_at(budgets, reason, at, nodes),
            }
            for at in sorted(moments)
            for nodes in (OF_NODES if name == "shares" else OF_NODES[:1])
            for reason in Reason
        ],
    }
