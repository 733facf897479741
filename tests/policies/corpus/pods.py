"""Ways to break a pod that asks for cards, each in an object that creates it, and objects beside the operator."""

from __future__ import annotations

from policies.rules.operator_values import CLUSTER_POLICY_NAMED, EXPORTER_SCRAPED
from policies.rules.pods.escape import POD_NOT_BOUND
from policies.rules.pods.jobs import TORCHRUN_FIRST_POD_FOUND, TORCHRUN_JOB_INDEXED
from policies.rules.pods.requests import POD_CARD_REQUESTS, POD_CARD_RESOURCE, POD_QUANTITIES, POD_RUNTIME_CLASS
from policies.rules.pods.selection import (
    POD_NAMES_PURPOSE,
    POD_NO_DISCOVERED_LABELS,
    POD_STANDARD_LABELS,
    POD_TOLERATES_STANDARD,
)
from policies.rules.pods.spread import SERVING_REPLICAS_SPREAD
from policies.rules.pods.tokens import TOKEN_FIELD_NOT_ANNOTATION
from tests.policies.documents import GONE, Document, a_service_account, but
from tests.policies.harness import Case, case
from tests.policies.pod_documents import (
    a_cluster_policy,
    a_deployment,
    a_headless_service,
    a_job,
    a_service_monitor,
    resources,
)

_POD = ("spec", "template", "spec")
_RESOURCES = (*_POD, "containers", 0, "resources")
_SELECTOR = (*_POD, "nodeSelector")
_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_COMMAND = (*_POD, "containers", 0, "command")


def _asking(amount: object, resource: str = "nvidia.com/gpu") -> Document:
    return but(a_deployment(), *_RESOURCES, resources(amount, resource))


def _affinity(*expressions: Document, part: str = _REQUIRED) -> Document:
    """The server with a node affinity instead of a selector."""
    term = {"matchExpressions": list(expressions)}
    terms: object = {"nodeSelectorTerms": [term]} if part == _REQUIRED else [{"weight": 1, "preference": term}]
    pod = but(a_deployment(), *_POD, "affinity", {"nodeAffinity": {part: terms}})
    return but(pod, *_SELECTOR, GONE)


def _expression(key: str, operator: str, *values: str) -> Document:
    return {"key": key, "operator": operator, "values": list(values)}


_ANNOTATION = {"automountServiceAccountToken": "false"}

CASES: tuple[Case, ...] = (
    case(POD_CARD_REQUESTS, "half a card", _asking("500m"), "'500m'", "write a whole number"),
    case(POD_CARD_REQUESTS, "half a slice", _asking(0.5, "nvidia.com/mig-1g.10gb"), "given 0.5"),
    case(POD_CARD_REQUESTS, "less than none", _asking("-1"), "'-1'"),
    case(POD_CARD_REQUESTS, "no number", _asking("one"), "'one'"),
    case(
        POD_CARD_REQUESTS,
        "more than the request",
        but(a_deployment(), *_RESOURCES, "limits", "nvidia.com/gpu", "2"),
        "'1' beside a limit of '2'",
        "make the two equal",
    ),
    case(
        POD_CARD_REQUESTS,
        "no limit",
        but(a_deployment(), *_RESOURCES, "limits", "nvidia.com/gpu", GONE),
        "add nvidia.com/gpu: 1 to limits",
    ),
    *(
        case(POD_QUANTITIES, written, but(a_deployment(), *_RESOURCES, part, "memory", written), change)
        for part, written, change in (
            ("limits", "16GB", "write 16G or 16Gi"),
            ("requests", "1.5 gb", "write 1.5G or 1.5Gi"),
            ("limits", "512KB", "write 512k or 512Ki"),
            ("requests", "-1Gi", "a number of zero or more"),
            ("limits", "plenty", "a number of zero or more"),
            ("limits", "", "a number of zero or more"),
        )
    ),
    case(POD_QUANTITIES, "a truth value", but(a_deployment(), *_RESOURCES, "requests", "cpu", True), "given true"),
    case(POD_CARD_RESOURCE, "the renamed share", _asking("1", "nvidia.com/gpu.shared"), "'nvidia.com/gpu.shared'"),
    case(POD_CARD_RESOURCE, "a profile of no card", _asking("1", "nvidia.com/mig-9g.99gb"), "profile that some card"),
    case(
        POD_RUNTIME_CLASS, "none", but(a_deployment(), *_POD, "runtimeClassName", GONE), "set runtimeClassName: nvidia"
    ),
    case(POD_RUNTIME_CLASS, "another", but(a_deployment(), *_POD, "runtimeClassName", "runc"), "'runc'"),
    case(
        POD_NO_DISCOVERED_LABELS,
        "the product",
        but(a_deployment(), *_SELECTOR, "nvidia.com/gpu.product", "Tesla-T4"),
        "nvidia.com/gpu.product=Tesla-T4",
        "select on gpu.model",
    ),
    case(
        POD_NO_DISCOVERED_LABELS,
        "the product in a required term",
        _affinity(_expression("nvidia.com/gpu.product", "In", "Tesla-T4")),
        f"nodeAffinity.{_REQUIRED}.nodeSelectorTerms[0].matchExpressions[0]",
    ),
    case(
        POD_NO_DISCOVERED_LABELS,
        "the memory in a wish",
        _affinity(_expression("nvidia.com/gpu.memory", "Gt", "20000"), part=_PREFERRED),
        f"{_PREFERRED}[0].preference.matchExpressions[0]",
    ),
    case(
        POD_STANDARD_LABELS,
        "the operations guide's words",
        but(a_deployment(), *_SELECTOR, "workload-class", "inference"),
        "workload-class=inference",
        "select on gpu.pool=infer",
    ),
    case(
        POD_STANDARD_LABELS,
        "the Karpenter guide's words",
        but(a_deployment(), *_SELECTOR, "node-type", "gpu-spot"),
        "gpu.pool=infer and karpenter.sh/capacity-type=spot",
    ),
    case(
        POD_STANDARD_LABELS,
        "any GPU node, in other words",
        but(a_deployment(), *_SELECTOR, "node-type", "gpu"),
        "select on gpu.vendor (operator Exists)",
    ),
    case(
        POD_STANDARD_LABELS,
        "a label that only Karpenter writes",
        _affinity(_expression("karpenter.k8s.aws/instance-gpu-count", "Exists")),
        "which only Karpenter's nodes have",
        "gpu.vendor",
    ),
    case(POD_STANDARD_LABELS, "a label of nobody's", but(a_deployment(), *_SELECTOR, "gpu.type", "T4"), "gpu.type=T4"),
    case(
        POD_STANDARD_LABELS,
        "a value that is none",
        but(a_deployment(), *_SELECTOR, "gpu.model", "a100"),
        "instead of 'a100'",
        "A100",
    ),
    case(POD_NAMES_PURPOSE, "nothing selected", but(a_deployment(), *_SELECTOR, GONE), "paste the pool's block"),
    case(
        POD_NAMES_PURPOSE,
        "a role alone",
        but(a_deployment(), *_SELECTOR, {"gpu.role": "worker"}),
        "gpu.pool with one of train, infer, dev",
    ),
    case(
        POD_NAMES_PURPOSE,
        "two purposes",
        _affinity(_expression("gpu.pool", "In", "infer", "dev")),
        "no required selection of one purpose",
    ),
    case(
        POD_NAMES_PURPOSE,
        "a wish",
        _affinity(_expression("gpu.pool", "In", "infer"), part=_PREFERRED),
        "no required selection of one purpose",
    ),
    case(
        POD_TOLERATES_STANDARD,
        "nothing",
        but(a_deployment(), *_POD, "tolerations", GONE),
        "add {key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}",
        "add {key: dedicated, operator: Exists, effect: NoSchedule}",
        "add {key: gpu.pool, operator: Equal, value: infer, effect: NoSchedule}",
    ),
    *(
        case(
            POD_TOLERATES_STANDARD,
            f"the value {value} alone",
            but(a_deployment(), *_POD, "tolerations", 0, {"key": "nvidia.com/gpu", "value": value}),
            "two values in use",
        )
        for value in ("true", "present")
    ),
    case(
        POD_TOLERATES_STANDARD,
        "another purpose",
        but(a_deployment(), *_POD, "tolerations", 2, "value", "dev"),
        "value: infer",
    ),
    case(
        POD_TOLERATES_STANDARD,
        "a preference only",
        but(a_deployment(), *_POD, "tolerations", 1, "effect", "PreferNoSchedule"),
        "add {key: dedicated",
    ),
    case(
        POD_TOLERATES_STANDARD,
        "a chief",
        but(a_deployment(), *_SELECTOR, "gpu.role", "chief"),
        "add {key: gpu.role, operator: Equal, value: chief, effect: NoSchedule}",
    ),
    case(
        POD_NOT_BOUND,
        "bypasses the scheduler",
        but(a_deployment(), *_POD, "nodeName", "ip-10-0-0-1"),
        "spec.template.spec.nodeName: given 'ip-10-0-0-1'",
    ),
    case(
        SERVING_REPLICAS_SPREAD,
        "nothing said",
        but(a_deployment(), *_POD, "topologySpreadConstraints", GONE),
        "2 replicas that may all run on one host",
        "2 replicas that may all run in one zone",
    ),
    case(
        SERVING_REPLICAS_SPREAD,
        "over hosts alone",
        but(a_deployment(), *_POD, "topologySpreadConstraints", 1, GONE),
        "topologyKey: topology.kubernetes.io/zone",
    ),
    case(
        SERVING_REPLICAS_SPREAD,
        "counting the pods of another server",
        but(a_deployment(), *_POD, "topologySpreadConstraints", 0, "labelSelector", "matchLabels", "app", "talk"),
        "topologyKey: kubernetes.io/hostname",
    ),
    case(
        SERVING_REPLICAS_SPREAD,
        "counting no pods",
        but(a_deployment(), *_POD, "topologySpreadConstraints", 0, "labelSelector", GONE),
        "topologyKey: kubernetes.io/hostname",
    ),
    case(
        TOKEN_FIELD_NOT_ANNOTATION,
        "on the pod",
        but(a_deployment(), "spec", "template", "metadata", "annotations", _ANNOTATION),
        "spec.template.metadata.annotations",
        "in the pod's spec",
    ),
    case(
        TOKEN_FIELD_NOT_ANNOTATION,
        "on the account",
        but(a_service_account(), "metadata", "annotations", _ANNOTATION),
        "set the field automountServiceAccountToken: false",
    ),
    case(
        TORCHRUN_JOB_INDEXED,
        "no mode",
        but(a_job(), "spec", "completionMode", GONE),
        "spec.completionMode: given nothing",
        "set completionMode: Indexed",
    ),
    case(
        TORCHRUN_JOB_INDEXED,
        "the other mode, and a number of pods alone",
        but(but(a_job(), *_COMMAND, ["python", "-m", "torch.distributed.run"]), "spec", "completionMode", "NonIndexed"),
        "'NonIndexed'",
    ),
    case(
        CLUSTER_POLICY_NAMED,
        "one of its own",
        but(a_cluster_policy(), "metadata", "name", "gpu-cluster-policy"),
        "'gpu-cluster-policy'",
        "change cluster-policy",
    ),
    case(
        EXPORTER_SCRAPED,
        "another port",
        but(a_service_monitor(), "spec", "endpoints", 0, "port", "metrics"),
        "'metrics'",
        "set port: gpu-metrics",
    ),
    case(TORCHRUN_FIRST_POD_FOUND, "no Service", a_job(), "add the headless Service peers"),
    case(
        TORCHRUN_FIRST_POD_FOUND,
        "a Service with an address",
        (a_job(), but(a_headless_service(), "spec", "clusterIP", GONE)),
        "clusterIP: None",
    ),
    case(
        TORCHRUN_FIRST_POD_FOUND,
        "a Service elsewhere",
        (a_job(), but(a_headless_service(), "metadata", "namespace", "ml-serving")),
        "no headless Service peers beside the Job",
    ),
    case(
        TORCHRUN_FIRST_POD_FOUND,
        "pods without a subdomain",
        (but(a_job(), *_POD, "subdomain", GONE), a_headless_service()),
        "set subdomain: peers",
    ),
)
