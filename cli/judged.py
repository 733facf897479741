"""Settings judged whole: by their own checks and proofs, and what they render by the policy rules."""

from __future__ import annotations

from pathlib import Path

from gpuplatform.accept import check_file
from gpuplatform.faults import Fault
from gpuplatform.outputs import PlatformOutputs, describe
from gpuplatform.render.stack import render
from gpuplatform.settings.load import Loaded
from gpuplatform.settings.settings import Settings
from policies.published import label_changes
from policies.stack import as_fault, judge_stack


def judged_file(path: Path, before: PlatformOutputs | None = None) -> Loaded:
    """What a stack file says, and every fault of it; its settings are None where anything refuses them.

    ``before`` is what the running stack published, where that is known: its fixed labels are held against it.
    What settings render is judged only where nothing else refuses them: half a stack breaks rules that the whole keeps.
    """
    loaded = check_file(path)
    if loaded.settings is None:
        return loaded
    faults = rule_faults(loaded.settings, before)
    return Loaded(None, loaded.draft, (*loaded.faults, *faults)) if faults else loaded


def rule_faults(settings: Settings, before: PlatformOutputs | None = None) -> tuple[Fault, ...]:
    """What the policy rules refuse in everything that accepted settings render, and in what that changes."""
    rendered = render(settings)
    published = describe(settings, "").as_plain()
    findings = (
        *judge_stack(rendered.documents, rendered.values, rendered.node_group_inputs, published),
        *(label_changes(before.as_plain(), published) if before else ()),
    )
    return tuple(as_fault(finding) for finding in findings)
