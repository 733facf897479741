"""Ways to break a NodePool."""

from __future__ import annotations

from policies.rules.architectures import GRAVITON_TAINTED, NODEPOOL_ONE_ARCHITECTURE
from policies.rules.budgets import DRIFT_POSSIBLE
from policies.rules.labels import GPU_LABELS_COMPLETE, GPU_LABELS_TRUE, NO_HAND_SET_GPU_LABELS
from policies.rules.node_pools import CHIEF_STATIC, NODEPOOL_CEILING, NODEPOOL_DISRUPTION, NODEPOOL_WEIGHT
from policies.rules.protection import PROTECTED_CONSOLIDATION, PROTECTED_EXPIRY
from policies.rules.taints import GPU_TAINTS_PRESENT, TAINTS_DISTINCT
from tests.policies.documents import (
    GONE,
    Document,
    a_chief_pool,
    a_cpu_pool,
    a_mig_pool,
    a_node_group,
    a_pool,
    a_training_pool,
    but,
    requirement,
    taint,
)
from tests.policies.harness import Case, case

_LABELS = ("spec", "template", "metadata", "labels")
_SPEC = ("spec", "template", "spec")
_DISRUPTION = ("spec", "disruption")
_INSTANCE_TYPE = "node.kubernetes.io/instance-type"
_FAMILY = "karpenter.k8s.aws/instance-family"


def _labelled(key: str, value: object) -> Document:
    return but(a_pool(), *_LABELS, key, value)


def _selecting(*lines: dict[str, object]) -> Document:
    return but(a_pool(), *_SPEC, "requirements", list(lines))


def _tainted(number: int, part: str, value: object) -> Document:
    return but(a_pool(), *_SPEC, "taints", number, part, value)


def _of_types(*types: str) -> Document:
    return but(a_cpu_pool(), *_SPEC, "requirements", [requirement(_INSTANCE_TYPE, "In", *types)])


def _graviton(key: str, value: str, effect: str) -> Document:
    return but(_of_types("m7g.large"), *_SPEC, "taints", [taint(key, value, effect)])


def _budgeted(**budget: object) -> Document:
    return but(a_pool(), *_DISRUPTION, "budgets", [budget])


_AGAIN = taint("dedicated", "gpu-too")

CASES: tuple[Case, ...] = (
    *(
        case(
            GPU_LABELS_COMPLETE, f"{key} is missing", _labelled(key, GONE), key, "no such label", f"add the label {key}"
        )
        for key in ("gpu.vendor", "gpu.model", "gpu.mem", "gpu.mig", "gpu.role", "gpu.pool")
    ),
    case(GPU_LABELS_COMPLETE, "all labels are missing", but(a_pool(), *_LABELS, GONE), "add the label gpu.vendor"),
    case(GPU_LABELS_COMPLETE, "the role is no role", _labelled("gpu.role", "leader"), "leader", "chief, worker"),
    case(GPU_LABELS_COMPLETE, "a label is a number", _labelled("gpu.mem", 24), "'24'", "24gb"),
    case(GPU_LABELS_COMPLETE, "the card does not exist", _labelled("gpu.model", "L5"), "'L5'", "choose one of those"),
    case(
        GPU_LABELS_COMPLETE,
        "the profile is missing",
        but(a_mig_pool(), *_LABELS, "gpu.mig.profile", GONE),
        "gpu.mig.profile",
        "add gpu.mig.profile",
    ),
    case(GPU_LABELS_COMPLETE, "a stray label", _labelled("gpu.tier", "gold"), "gpu.tier", "remove gpu.tier"),
    case(
        GPU_LABELS_COMPLETE,
        "it selects cards without saying so",
        but(but(a_pool(), *_LABELS, {}), *_SPEC, "taints", []),
        "gpu.vendor",
    ),
    *(
        case(
            GPU_LABELS_COMPLETE,
            f"it names no type, and {what}",
            but(a_cpu_pool(), *_SPEC, "requirements", requirements),
            "add the label gpu.vendor",
        )
        for what, requirements in (
            ("a family with cards", [requirement("karpenter.k8s.aws/instance-family", "In", "g5", "m7i")]),
            ("a category with cards", [requirement("karpenter.k8s.aws/instance-category", "In", "c", "g")]),
            ("a number of cards", [requirement("karpenter.k8s.aws/instance-gpu-count", "Gt", "0")]),
            ("whatever there is", [requirement("karpenter.sh/capacity-type", "In", "spot")]),
        )
    ),
    case(
        NODEPOOL_ONE_ARCHITECTURE,
        "types of both architectures",
        _of_types("m7i.large", "m7g.large"),
        "amd64 and arm64",
        "make another NodePool for the rest",
    ),
    case(
        NODEPOOL_ONE_ARCHITECTURE,
        "both architectures by name",
        but(a_cpu_pool(), *_SPEC, "requirements", [requirement("kubernetes.io/arch", "In", "amd64", "arm64")]),
        "amd64 and arm64",
    ),
    case(
        NODEPOOL_ONE_ARCHITECTURE,
        "a choice of architectures that types nobody knows leave open",
        but(
            _of_types("m99.large"),
            *_SPEC,
            "requirements",
            [
                requirement(_INSTANCE_TYPE, "In", "m99.large"),
                requirement("kubernetes.io/arch", "In", "arm64", "amd64"),
            ],
        ),
        "kubernetes.io/arch with one value",
    ),
    case(
        GRAVITON_TAINTED,
        "Graviton without a taint",
        _of_types("m7g.large", "c7g.large"),
        "kubernetes.io/arch=arm64:NoSchedule",
        "add the taint",
    ),
    case(
        GRAVITON_TAINTED,
        "arm64 by name, of types that nobody knows",
        but(
            a_cpu_pool(),
            *_SPEC,
            "requirements",
            [requirement(_INSTANCE_TYPE, "In", "m99.large"), requirement("kubernetes.io/arch", "In", "arm64")],
        ),
        "add the taint",
    ),
    case(
        GRAVITON_TAINTED,
        "Graviton behind a preference",
        _graviton("kubernetes.io/arch", "arm64", "PreferNoSchedule"),
        "add the taint",
    ),
    case(
        GRAVITON_TAINTED,
        "Graviton behind the taint of another architecture",
        _graviton("kubernetes.io/arch", "amd64", "NoSchedule"),
        "add the taint",
    ),
    case(GPU_LABELS_TRUE, "another model", _labelled("gpu.model", "T4"), "'T4'", "g6.xlarge (L4-24GB)"),
    case(
        GPU_LABELS_TRUE,
        "a second card among the types",
        _selecting(requirement(_INSTANCE_TYPE, "In", "g6.xlarge", "g5.xlarge")),
        "g5.xlarge (A10G-24GB)",
        "take those types out",
    ),
    case(
        GPU_LABELS_TRUE,
        "a profile that the card lacks",
        but(a_mig_pool(), *_SPEC, "requirements", [requirement(_INSTANCE_TYPE, "In", "p4d.24xlarge")]),
        "gpu.mem",
        "'80gb'",
        "A100-40GB",
    ),
    case(
        GPU_LABELS_TRUE,
        "fractions of the card",
        _selecting(requirement("karpenter.k8s.aws/instance-gpu-name", "In", "l4")),
        "a fraction of an L4",
    ),
    case(
        GPU_LABELS_TRUE,
        "a category is no hardware",
        _selecting(requirement("karpenter.k8s.aws/instance-category", "In", "g")),
        "names its hardware",
        "instance-type In",
    ),
    case(
        GPU_LABELS_TRUE,
        "a family that nobody knows",
        _selecting(requirement(_FAMILY, "In", "g6", "g99")),
        "g99",
        "correct the name",
    ),
    case(
        NO_HAND_SET_GPU_LABELS,
        "a product label",
        _labelled("nvidia.com/gpu.product", "NVIDIA-L4"),
        "nvidia.com/gpu.product",
        "remove nvidia.com/gpu.product",
    ),
    case(
        NO_HAND_SET_GPU_LABELS,
        "a requirement that sets the label",
        _selecting(requirement("nvidia.com/gpu.present", "In", "true")),
        "nvidia.com/gpu.present",
        "remove",
    ),
    case(
        NO_HAND_SET_GPU_LABELS,
        "a label on a node group",
        but(a_node_group(), "labels", {"nvidia.com/gpu.count": "1"}),
        "labels[nvidia.com/gpu.count]",
        "remove",
    ),
    *(
        case(
            GPU_TAINTS_PRESENT, f"no {key}", _tainted(number, "key", "team"), f"taints[{key}]", f"add the taint {key}="
        )
        for number, key in enumerate(("nvidia.com/gpu", "dedicated", "gpu.pool"))
    ),
    case(
        GPU_TAINTS_PRESENT, "another purpose", _tainted(2, "value", "dev"), "gpu.pool=dev", "gpu.pool=infer:NoSchedule"
    ),
    case(GPU_TAINTS_PRESENT, "another owner", _tainted(1, "value", "db"), "dedicated=db", "dedicated=gpu:NoSchedule"),
    case(
        GPU_TAINTS_PRESENT, "a mere wish", _tainted(0, "effect", "PreferNoSchedule"), "a preference keeps no pod away"
    ),
    case(
        GPU_TAINTS_PRESENT, "no taints", but(a_pool(), *_SPEC, "taints", GONE), "add the taint nvidia.com/gpu=present"
    ),
    case(
        GPU_TAINTS_PRESENT,
        "a chief without its own",
        but(a_chief_pool(), *_SPEC, "taints", 3, "key", "team"),
        "add the taint gpu.role=chief:NoSchedule",
    ),
    case(TAINTS_DISTINCT, "one twice", but(a_pool(), *_SPEC, "taints", 0, _AGAIN), "dedicated", "keep one dedicated"),
    case(
        TAINTS_DISTINCT, "one at start-up too", but(a_pool(), *_SPEC, "startupTaints", [_AGAIN]), "keep one dedicated"
    ),
    case(NODEPOOL_CEILING, "no limits", but(a_pool(), "spec", "limits", GONE), "nothing", "add the ceiling"),
    case(NODEPOOL_CEILING, "only cpu", but(a_pool(), "spec", "limits", {"cpu": "8"}), "spec.limits", "nvidia.com/gpu"),
    case(
        NODEPOOL_CEILING,
        "less than one node",
        but(a_pool(), "spec", "limits", "nvidia.com/gpu", "3"),
        "'3'",
        "raise the ceiling to 4",
    ),
    case(
        NODEPOOL_CEILING,
        "fewer slices than one node has",
        but(a_mig_pool(), "spec", "limits", "nvidia.com/mig-1g.10gb", "55"),
        "raise the ceiling to 56",
    ),
    case(NODEPOOL_CEILING, "no number", but(a_pool(), "spec", "limits", "nvidia.com/gpu", "many"), "a whole number"),
    case(NODEPOOL_CEILING, "a CPU pool of nothing", but(a_cpu_pool(), "spec", "limits", "cpu", "0"), "add a limit"),
    case(
        NODEPOOL_CEILING, "a CPU pool without end", but(a_cpu_pool(), "spec", "limits", {}), "add a limit, such as cpu"
    ),
    case(
        NODEPOOL_CEILING,
        "no room for drift",
        but(a_chief_pool(), "spec", "limits", "nodes", "1"),
        "drift has no room",
        "set spec.limits.nodes to 2",
    ),
    case(
        NODEPOOL_CEILING,
        "cards on a static pool",
        but(a_chief_pool(), "spec", "limits", "nvidia.com/gpu", "8"),
        "remove nvidia.com/gpu",
    ),
    case(NODEPOOL_WEIGHT, "too heavy", but(a_pool(), "spec", "weight", 101), "101", "from 1 to 100"),
    case(NODEPOOL_WEIGHT, "a static pool", but(a_chief_pool(), "spec", "weight", 5), "remove spec.weight"),
    case(NODEPOOL_DISRUPTION, "no block", but(a_pool(), *_DISRUPTION, GONE), "consolidateAfter", "write how long"),
    case(NODEPOOL_DISRUPTION, "no duration", but(a_pool(), *_DISRUPTION, "consolidateAfter", "soon"), "'soon'", "10m"),
    case(NODEPOOL_DISRUPTION, "nodes as a number", _budgeted(nodes=1), "budgets[0].nodes", "in quotes"),
    case(NODEPOOL_DISRUPTION, "no reason of Karpenter's", _budgeted(nodes="1", reasons=["Old"]), "'Old'", "Drifted"),
    case(
        NODEPOOL_DISRUPTION, "a schedule alone", _budgeted(nodes="1", schedule="@daily"), "add the one that is missing"
    ),
    case(
        NODEPOOL_DISRUPTION,
        "no schedule",
        _budgeted(nodes="1", schedule="9 o'clock", duration="8h"),
        "correct the schedule",
    ),
    case(
        NODEPOOL_DISRUPTION,
        "no length",
        _budgeted(nodes="1", schedule="@daily", duration="8 hours"),
        "correct the duration",
    ),
    *(
        case(DRIFT_POSSIBLE, broken, but(a_pool(), *_DISRUPTION, "budgets", [{"nodes": "1"}, *closed]), "no minute")
        for broken, closed in (
            ("nothing is ever allowed", [{"nodes": "0"}]),
            ("drift is never allowed", [{"nodes": "0%", "reasons": ["Empty", "Drifted"]}]),
            ("every day is closed whole", [{"nodes": "0", "schedule": "@daily", "duration": "24h"}]),
            (
                "two windows fill the week",
                [
                    {"nodes": "0", "schedule": "0 22 * * 1-5", "duration": "30h"},
                    {"nodes": "0", "schedule": "30 3 * * 0", "duration": "42h30m", "reasons": ["Drifted"]},
                ],
            ),
        )
    ),
    case(CHIEF_STATIC, "an elastic chief", but(a_chief_pool(), "spec", "replicas", GONE), "set spec.replicas"),
    *(
        case(
            PROTECTED_CONSOLIDATION,
            broken,
            but(a_training_pool(), *_DISRUPTION, "consolidationPolicy", value),
            "WhenEmpty",
        )
        for broken, value in (("it moves work", "WhenEmptyOrUnderutilized"), ("it says nothing", GONE))
    ),
    *(
        case(PROTECTED_EXPIRY, f"{broken}, {kind}", but(pool, *_SPEC, "expireAfter", value), "set it to Never")
        for kind, pool in (("training", a_training_pool()), ("chief", a_chief_pool()))
        for broken, value in (("it expires", "720h"), ("it says nothing", GONE))
    ),
)
