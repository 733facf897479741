"""A page for each alert: what is happening, what to look at, what to do, and when it ends."""

from __future__ import annotations

import re

from cli.reference.markdown import code, generated, table
from cli.stacks import stack_file
from gpuplatform.accept import check_file
from gpuplatform.render.monitoring.alert import Alert, AlertSeverity
from gpuplatform.render.monitoring.stack import alerts

_SEVERITY_IN_WORDS = {
    AlertSeverity.PAGE: "wakes the person on call: work is failing now",
    AlertSeverity.TICKET: "is for the same day",
    AlertSeverity.NOTE: "is for information only",
}
_INDEX = """
Every alert links to its page by `runbook_url`. Set `monitoring.runbooks_url` to the address where your team reads this
repository. In commands, words in capitals stand for the alert's labels, or for output of an earlier command.

"""


def pages() -> dict[str, str]:
    """File name to text: a page for each alert of the prod stack, and their index."""
    settings = check_file(stack_file("prod")).settings
    assert settings is not None, "the prod stack is accepted"
    by_name = {alert.name: alert for alert in reversed(alerts(settings))}
    alerts_by_name = [by_name[name] for name in sorted(by_name)]
    rows = (
        (f"[{alert.name}]({alert.runbook})", alert.severity.value, _plain(alert.summary)) for alert in alerts_by_name
    )
    index = generated("Runbooks", "gpuplatform/render/monitoring") + _INDEX
    return {"README.md": index + table(("alert", "severity", "what is happening"), rows)} | {
        alert.runbook: _page(alert) for alert in alerts_by_name
    }


def _page(alert: Alert) -> str:
    commands = "".join(f"{command}\n" for command in alert.look)
    ending = (
        "Ends by itself within minutes of the last sample."
        if not alert.for_minutes
        else f"Fires when the condition has held for {alert.for_minutes} minutes without a break; ends with the first"
        " sample for which it does not hold."
    )
    return (
        generated(alert.name, "gpuplatform/render/monitoring")
        + f"\nSeverity {code(alert.severity.value)}: {_SEVERITY_IN_WORDS[alert.severity]}.\n"
        + f"\n## What is happening\n\n{_plain(alert.summary)}.\n"
        + f"\n## What to do\n\n{_plain(alert.description)}\n"
        + (f"\n## Where to look\n\n```sh\n{commands}```\n" if commands else "")
        + f"\n## How it is decided\n\n```promql\n{alert.expr}\n```\n\n{ending}\n"
        + ("\nShown for one pool; each pool has its own.\n" if "pool" in alert.labels else "")
        + "\n[All runbooks](README.md)\n"
    )


def _plain(text: str) -> str:
    """Prometheus' templates as words in capitals."""
    text_with_labels = re.sub(r"\{\{ \$labels\.(\w+) \}\}", lambda match: match[1].upper(), text)
    text_with_names = re.sub(r"\{\{ range .*?\{\{ end \}\}", "NAMES ", text_with_labels)
    return re.sub(r"\{\{ \$value[^}]*\}\}", "N", text_with_names)
