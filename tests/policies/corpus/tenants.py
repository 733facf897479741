"""Ways to break a team's namespace, a priority class and the cluster."""

from __future__ import annotations

from policies.rules.cluster import (
    CLUSTER_ACCESS_BY_API,
    CLUSTER_ENDPOINT_NAMED,
    CLUSTER_LOGS_COMPLETE,
    CLUSTER_SECRETS_ENCRYPTED,
)
from policies.rules.priorities import PRIORITY_CLASS_NOT_DEFAULT, PRIORITY_CLASS_STANDARD
from policies.rules.tenancy import (
    QUOTA_KEYS,
    ROLE_WITHOUT_WILDCARDS,
    SECRETS_BY_NAME,
    SERVICE_ACCOUNT_TOKEN_OFF,
    TENANT_DEFAULT_DENY,
    TENANT_POD_SECURITY,
    TENANT_QUOTA,
)
from tests.policies.documents import (
    GONE,
    a_cluster,
    a_default_deny,
    a_namespace,
    a_priority_class,
    a_quota,
    a_role,
    a_service_account,
    but,
)
from tests.policies.harness import Case, case

_LEVEL = "pod-security.kubernetes.io/enforce"
_HARD = ("spec", "hard")
_VPC = "vpcConfig"
_ANYTHING: dict[str, object] = {}
_OF_THE_PLATFORM = but(a_namespace(), "metadata", "labels", {"app.kubernetes.io/part-of": "gpu-platform"})

CASES: tuple[Case, ...] = (
    case(
        TENANT_POD_SECURITY,
        "no level",
        but(a_namespace(), "metadata", "labels", _LEVEL, GONE),
        f"add the label {_LEVEL}",
    ),
    case(
        TENANT_POD_SECURITY,
        "everything allowed",
        but(a_namespace(), "metadata", "labels", _LEVEL, "privileged"),
        "'privileged'",
        "baseline",
    ),
    case(TENANT_POD_SECURITY, "a namespace of the platform's", _OF_THE_PLATFORM, "baseline"),
    *(
        case(QUOTA_KEYS, key, but(a_quota(), *_HARD, key, "4"), f"rename the key to {right}")
        for key, right in (
            ("nvidia.com/gpu", "requests.nvidia.com/gpu"),
            ("limits.nvidia.com/gpu", "requests.nvidia.com/gpu"),
            ("nvidia.com/mig-1g.10gb", "requests.nvidia.com/mig-1g.10gb"),
        )
    ),
    *(
        case(QUOTA_KEYS, f"what nobody offers: {key}", but(a_quota(), *_HARD, key, "4"), says)
        for key, says in (
            ("requests.nvidia.com/mig-1g.7gb", "a profile that some card has"),
            ("requests.nvidia.com/mig-1g.10gb+me", "a profile that some card has"),
            ("requests.nvidia.com/gpu.shared", "count requests.nvidia.com/gpu"),
        )
    ),
    *(
        case(
            SERVICE_ACCOUNT_TOKEN_OFF,
            broken,
            but(a_service_account(), "automountServiceAccountToken", value),
            "set automountServiceAccountToken: false",
        )
        for broken, value in (("a token for all", True), ("left to the default", GONE))
    ),
    case(
        SERVICE_ACCOUNT_TOKEN_OFF,
        "an annotation instead of the field",
        but(
            but(a_service_account(), "automountServiceAccountToken", GONE),
            "metadata",
            "annotations",
            {"automountServiceAccountToken": "false"},
        ),
        "as a field",
    ),
    *(
        case(
            ROLE_WITHOUT_WILDCARDS,
            f"every {part}",
            but(a_role(), "rules", 0, part, ["*"]),
            f"rules[0].{part}",
            "list the",
        )
        for part in ("apiGroups", "resources", "verbs")
    ),
    *(
        case(SECRETS_BY_NAME, broken, but(a_role(), "rules", 1, "resourceNames", value), "name the secrets")
        for broken, value in (("every secret", GONE), ("an empty list", list[str]()))
    ),
    case(TENANT_QUOTA, "no quota", [a_namespace(), a_default_deny()], "add a ResourceQuota"),
    case(
        TENANT_QUOTA,
        "a quota that counts no card",
        [a_namespace(), but(a_quota(), *_HARD, {"nvidia.com/gpu": "8", "pods": "5"})],
        "requests.nvidia.com/gpu",
    ),
    case(
        TENANT_QUOTA,
        "the quota of another namespace",
        [a_namespace(), but(a_quota(), "metadata", "namespace", "ml-training")],
        "add a ResourceQuota",
    ),
    case(TENANT_DEFAULT_DENY, "no policy", [a_namespace(), a_quota()], "add the policy: podSelector"),
    *(
        case(
            TENANT_DEFAULT_DENY,
            broken,
            [a_namespace(), but(a_default_deny(), "spec", part, value)],
            "denies all traffic",
            "add the policy",
        )
        for broken, part, value in (
            ("one direction only", "policyTypes", ["Ingress"]),
            ("some pods only", "podSelector", {"matchLabels": {"app": "a"}}),
            ("with a hole", "egress", [_ANYTHING]),
        )
    ),
    case(PRIORITY_CLASS_STANDARD, "another value", but(a_priority_class(), "value", 10), "set value to 1000000"),
    case(
        PRIORITY_CLASS_STANDARD,
        "it may not preempt",
        but(a_priority_class(), "preemptionPolicy", "Never"),
        "set it to PreemptLowerPriority",
    ),
    case(
        PRIORITY_CLASS_NOT_DEFAULT,
        "the default",
        but(a_priority_class(), "globalDefault", True),
        "globalDefault: false",
    ),
    *(
        case(CLUSTER_ENDPOINT_NAMED, broken, but(a_cluster(), _VPC, "publicAccessCidrs", value), "name")
        for broken, value in (
            ("open to the world", ["0.0.0.0/0"]),
            ("open to half the world", ["203.0.113.0/24", "128.0.0.0/1"]),
            ("open to the world by IPv6", ["::/0"]),
            ("not an address", ["office"]),
            ("not said", GONE),
        )
    ),
    case(CLUSTER_ENDPOINT_NAMED, "nothing said", but(a_cluster(), _VPC, {}), "close the public endpoint"),
    case(
        CLUSTER_SECRETS_ENCRYPTED,
        "no key",
        but(a_cluster(), "encryptionConfig", GONE),
        "name a KMS key",
        "add secrets",
    ),
    case(CLUSTER_SECRETS_ENCRYPTED, "no secrets", but(a_cluster(), "encryptionConfig", "resources", []), "add secrets"),
    *(
        case(
            CLUSTER_ACCESS_BY_API,
            broken,
            but(a_cluster(), "accessConfig", "authenticationMode", value),
            "set authenticationMode to API",
        )
        for broken, value in (("by ConfigMap too", "API_AND_CONFIG_MAP"), ("not said", GONE))
    ),
    case(CLUSTER_LOGS_COMPLETE, "one is missing", but(a_cluster(), "enabledClusterLogTypes", 1, "api"), "add audit"),
    case(CLUSTER_LOGS_COMPLETE, "none", but(a_cluster(), "enabledClusterLogTypes", GONE), "add api, audit"),
)
