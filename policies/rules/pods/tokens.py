"""The service account's token: a field turns it off, and an annotation of the same name has no effect."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import Cel, literal
from policies.rule import Rule, Severity
from policies.subject import SERVICE_ACCOUNT, UNKNOWN, Plain, Subject, Unknown, at, mapping, quoted
from policies.workloads import WORKLOAD_KINDS, pod_templates

_FIELD = "automountServiceAccountToken"


def _annotations(subject: Subject) -> Iterable[Fault]:
    places: list[tuple[str, str, Plain]] = [("metadata", "the object", at(subject.body, "metadata"))]
    places += [
        (pod.metadata_path, "the pod's spec", pod.metadata)
        for pod in pod_templates(subject)
        if pod.metadata_path != "metadata"
    ]
    faults: list[Fault] = []
    for path, holder, metadata in places:
        annotations = mapping(at(metadata, "annotations"))
        if isinstance(annotations, Unknown) or _FIELD not in annotations or annotations[_FIELD] is UNKNOWN:
            continue
        faults.append(
            Fault(
                f"{path}.annotations[{_FIELD}]",
                quoted(annotations[_FIELD]),
                "no such annotation: Kubernetes does not read it, and still mounts the token",
                f"remove it, and set the field {_FIELD}: false in {holder}",
            )
        )
    return faults


TOKEN_FIELD_NOT_ANNOTATION = Rule(
    name="token-field-not-annotation",
    description=f"{_FIELD} is set as a field, not as an annotation.",
    severity=Severity.MEDIUM,
    remediation=f"Remove the annotation and set the field {_FIELD}: false.",
    kinds=(SERVICE_ACCOUNT, *WORKLOAD_KINDS),
    judge=_annotations,
    admission=Cel(
        f"!({literal(_FIELD)} in variables.annotations)",
        gap="a service account, which teams may not write",
    ),
)

RULES = (TOKEN_FIELD_NOT_ANNOTATION,)
