"""What each rule accepts: unusual but correct forms, and objects that it does not judge."""

from __future__ import annotations

import pytest
import yaml

from policies.judge import apply
from policies.rule import Rule, StackRule
from policies.rules.architectures import GRAVITON_TAINTED, NODEPOOL_ONE_ARCHITECTURE
from policies.rules.budgets import DRIFT_POSSIBLE
from policies.rules.cluster import CLUSTER_ENDPOINT_NAMED
from policies.rules.labels import GPU_LABELS_COMPLETE, GPU_LABELS_TRUE
from policies.rules.node_classes import NODE_WITHOUT_PUBLIC_ADDRESS
from policies.rules.node_pools import NODEPOOL_CEILING, NODEPOOL_DISRUPTION, NODEPOOL_WEIGHT
from policies.rules.operator_values import (
    OPERATOR_INSTALLS_NOTHING,
    OPERATOR_REACHES_POOLS,
    OPERATOR_TOLERATES_STANDARD,
)
from policies.rules.overlays import OVERLAY_MATCHES_POOL
from policies.rules.priorities import PRIORITY_CLASS_STANDARD
from policies.rules.protection import IMAGE_PINNED, PROTECTED_CONSOLIDATION, PROTECTED_EXPIRY
from policies.rules.sharing import MIG_AGREES, SHARING_CONFIG_EXISTS
from policies.rules.taints import GPU_TAINTS_PRESENT, TAINTS_DISTINCT
from policies.rules.tenancy import SERVICE_ACCOUNT_TOKEN_OFF, TENANT_POD_SECURITY, TENANT_QUOTA
from policies.subject import UNKNOWN, Plain, at, of_release, of_resource, plain, quoted, text
from tests.policies.documents import (
    GONE,
    Document,
    a_chief_pool,
    a_cluster,
    a_cpu_pool,
    a_mig_pool,
    a_namespace,
    a_node_class,
    a_pool,
    a_priority_class,
    a_quota,
    a_service_account,
    a_shared_overlay,
    a_shared_pool,
    an_overlay,
    but,
    layouts,
    plugin_config,
    requirement,
    taint,
    the_operator,
)
from tests.policies.harness import verdict

_LABELS = ("spec", "template", "metadata", "labels")
_SPEC = ("spec", "template", "spec")
_VPC = "vpcConfig"
_OTHER_NAMESPACE = but(a_namespace(), "metadata", "labels", {"owner": "platform"})
_ANYTHING = {"operator": "Exists"}
_EXACT = [
    {"key": key, "operator": "Equal", "value": value, "effect": "NoSchedule"}
    for key, value in (("nvidia.com/gpu", "present"), ("dedicated", "gpu"), ("gpu.pool", "infer"))
]
_TWO_SIZES = [requirement("node.kubernetes.io/instance-type", "In", "g4dn.xlarge", "g4dn.12xlarge")]
_TWO_SIZED_POOL = but(a_shared_pool(), *_SPEC, "requirements", _TWO_SIZES)


def _operands(tolerations: object) -> Document:
    values = but(the_operator(), "values", "daemonsets", "tolerations", tolerations)
    return but(values, "values", "node-feature-discovery", "worker", "tolerations", tolerations)


def _overlay_for(size: str, shares: str) -> Document:
    overlay = but(a_shared_overlay(), "spec", "capacity", {"nvidia.com/gpu": shares})
    by_type = requirement("node.kubernetes.io/instance-type", "In", size)
    return but(overlay, "spec", "requirements", [requirement("karpenter.sh/nodepool", "In", "dev-t4"), by_type])


def _a_pool_of(instance_type: str, *architectures: str) -> Document:
    lines = [
        requirement("node.kubernetes.io/instance-type", "In", instance_type),
        requirement("kubernetes.io/arch", "In", *architectures),
    ]
    return but(a_cpu_pool(), *_SPEC, "requirements", lines)


ACCEPTED: tuple[tuple[Rule | StackRule, str, tuple[Document, ...]], ...] = (
    (GPU_LABELS_COMPLETE, "a label of the team's own", (but(a_pool(), *_LABELS, "team", "serving"),)),
    (
        GPU_LABELS_TRUE,
        "a family",
        (but(a_pool(), *_SPEC, "requirements", [requirement("karpenter.k8s.aws/instance-family", "In", "g6")]),),
    ),
    (GPU_TAINTS_PRESENT, "the other guide's value", (but(a_pool(), *_SPEC, "taints", 0, "value", "true"),)),
    (GPU_TAINTS_PRESENT, "eviction", (but(a_pool(), *_SPEC, "taints", 0, "effect", "NoExecute"),)),
    (GPU_TAINTS_PRESENT, "no card, no taint", (a_cpu_pool(),)),
    (NODEPOOL_ONE_ARCHITECTURE, "types of one, whatever else is allowed", (_a_pool_of("m7i.large", "amd64", "arm64"),)),
    (
        NODEPOOL_ONE_ARCHITECTURE,
        "types of both, of which one is allowed",
        (but(_a_pool_of("m7i.large", "amd64"), *_SPEC, "requirements", 0, "values", ["m7i.large", "m7g.large"]),),
    ),
    (
        GRAVITON_TAINTED,
        "Graviton behind its taint",
        (but(_a_pool_of("m7g.large", "arm64"), *_SPEC, "taints", [taint("kubernetes.io/arch", "arm64")]),),
    ),
    (
        TAINTS_DISTINCT,
        "one key with two effects",
        (but(a_pool(), *_SPEC, "startupTaints", [taint("dedicated", "gpu", "NoExecute")]),),
    ),
    (NODEPOOL_CEILING, "exactly one node", (but(a_pool(), "spec", "limits", {"nvidia.com/gpu": "4"}),)),
    (NODEPOOL_CEILING, "a number that is not text", (but(a_pool(), "spec", "limits", "nvidia.com/gpu", 8),)),
    (NODEPOOL_CEILING, "a ceiling in memory", (but(a_cpu_pool(), "spec", "limits", {"memory": "100Gi"}),)),
    (NODEPOOL_CEILING, "more room than one node", (but(a_chief_pool(), "spec", "limits", "nodes", 5),)),
    (NODEPOOL_WEIGHT, "the lightest", (but(a_pool(), "spec", "weight", 1),)),
    (NODEPOOL_WEIGHT, "the heaviest", (but(a_pool(), "spec", "weight", 100),)),
    (NODEPOOL_WEIGHT, "none", (but(a_pool(), "spec", "weight", GONE),)),
    (NODEPOOL_DISRUPTION, "never", (but(a_pool(), "spec", "disruption", "consolidateAfter", "Never"),)),
    (NODEPOOL_DISRUPTION, "a share", (but(a_pool(), "spec", "disruption", "budgets", [{"nodes": "10%"}]),)),
    *(
        (DRIFT_POSSIBLE, reason, (but(a_pool(), "spec", "disruption", "budgets", [{"nodes": "0", **closed}]),))
        for reason, closed in (
            ("no empty node, ever", {"reasons": ["Empty"]}),
            ("a minute a day is left", {"schedule": "@daily", "duration": "23h59m"}),
            ("a day of a month is in no week for certain", {"schedule": "0 0 1 * *", "duration": "800h"}),
            ("a month is not the year", {"schedule": "0 0 * 12 *", "duration": "24h"}),
        )
    ),
    (
        PROTECTED_CONSOLIDATION,
        "inference that moves",
        (but(a_pool(), "spec", "disruption", "consolidationPolicy", "WhenEmptyOrUnderutilized"),),
    ),
    (
        PROTECTED_CONSOLIDATION,
        "a static pool, which is never consolidated",
        (but(a_chief_pool(), "spec", "disruption", {"consolidateAfter": "Never"}),),
    ),
    (PROTECTED_EXPIRY, "inference that expires", (but(a_pool(), *_SPEC, "expireAfter", "168h"),)),
    (IMAGE_PINNED, "an id", (but(a_node_class(), "spec", "amiSelectorTerms", [{"id": "ami-0123456789"}]),)),
    (NODE_WITHOUT_PUBLIC_ADDRESS, "not said", (but(a_node_class(), "spec", "associatePublicIPAddress", GONE),)),
    (
        MIG_AGREES,
        "cards that are explicitly whole",
        (but(a_pool(), *_LABELS, "nvidia.com/mig.config", "all-disabled"),),
    ),
    (MIG_AGREES, "NVIDIA's own layout", (but(a_mig_pool(), *_LABELS, "nvidia.com/mig.config", "all-1g.10gb"),)),
    (
        SHARING_CONFIG_EXISTS,
        "cards that are whole",
        (a_pool(), but(a_pool(), *_LABELS, "nvidia.com/mig.config", "all-disabled")),
    ),
    (
        SHARING_CONFIG_EXISTS,
        "text that is not known yet",
        (a_mig_pool(), but(layouts(), "data", "config.yaml", UNKNOWN)),
    ),
    (
        OVERLAY_MATCHES_POOL,
        "one overlay for each size",
        (
            but(_TWO_SIZED_POOL, "spec", "limits", "nvidia.com/gpu", "64"),
            plugin_config(),
            _overlay_for("g4dn.xlarge", "4"),
            _overlay_for("g4dn.12xlarge", "16"),
        ),
    ),
    (
        OVERLAY_MATCHES_POOL,
        "a ceiling of exactly one node",
        (but(a_mig_pool(), "spec", "limits", "nvidia.com/mig-1g.10gb", "56"), layouts(), an_overlay()),
    ),
    (
        OVERLAY_MATCHES_POOL,
        "a static pool without an overlay",
        (
            but(but(a_shared_pool(), "spec", "replicas", 1), "spec", "limits", {"nodes": "2"}),
            plugin_config(),
        ),
    ),
    (OPERATOR_INSTALLS_NOTHING, "another chart", ({**the_operator(), "chart": "gpu-operator-tools", "values": {}},)),
    (OPERATOR_TOLERATES_STANDARD, "everything tolerated", (_operands([_ANYTHING]),)),
    (OPERATOR_REACHES_POOLS, "everything tolerated", (a_pool(), _operands([_ANYTHING]))),
    (OPERATOR_REACHES_POOLS, "exact values", (a_pool(), _operands(_EXACT))),
    (
        OPERATOR_REACHES_POOLS,
        "a wish that keeps nobody away",
        (but(a_pool(), *_SPEC, "taints", 0, taint("cheap", "yes", "PreferNoSchedule")), the_operator()),
    ),
    (
        OPERATOR_REACHES_POOLS,
        "a CPU pool's taint",
        (but(a_cpu_pool(), *_SPEC, "taints", [taint("a", "b")]), the_operator()),
    ),
    (TENANT_POD_SECURITY, "a namespace that is no team's", (_OTHER_NAMESPACE,)),
    (TENANT_QUOTA, "a namespace that is no team's", (_OTHER_NAMESPACE,)),
    (
        TENANT_QUOTA,
        "no cards at all",
        (a_namespace(), but(a_quota(), "spec", "hard", {"requests.nvidia.com/gpu": "0"})),
    ),
    (
        SERVICE_ACCOUNT_TOKEN_OFF,
        "a controller of the system's",
        (but(but(a_service_account(), "metadata", "namespace", "kube-system"), "automountServiceAccountToken", True),),
    ),
    (
        PRIORITY_CLASS_STANDARD,
        "a class of someone else's",
        (but(but(a_priority_class(), "metadata", "name", "night"), "preemptionPolicy", "Never"),),
    ),
    (PRIORITY_CLASS_STANDARD, "the default of the API", (but(a_priority_class(), "preemptionPolicy", GONE),)),
    (CLUSTER_ENDPOINT_NAMED, "a private endpoint", (but(a_cluster(), _VPC, {"endpointPublicAccess": False}),)),
    (CLUSTER_ENDPOINT_NAMED, "a large network", (but(a_cluster(), _VPC, "publicAccessCidrs", ["9.0.0.0/8"]),)),
)


@pytest.mark.parametrize(
    ("rule", "what", "documents"), ACCEPTED, ids=lambda part: part if isinstance(part, str) else ""
)
def test_what_is_right_is_left_alone(rule: Rule | StackRule, what: str, documents: tuple[Document, ...]) -> None:
    assert verdict(rule, *documents) == []


def test_a_pool_that_keeps_pods_off_for_cards_is_a_gpu_pool() -> None:
    pool = but(a_cpu_pool(), *_SPEC, "taints", [taint("nvidia.com/gpu", "present")])

    assert any("gpu.vendor" in message for message in verdict(GPU_LABELS_COMPLETE, pool))


@pytest.mark.parametrize(
    "entry",
    [
        {"devices": [0], "mig-enabled": True, "mig-devices": {"1g.10gb": 7}},
        {"devices": "all", "mig-enabled": False, "mig-devices": {"1g.10gb": 7}},
        {"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 4, "2g.20gb": 1}},
    ],
)
def test_a_layout_that_cuts_not_every_card_alike_makes_the_label_false(entry: dict[str, object]) -> None:
    config = yaml.safe_dump({"version": "v1", "mig-configs": {"a100-80gb.1g.10gb-x7": [entry]}})

    (message,) = verdict(SHARING_CONFIG_EXISTS, a_mig_pool(), but(layouts(), "data", "config.yaml", config))

    assert "correct the layout under a new key" in message


def test_a_network_wider_than_any_organisation_s_is_nobody_s() -> None:
    assert verdict(CLUSTER_ENDPOINT_NAMED, but(a_cluster(), _VPC, "publicAccessCidrs", ["8.0.0.0/7"])) != []
    assert verdict(CLUSTER_ENDPOINT_NAMED, but(a_cluster(), _VPC, "publicAccessCidrs", ["2001:4000::/18"])) != []


@pytest.mark.parametrize(
    "chart", ["gpu-operator", "oci://a.example/nvidia/gpu-operator", "charts/gpu-operator-v26.7.0.tgz"]
)
def test_the_operator_is_known_by_its_chart_however_it_is_given(chart: str) -> None:
    release = of_release(chart, {"driver": {"enabled": True}, "toolkit": {"enabled": False}})

    assert len(apply(OPERATOR_INSTALLS_NOTHING, [release])) == 1


def test_a_resource_s_token_says_what_object_it_is() -> None:
    inputs = {"metadata": {"name": "a", "namespace": "b"}}
    subjects = [
        of_resource(f"kubernetes:{token}", "resource", inputs)
        for token in ("core/v1:Namespace", "karpenter.sh/v1:NodePool")
    ]

    assert [(subject.api_version, subject.kind) for subject in subjects] == [
        ("v1", "Namespace"),
        ("karpenter.sh/v1", "NodePool"),
    ]
    assert str(subjects[0]) == "Namespace b/a"
    assert str(of_resource("aws:eks/cluster:Cluster", "main", {})) == "aws:eks/cluster:Cluster main"


def test_data_is_made_plain() -> None:
    assert plain({"a": (1.0, 2.5, float("inf")), 3: None}) == {"a": [1, 2.5, float("inf")], "3": None}
    assert isinstance(at(plain({"a": 1.0}), "a"), int)
    assert plain(object()) is UNKNOWN


def test_an_unknown_part_makes_what_is_below_it_unknown_and_an_absent_part_absent() -> None:
    assert at({"a": UNKNOWN}, "a", "b", "c") is UNKNOWN
    assert at({"a": {}}, "a", "b", "c") is None
    assert at({"a": "text"}, "a", "b") is None


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, "nothing"),
        ("a", "'a'"),
        (True, "true"),
        (5, "5"),
        ({"a": 1}, "a mapping of a"),
        ({}, "a mapping of nothing"),
    ],
)
def test_a_value_is_quoted_as_its_reader_wrote_it(value: Plain, written: str) -> None:
    assert quoted(value) == written
    assert text(value) is None or isinstance(text(value), str)
