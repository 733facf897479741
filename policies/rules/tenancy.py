"""Tenancy: a team's namespace has a quota, isolation, and no more rights than it needs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from gpuplatform.faults import Fault
from gpuplatform.standard import keys, resources
from policies.cel import PLATFORMS_OWN, Cel, NotInCluster, literal
from policies.pod import CARD_RESOURCES, NAMES_ALLOWED, names_cards
from policies.rule import Rule, Severity, StackRule
from policies.subject import (
    NAMESPACE,
    NETWORK_POLICY,
    RESOURCE_QUOTA,
    ROLE,
    SERVICE_ACCOUNT,
    UNKNOWN,
    Plain,
    Subject,
    Unknown,
    at,
    items,
    known_items,
    mapping_at,
    quoted,
    text,
)

PLATFORM = "gpu-platform"
"""Value of the part-of label on the namespaces that the platform makes for teams."""
_LEVELS = ("baseline", "restricted")
_SYSTEM_NAMESPACE = "kube-system"
_DIRECTIONS = ("Egress", "Ingress")
_QUOTA_PREFIX = resources.quota_key("")
_EVERY = "*"


def is_tenant(namespace: Subject) -> bool:
    """Whether a namespace is a team's; unknown labels tell nothing."""
    labels = mapping_at(namespace, "metadata", "labels")
    if isinstance(labels, Unknown):
        return False
    return keys.TEAM in labels or labels.get(keys.PART_OF) == PLATFORM


def _pod_security(subject: Subject) -> Iterable[Fault]:
    level = at(subject.body, "metadata", "labels", keys.POD_SECURITY_ENFORCE)
    if not is_tenant(subject) or level is UNKNOWN or level in _LEVELS:
        return []
    path = f"metadata.labels[{keys.POD_SECURITY_ENFORCE}]"
    change = f"add the label {keys.POD_SECURITY_ENFORCE} with the level {_LEVELS[0]}"
    return [Fault(path, quoted(level), " or ".join(_LEVELS), change)]


def _quota_keys(subject: Subject) -> Iterable[Fault]:
    hard = mapping_at(subject, "spec", "hard")
    if isinstance(hard, Unknown):
        return []
    faults: list[Fault] = []
    for key, amount in hard.items():
        resource = key.removeprefix("limits.").removeprefix(_QUOTA_PREFIX)
        quota_key = resources.quota_key(resource)
        if resources.is_card_resource(resource) and key != quota_key:
            allowed = f"{quota_key}: cards and slices are counted by their requests only"
            faults.append(Fault(f"spec.hard[{key}]", quoted(key), allowed, f"rename the key to {quota_key}"))
        elif names_cards(resource) and resource not in CARD_RESOURCES and text(amount) != "0":
            change = f"count {resources.quota_key(resources.GPU)}, or a slice as `gpuplatform block` names it"
            faults.append(Fault(f"spec.hard[{key}]", quoted(key), f"after {_QUOTA_PREFIX}: {NAMES_ALLOWED}", change))
    return faults


def _mounted_tokens(subject: Subject) -> Iterable[Fault]:
    token = at(subject.body, "automountServiceAccountToken")
    if subject.namespace == _SYSTEM_NAMESPACE or token is UNKNOWN or token is False:
        return []
    return [
        Fault(
            "automountServiceAccountToken",
            quoted(token),
            "false, as a field (an annotation of that name does nothing): pods that need the API ask for a token",
            "set automountServiceAccountToken: false on the ServiceAccount itself",
        )
    ]


def wildcards(subject: Subject) -> list[Fault]:
    """The faults of a role that uses ``*`` instead of names."""
    return [
        Fault(f"{path}.{part}", quoted(_EVERY), "names instead of *", f"list the {part} that are needed")
        for path, rule in _role_rules(subject)
        for part in ("apiGroups", "resources", "verbs")
        if _EVERY in _texts(at(rule, part))
    ]


def unnamed_secrets(subject: Subject) -> list[Fault]:
    """The faults of a role that gives access to secrets without their names."""
    faults: list[Fault] = []
    for path, rule in _role_rules(subject):
        names = items(at(rule, "resourceNames"))
        if "secrets" in _texts(at(rule, "resources")) and not isinstance(names, Unknown) and not names:
            allowed = "resourceNames beside secrets: without them the role reads every secret of the namespace"
            faults.append(Fault(f"{path}.resourceNames", "nothing", allowed, "name the secrets that may be read"))
    return faults


def _role_rules(subject: Subject) -> list[tuple[str, Plain]]:
    return [(f"rules[{number}]", rule) for number, rule in enumerate(known_items(subject.body.get("rules")))]


def _texts(value: Plain) -> list[str | Unknown | None]:
    return [text(item) for item in known_items(value)]


def _missing_quota(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    def counts_cards(subject: Subject) -> bool:
        hard = mapping_at(subject, "spec", "hard")
        return isinstance(hard, Unknown) or any(
            key.startswith(_QUOTA_PREFIX) and resources.is_card_resource(key.removeprefix(_QUOTA_PREFIX))
            for key in hard
        )

    fault = Fault(
        "ResourceQuota",
        "no ResourceQuota for cards or slices",
        f'a ResourceQuota with {resources.quota_key(resources.GPU)}, "0" if the team may have no cards',
        f"add a ResourceQuota with {resources.quota_key(resources.GPU)} in spec.hard",
    )
    return faults_without(subjects, RESOURCE_QUOTA.name, counts_cards, fault)


def _missing_denial(subjects: Sequence[Subject]) -> Iterable[tuple[Subject, Fault]]:
    fault = Fault(
        "NetworkPolicy",
        "no policy that denies all traffic",
        "a NetworkPolicy with an empty podSelector, both policyTypes and no rules; other policies then allow traffic",
        "add the policy: podSelector: {}, policyTypes: [Ingress, Egress]",
    )
    return faults_without(subjects, NETWORK_POLICY.name, _denies_everything, fault)


def _denies_everything(policy: Subject) -> bool:
    spec = mapping_at(policy, "spec")
    if isinstance(spec, Unknown):
        return True
    parts = [at(spec, part) for part in ("podSelector", "policyTypes", "ingress", "egress")]
    selector, types, *rules = parts
    if UNKNOWN in (*parts, *_texts(types)):
        return True
    selects_all = selector in ({}, {"matchLabels": {}})
    return selects_all and sorted(str(part) for part in _texts(types)) == list(_DIRECTIONS) and not any(rules)


def faults_without(
    subjects: Sequence[Subject], kind: str, is_sufficient: Callable[[Subject], bool], fault: Fault
) -> list[tuple[Subject, Fault]]:
    """The fault for every team's namespace without an object of the kind that serves."""
    of_kind = [subject for subject in subjects if subject.kind == kind]
    if any(
        at(candidate.body, "metadata", "namespace") is UNKNOWN or candidate.body.get("metadata") is UNKNOWN
        for candidate in of_kind
    ):
        return []
    namespaces = {candidate.namespace for candidate in of_kind if is_sufficient(candidate)}
    tenants = [subject for subject in subjects if subject.is_a(NAMESPACE) and is_tenant(subject)]
    return [
        (tenant, fault) for tenant in tenants if tenant.known_name is not None and tenant.known_name not in namespaces
    ]


TENANT_POD_SECURITY = Rule(
    name="tenant-pod-security",
    description="A team's namespace enforces a level of the Pod Security standard.",
    severity=Severity.HIGH,
    remediation=f"Label the namespace with {keys.POD_SECURITY_ENFORCE}: baseline or restricted.",
    kinds=(NAMESPACE,),
    judge=_pod_security,
    admission=Cel(f'variables.labels[?"{keys.POD_SECURITY_ENFORCE}"].orValue("") in {literal(_LEVELS)}'),
)

QUOTA_KEYS = Rule(
    name="quota-keys",
    description="A quota names cards and slices by their requests and as nodes offer them; nothing else is counted.",
    severity=Severity.HIGH,
    remediation=f"Write {resources.quota_key(resources.GPU)} instead of {resources.GPU}.",
    kinds=(RESOURCE_QUOTA,),
    judge=_quota_keys,
    admission=PLATFORMS_OWN,
)

SERVICE_ACCOUNT_TOKEN_OFF = Rule(
    name="service-account-token-off",
    description="A service account hands no token to pods that did not ask for one.",
    severity=Severity.MEDIUM,
    remediation="Set the field automountServiceAccountToken: false on the ServiceAccount.",
    kinds=(SERVICE_ACCOUNT,),
    judge=_mounted_tokens,
    admission=NotInCluster("Kubernetes itself makes an account without the field in every namespace"),
)

ROLE_WITHOUT_WILDCARDS = Rule(
    name="role-without-wildcards",
    description="A role names its API groups, resources and verbs.",
    severity=Severity.HIGH,
    remediation="List what the role needs instead of *.",
    kinds=(ROLE,),
    judge=wildcards,
    admission=PLATFORMS_OWN,
)

SECRETS_BY_NAME = Rule(
    name="secrets-by-name",
    description="A role reads secrets by their names only.",
    severity=Severity.HIGH,
    remediation="Add resourceNames with the secrets that may be read.",
    kinds=(ROLE,),
    judge=unnamed_secrets,
    admission=PLATFORMS_OWN,
)

TENANT_QUOTA = StackRule(
    name="tenant-quota",
    description="Every team's namespace has a quota in cards or slices.",
    severity=Severity.HIGH,
    remediation=f"Add a ResourceQuota with {resources.quota_key(resources.GPU)} to the namespace.",
    kinds=(NAMESPACE, RESOURCE_QUOTA),
    judge=_missing_quota,
)

TENANT_DEFAULT_DENY = StackRule(
    name="tenant-default-deny",
    description="Every team's namespace denies traffic that no policy allows, in both directions.",
    severity=Severity.HIGH,
    remediation="Add a NetworkPolicy with an empty podSelector, both policyTypes and no rules.",
    kinds=(NAMESPACE, NETWORK_POLICY),
    judge=_missing_denial,
)

RULES = (TENANT_POD_SECURITY, QUOTA_KEYS, SERVICE_ACCOUNT_TOKEN_OFF, ROLE_WITHOUT_WILDCARDS, SECRETS_BY_NAME)
STACK_RULES = (TENANT_QUOTA, TENANT_DEFAULT_DENY)
