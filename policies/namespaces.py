"""Namespaces that are the platform's own: what stands there needs the host, and no team may write there."""

from __future__ import annotations

from gpuplatform.standard import names, versions
from policies.subject import Subject

_PLATFORMS = frozenset({names.SYSTEM_NAMESPACE, *(chart.namespace for chart in versions.CHARTS.values())})


def is_platforms(subject: Subject) -> bool:
    """Whether an object names one of them; a team's manifest often names none, and is judged as a team's."""
    return subject.namespace in _PLATFORMS
