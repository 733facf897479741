"""Reads the chart values that an object sets, so that the rules about a chart judge them.

Objects of Flux and Argo CD set values of a chart; so does the GPU Operator's ClusterPolicy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from policies.lint.reading import Document, documents
from policies.rules.operator_values import CLUSTER_POLICY
from policies.subject import UNKNOWN, Kind, Plain, Subject, at, known_items, of_release, text

_GPU_OPERATOR = "gpu-operator"
_SUBCHART = "node-feature-discovery"
_FLUX = Kind("helm.toolkit.fluxcd.io", "HelmRelease")
_ARGO = Kind("argoproj.io", "Application")
_SEPARATOR = re.compile(r"(?<!\\)\.")
_LITERALS: Mapping[str, Plain] = {"true": True, "false": False, "null": None}
"""How Helm reads a parameter's text, unless it is forced to stay a string."""


@dataclass(frozen=True, slots=True)
class ChartValues:
    """A release that an object describes."""

    release: Subject
    values_path: str
    """Where the values are in the object."""
    other_paths: Mapping[str, str] = field(default_factory=dict[str, str])
    """Values in another part of the object, by their path in the release."""

    def path_in_object(self, path: str) -> str:
        """The path of a fault about the release, which begins with ``values``, in the object itself."""
        if path in self.other_paths:
            return self.other_paths[path]
        return self.values_path + path.removeprefix("values") if path.startswith("values") else path


class _PartialValues(Mapping[str, Plain]):
    """Values in the object while others are in separate files: a missing value is therefore unknown.

    In Flux and Argo CD the values in the object override those in files.
    """

    def __init__(self, values: Mapping[str, Plain]) -> None:
        self._values = values

    def __getitem__(self, key: str) -> Plain:
        value = self._values.get(key, UNKNOWN)
        return _PartialValues(value) if isinstance(value, Mapping) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)


def chart_values(subject: Subject) -> Iterator[ChartValues]:
    """The releases that an object describes."""
    if subject.is_a(CLUSTER_POLICY):
        # The subchart's values have no place in a ClusterPolicy, so nothing is known of them.
        yield _release(_GPU_OPERATOR, {**_mapping(subject.body.get("spec")), _SUBCHART: UNKNOWN}, "spec")
    elif subject.is_a(_FLUX):
        chart, values = at(subject.body, "spec", "chart", "spec", "chart"), _mapping(at(subject.body, "spec", "values"))
        if isinstance(chart, str):
            files = at(subject.body, "spec", "valuesFrom")
            yield _release(chart, _PartialValues(values) if files else values, "spec.values")
    elif subject.is_a(_ARGO):
        yield from _application_charts(subject)


def _application_charts(subject: Subject) -> Iterator[ChartValues]:
    """A release for each source that is a chart; Argo CD reads ``source`` only if there are no ``sources``."""
    listed = known_items(at(subject.body, "spec", "sources"))
    sources = {f"spec.sources[{number}]": source for number, source in enumerate(listed)}
    for path, source in (sources or {"spec.source": at(subject.body, "spec", "source")}).items():
        chart = at(source, "chart")
        if isinstance(chart, str):
            yield _source_chart(chart, at(source, "helm"), f"{path}.helm")


def _source_chart(chart: str, helm: Plain, path: str) -> ChartValues:
    as_object, as_text = at(helm, "valuesObject"), at(helm, "values")
    if as_object is None and as_text is not None:
        given_values, values_path = _yaml_mapping(as_text), f"{path}.values"
    else:
        given_values, values_path = _mapping(as_object), f"{path}.valuesObject"
    values: Mapping[str, Plain] = given_values or {}
    other_paths: dict[str, str] = {}
    for number, parameter in enumerate(known_items(at(helm, "parameters"))):
        keys, value = _keys(at(parameter, "name")), _parameter_value(parameter)
        values = _with_value(values, keys, value)
        other_paths[".".join(("values", *keys))] = f"{path}.parameters[{number}].value"
    for parameter in known_items(at(helm, "fileParameters")):
        values = _with_value(values, _keys(at(parameter, "name")), UNKNOWN)
    if given_values is None or at(helm, "valueFiles"):
        values = _PartialValues(values)
    return _release(chart, values, values_path, other_paths)


def _release(
    chart: str, values: Mapping[str, Plain], values_path: str, other_paths: Mapping[str, str] | None = None
) -> ChartValues:
    release = replace(of_release(chart, {}), body={"chart": chart, "values": values})
    return ChartValues(release, values_path, other_paths or {})


def _mapping(value: Plain) -> Mapping[str, Plain]:
    return value if isinstance(value, Mapping) else {}


def _yaml_mapping(value: Plain) -> Mapping[str, Plain] | None:
    """Values that are the text of a YAML document; None if it cannot be read."""
    contents = list(documents(value)) if isinstance(value, str) else [None]
    if not contents:
        return {}
    first = contents[0]
    return first.body if isinstance(first, Document) and isinstance(first.body, Mapping) else None


def _keys(name: Plain) -> tuple[str, ...]:
    """The keys that a parameter's name leads through, as far as the first position in a list."""
    path = text(name)
    before_brackets = path.partition("[")[0] if isinstance(path, str) else ""
    return tuple(part.replace("\\.", ".") for part in _SEPARATOR.split(before_brackets))


def _parameter_value(parameter: Plain) -> Plain:
    """A parameter's value as Helm reads it from a command line; UNKNOWN if it is a list or a part of one."""
    name, value = text(at(parameter, "name")), text(at(parameter, "value"))
    if not isinstance(name, str) or not isinstance(value, str) or "[" in name or value.startswith("{"):
        return UNKNOWN
    return value if at(parameter, "forceString") is True else _LITERALS.get(value, value)


def _with_value(values: Mapping[str, Plain], keys: tuple[str, ...], value: Plain) -> dict[str, Plain]:
    """The values with one of them set."""
    key, *rest = keys
    return {**values, key: _with_value(_mapping(values.get(key)), tuple(rest), value) if rest else value}
