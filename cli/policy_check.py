"""Checks settings completely: with their own checks and analyses, and the rendered objects with the policy rules."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from gpuplatform.accept import Loaded, check_file
from gpuplatform.faults import Fault
from gpuplatform.outputs import PlatformOutputs, describe
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import Settings
from policies.judge import as_fault, judge_stack


def check_with_policies(path: Path, running: PlatformOutputs | None = None) -> Loaded:
    """The content of a stack file and all its faults; its settings are None if a fault refuses them.

    ``running`` is the document that the running stack published, if known: fixed labels must not differ from it. The
    policy rules see the rendered objects only if no other fault refuses the settings, because an incomplete stack
    breaks more rules.
    """
    loaded = check_file(path)
    if loaded.settings is None:
        return loaded
    faults = rule_faults(loaded.settings, running)
    return replace(loaded, settings=None, faults=(*loaded.faults, *faults)) if faults else loaded


def rule_faults(settings: Settings, running: PlatformOutputs | None = None) -> tuple[Fault, ...]:
    """What the policy rules refuse in the objects that accepted settings render, and in changes of published labels."""
    stack = render(settings)
    outputs = describe(settings, "").as_plain()
    findings = judge_stack(
        stack.documents,
        stack.values,
        stack.node_group_inputs,
        outputs,
        running.as_plain() if running else {},
    )
    return tuple(as_fault(finding) for finding in findings)
