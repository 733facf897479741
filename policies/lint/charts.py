"""Objects that stand for a chart's values: what they say is judged by the rules about the chart.

A team that runs Flux or Argo CD, or writes the GPU Operator's own ClusterPolicy, chooses the same values another way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from policies.rules.operator_objects import CLUSTER_POLICY
from policies.subject import UNKNOWN, Kind, Plain, Subject, at, of_release

_GPU_OPERATOR = "gpu-operator"
_SUBCHART = "node-feature-discovery"


@dataclass(frozen=True, slots=True)
class _Form:
    """Where a kind of object names a chart and gives its values."""

    chart: str
    values: str
    elsewhere: tuple[str, ...]
    """Where it may name further values that stand in another file: then nothing is known of the whole."""


_FORMS = {
    Kind("helm.toolkit.fluxcd.io", "HelmRelease"): _Form("spec.chart.spec.chart", "spec.values", ("spec.valuesFrom",)),
    Kind("argoproj.io", "Application"): _Form(
        "spec.source.chart",
        "spec.source.helm.valuesObject",
        tuple(f"spec.source.helm.{each}" for each in ("values", "valueFiles", "parameters")),
    ),
}


@dataclass(frozen=True, slots=True)
class ChartValues:
    """A release that an object stands for."""

    release: Subject
    values_path: str
    """Where the values are in the object."""

    def path_in_object(self, path: str) -> str:
        """The path of a fault about the release, which begins with ``values``, in the object itself."""
        return self.values_path + path.removeprefix("values") if path.startswith("values") else path


def chart_values(subject: Subject) -> ChartValues | None:
    """The release that an object stands for, None where it stands for none or not all of its values are here."""
    if subject.is_a(CLUSTER_POLICY):
        # The subchart's values have no place in a ClusterPolicy, so nothing is known of them.
        spec = subject.body.get("spec")
        return _release(_GPU_OPERATOR, {**(spec if isinstance(spec, Mapping) else {}), _SUBCHART: UNKNOWN}, "spec")
    for kind, form in _FORMS.items():
        if subject.is_a(kind):
            chart, values = at(subject.body, *form.chart.split(".")), at(subject.body, *form.values.split("."))
            if not isinstance(chart, str) or any(at(subject.body, *each.split(".")) for each in form.elsewhere):
                return None
            return _release(chart, values if isinstance(values, Mapping) else {}, form.values)
    return None


def _release(chart: str, values: Mapping[str, Plain], values_path: str) -> ChartValues:
    return ChartValues(of_release(chart, values), values_path)
