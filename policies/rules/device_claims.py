"""Administrators' access to devices: a claim for cards that other pods already hold, which no quota counts.

Kubernetes accepts such a claim only in a namespace with a label for it (k8s.io/kubernetes v1.35.4,
pkg/registry/resource/utils.go, AuthorizedForAdmin; gate DRAAdminAccess, on since 1.34). One rule refuses the label on a
team's namespace, the other refuses the claim there, with or without the label. A request of ``firstAvailable`` has no
such field (k8s.io/api v0.35.4, resource/v1/types.go, DeviceSubRequest).
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from gpuplatform.standard import keys
from policies.cel import Cel, literal
from policies.rule import Rule, Severity
from policies.rules.tenancy import is_tenant
from policies.subject import (
    NAMESPACE,
    RESOURCE_CLAIM,
    RESOURCE_CLAIM_TEMPLATE,
    UNKNOWN,
    Subject,
    at,
    known_items,
    quoted,
)
from policies.workloads import is_platforms

_FIELD = "adminAccess"
_HOLDERS = ("exactly",), ()
"""Where a request has the field: resource.k8s.io/v1 and v1beta2, then v1beta1 (k8s.io/api v0.35.4, resource)."""


def _claims(subject: Subject) -> Iterable[Fault]:
    if is_platforms(subject):
        return []
    spec = ("spec", "spec") if subject.is_a(RESOURCE_CLAIM_TEMPLATE) else ("spec",)
    return [
        Fault(
            ".".join((*spec, "devices", f"requests[{number}]", *holder, _FIELD)),
            quoted(access),
            "no administrator's access: with it a pod uses the cards of another pod, and no quota counts them",
            f"remove {_FIELD}",
        )
        for number, request in enumerate(known_items(at(subject.body, *spec, "devices", "requests")))
        for holder in _HOLDERS
        if (access := at(request, *holder, _FIELD)) not in (None, False, UNKNOWN)
    ]


def _label(subject: Subject) -> Iterable[Fault]:
    value = at(subject.body, "metadata", "labels", keys.DEVICE_ADMIN_ACCESS)
    if not is_tenant(subject) or value != "true":
        return []
    path = f"metadata.labels[{keys.DEVICE_ADMIN_ACCESS}]"
    allowed = f"no such label: with it a claim may ask for {_FIELD}, which takes cards that others hold"
    return [Fault(path, quoted(value), allowed, "remove the label")]


_REQUESTS = (
    '(object.kind == "ResourceClaimTemplate" ? dyn(object).spec.spec : dyn(object).spec).?devices.?requests.orValue([])'
)

CLAIM_WITHOUT_ADMIN_ACCESS = Rule(
    name="claim-without-admin-access",
    description="No claim of a team asks for an administrator's access to devices.",
    severity=Severity.CRITICAL,
    remediation=f"Remove {_FIELD} from the claim's requests.",
    kinds=(RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE),
    judge=_claims,
    admission=Cel(
        f"!{_REQUESTS}.exists(r, r.?exactly.?{_FIELD}.orValue(false) || r.?{_FIELD}.orValue(false))",
    ),
)

TENANT_WITHOUT_ADMIN_ACCESS = Rule(
    name="tenant-without-admin-access",
    description="A team's namespace does not carry the label that lets claims ask for an administrator's access.",
    severity=Severity.HIGH,
    remediation=f"Remove the label {keys.DEVICE_ADMIN_ACCESS} from the namespace.",
    kinds=(NAMESPACE,),
    judge=_label,
    admission=Cel(f'variables.labels[?{literal(keys.DEVICE_ADMIN_ACCESS)}].orValue("") != "true"'),
)

RULES = (CLAIM_WITHOUT_ADMIN_ACCESS, TENANT_WITHOUT_ADMIN_ACCESS)
