"""Bindings: who has a role is named, and no team has the cluster (Q10)."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.faults import Fault
from policies.cel import PLATFORMS_OWN
from policies.rule import Rule, Severity
from policies.subject import UNKNOWN, Kind, Subject, Unknown, at, items_at, quoted

ROLE_BINDING = Kind("rbac.authorization.k8s.io", "RoleBinding")
CLUSTER_ROLE_BINDING = Kind("rbac.authorization.k8s.io", "ClusterRoleBinding")

_WHOLE_CLUSTER = "cluster-admin"
_EVERYBODY = ("system:authenticated", "system:unauthenticated", "system:serviceaccounts", "system:masters", "*")
"""Groups of Kubernetes that nobody is put into by name (kubernetes.io/docs/reference/access-authn-authz/rbac)."""


def _named(subject: Subject) -> Iterable[Fault]:
    faults: list[Fault] = []
    if at(subject.body, "roleRef", "name") == _WHOLE_CLUSTER:
        allowed = f"a role of what is needed: {_WHOLE_CLUSTER} may do everything, the platform's rules included"
        faults.append(Fault("roleRef.name", quoted(_WHOLE_CLUSTER), allowed, "bind a role of the namespace"))
    listed = items_at(subject, "subjects")
    for number, each in enumerate(() if isinstance(listed, Unknown) else listed):
        name = at(each, "name")
        if name is not UNKNOWN and (name in _EVERYBODY or str(name).startswith("system:serviceaccounts:")):
            path, allowed = f"subjects[{number}].name", "a group, a user or an account by its own name"
            faults.append(Fault(path, quoted(name), allowed, "name who needs the role"))
    return faults


BINDING_NAMED = Rule(
    name="binding-named",
    description="A role is bound to somebody by name, and cluster-admin to nobody.",
    severity=Severity.CRITICAL,
    remediation="Bind a Role of the namespace to a named group or account.",
    kinds=(ROLE_BINDING, CLUSTER_ROLE_BINDING),
    judge=_named,
    admission=PLATFORMS_OWN,
)

RULES = (BINDING_NAMED,)
