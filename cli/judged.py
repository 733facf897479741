"""Checks settings completely: with their own checks and analyses, and the rendered objects with the policy rules."""

from __future__ import annotations

from pathlib import Path

from gpuplatform.accept import Loaded, check_file
from gpuplatform.faults import Fault
from gpuplatform.outputs import PlatformOutputs, describe
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from policies.judge import as_fault, judge_stack


def judged_file(path: Path, before: PlatformOutputs | None = None) -> Loaded:
    """The content of a stack file and all its faults; its settings are None if a fault refuses them.

    ``before`` is what the running stack published, if known: fixed labels must not differ from it. The policy rules see
    the rendered objects only if no other fault refuses the settings, because an incomplete stack breaks more rules.
    """
    loaded = check_file(path)
    if loaded.settings is None:
        return loaded
    faults = rule_faults(loaded.settings, before)
    return Loaded(None, loaded.draft, (*loaded.faults, *faults)) if faults else loaded


def rule_faults(settings: Settings, before: PlatformOutputs | None = None) -> tuple[Fault, ...]:
    """What the policy rules refuse in the objects that accepted settings render, and in changes of published labels."""
    rendered = render(settings)
    published = describe(settings, "").as_plain()
    findings = judge_stack(
        rendered.documents,
        rendered.values,
        rendered.node_group_inputs,
        published,
        before.as_plain() if before else {},
    )
    return tuple(as_fault(finding) for finding in findings)
