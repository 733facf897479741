"""Role bindings: a role is bound to named subjects, and no team gets a wide ClusterRole."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence

from gpuplatform.faults import Fault
from policies.cel import PLATFORMS_OWN
from policies.rule import Rule, Severity, StackRule
from policies.rules.tenancy import is_tenant, unnamed_secrets, wildcards
from policies.subject import NAMESPACE, SERVICE_ACCOUNT, UNKNOWN, Kind, Plain, Subject, at, known_items, quoted

CLUSTER_ROLE = Kind("rbac.authorization.k8s.io", "ClusterRole")
ROLE_BINDING = Kind("rbac.authorization.k8s.io", "RoleBinding")
CLUSTER_ROLE_BINDING = Kind("rbac.authorization.k8s.io", "ClusterRoleBinding")

_WHOLE_CLUSTER = "cluster-admin"
_READ_SECRETS = ("admin", "edit")
"""ClusterRoles of Kubernetes itself that read every secret of a namespace (same page, user-facing roles)."""
_ACCOUNT = "system:serviceaccount:"
"""How an account is written as a user, before its namespace and name."""
_UNNAMED_GROUPS = ("system:authenticated", "system:unauthenticated", "system:serviceaccounts", "system:masters", "*")
"""Groups of Kubernetes without named members (kubernetes.io/docs/reference/access-authn-authz/rbac)."""


def _unnamed_members(subject: Subject) -> Iterable[Fault]:
    faults: list[Fault] = []
    if at(subject.body, "roleRef", "name") == _WHOLE_CLUSTER:
        allowed = f"a role with the needed rights only: {_WHOLE_CLUSTER} may even change the platform's rules"
        faults.append(Fault("roleRef.name", quoted(_WHOLE_CLUSTER), allowed, "bind a role of the namespace"))
    for number, member in enumerate(known_items(subject.body.get("subjects"))):
        name = at(member, "name")
        if name is not UNKNOWN and (name in _UNNAMED_GROUPS or str(name).startswith("system:serviceaccounts:")):
            path, allowed = f"subjects[{number}].name", "a group, a user or an account by its own name"
            faults.append(Fault(path, quoted(name), allowed, "name who needs the role"))
    return faults


def _wide_roles(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    reasons: dict[str, str] = dict.fromkeys(_READ_SECRETS, "secrets without names")
    for subject in subjects:
        faults = [*wildcards(subject), *unnamed_secrets(subject)] if subject.is_a(CLUSTER_ROLE) else []
        if faults and subject.known_name is not None:
            reasons[subject.known_name] = f"{faults[0].path}: {faults[0].given}"
    teams = {subject.known_name for subject in subjects if subject.is_a(NAMESPACE) and is_tenant(subject)}
    for binding in (
        subject for subject in subjects if subject.is_a(ROLE_BINDING) or subject.is_a(CLUSTER_ROLE_BINDING)
    ):
        role = at(binding.body, "roleRef", "name")
        if at(binding.body, "roleRef", "kind") != CLUSTER_ROLE.name or not isinstance(role, str) or role not in reasons:
            continue
        for number, member in enumerate(known_items(binding.body.get("subjects"))):
            if _is_team_member(member, teams):
                given = f"{quoted(at(member, 'name'))}, who gets the ClusterRole {role} ({reasons[role]})"
                allowed = "a role that names its API groups, resources, verbs and secrets"
                change = "bind a Role of the namespace with what is needed, or narrow the ClusterRole"
                yield binding, Fault(f"subjects[{number}]", given, allowed, change)


def _is_team_member(member: Plain, teams: Container[str | None]) -> bool:
    """Whether it is a person, or an account of a namespace that is known as a team's: charts have accounts too."""
    kind, name, namespace = (at(member, part) for part in ("kind", "name", "namespace"))
    if not isinstance(name, str):
        return False
    if name.startswith(_ACCOUNT):
        return name.removeprefix(_ACCOUNT).partition(":")[0] in teams
    if kind == SERVICE_ACCOUNT.name:
        return isinstance(namespace, str) and namespace in teams
    return kind in ("Group", "User") and not name.startswith("system:")


BINDING_NAMED = Rule(
    name="binding-named",
    description="A role is bound to subjects by their names, and cluster-admin to no one.",
    severity=Severity.CRITICAL,
    remediation="Bind a Role of the namespace to a named group or account.",
    kinds=(ROLE_BINDING, CLUSTER_ROLE_BINDING),
    judge=_unnamed_members,
    admission=PLATFORMS_OWN,
)

BINDING_NARROW = StackRule(
    name="binding-narrow",
    description="No team gets a ClusterRole with a wildcard, or one that reads every secret.",
    severity=Severity.HIGH,
    remediation="Bind a Role of the namespace that names what is needed, or narrow the ClusterRole.",
    kinds=(CLUSTER_ROLE, ROLE_BINDING, CLUSTER_ROLE_BINDING, NAMESPACE),
    judge=_wide_roles,
)

RULES = (BINDING_NAMED,)
STACK_RULES = (BINDING_NARROW,)
