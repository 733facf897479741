"""Fields of workloads, and of what distributed Jobs need beside them."""

from __future__ import annotations

from gpuplatform.standard import keys
from policies.reads import Path
from policies.rules.pods.jobs import JOB, SERVICE
from policies.rules.pods.spread import DEPLOYMENT
from policies.subject import CONFIG_MAP, Plain, Subject
from policies.workloads import WORKLOAD_KINDS
from tests.policies.mutants.breaking import Way, at_path
from tests.policies.mutants.table import Judge, Row, Where, right, row

REMOVED, VALUE, TYPE = Way.REMOVED, Way.VALUE, Way.TYPE
ANY = WORKLOAD_KINDS
_POD = "spec.template.spec"
_SERVERS = (
    *("model", "sklearn", "xgboost", "tensorflow", "pytorch", "triton"),
    *("onnx", "huggingface", "pmml", "lightgbm", "paddle"),
)


def _named(name: str) -> Where:
    return lambda subject, _: subject.name == name


def _beside(part: str, *values: str) -> Where:
    return lambda subject, path: at_path(subject.body, (*path[:-1], part)) in values


def _ask(resource: str, amount: str) -> Plain:
    return {"requests": {resource: amount}, "limits": {resource: amount}}


_ASKS = f"{_POD}.containers[].resources"
_TRAINS = _named("pretrain")
_EXACT = _beside("operator", "Equal")

POD_ROWS: tuple[Row, ...] = (
    row(ANY, _ASKS, "pod-card-resource", VALUE, values=(_ask("nvidia.com/mig-9g.1gb", "1"),)),
    row(ANY, _ASKS, "pod-resource-offered", VALUE, values=(_ask("nvidia.com/mig-1g.20gb", "1"),)),
    row(ANY, _ASKS, "pod-one-share", VALUE, values=(_ask("nvidia.com/gpu", "2"),), where=_named("notebook")),
    row(ANY, _ASKS, "pod-within-quota", VALUE, values=(_ask("nvidia.com/gpu", "64"),)),
    row(ANY, _ASKS, "pod-off-gpu-nodes", REMOVED, TYPE),
    row(ANY, f"{_POD}.containers[].resources.limits[nvidia.com/*]", "pod-card-requests", REMOVED, TYPE),
    row(ANY, f"{_POD}.containers[].resources.limits[nvidia.com/*]", "pod-card-requests", VALUE, values=("0.5", "3")),
    row(ANY, f"{_POD}.containers[].resources.limits[nvidia.com/*]", "pod-card-requests", VALUE),
    row(ANY, f"{_POD}.containers[].resources.requests[nvidia.com/*]", "pod-card-requests", VALUE, TYPE),
    right(ANY, f"{_POD}.containers[].resources.requests[nvidia.com/*]", "the limit is the request then", REMOVED),
    row(ANY, f"{_POD}.containers[].resources.limits.memory", "pod-memory-bounded", REMOVED),
    right(ANY, f"{_POD}.containers[].resources.*", "it is no part of what it asks of cards", REMOVED),
    *(
        row(ANY, f"{_POD}.containers[].resources.*{resource}", "pod-quantities", VALUE, TYPE)
        for resource in (".cpu", ".memory", "[ephemeral-storage]")
    ),
    row(ANY, f"{_POD}.nodeSelector[gpu.pool]", "pod-names-purpose", REMOVED),
    row(ANY, f"{_POD}.nodeSelector", "pod-names-purpose", REMOVED, TYPE),
    row(ANY, f"{_POD}.nodeSelector[gpu.*]", "pod-standard-labels", VALUE, TYPE),
    row(ANY, f"{_POD}.nodeSelector[nvidia.com/gpu.product]", "pod-no-discovered-labels", VALUE),
    row(ANY, f"{_POD}.nodeSelector.workload", "pod-standard-labels", VALUE, values=("inference",)),
    row(ANY, f"{_POD}.nodeSelector[gpu.model]", "pod-reaches-whole-pool", VALUE, values=("T4",), where=_named("chat")),
    row(ANY, f"{_POD}.nodeSelector*", "pod-reaches-one-pool", VALUE, TYPE),
    right(ANY, f"{_POD}.nodeSelector*", "what is left still reaches one pool", REMOVED),
    row(
        ANY,
        f"{_POD}.affinity",
        "pod-standard-labels",
        VALUE,
        values=(
            {
                "nodeAffinity": {
                    "requiredDuringSchedulingIgnoredDuringExecution": {
                        "nodeSelectorTerms": [
                            {"matchExpressions": [{"key": "gpu.role", "operator": "In", "values": ["leader"]}]}
                        ]
                    }
                }
            },
        ),
    ),
    row(ANY, f"{_POD}.tolerations", "pod-tolerates-standard", REMOVED, TYPE),
    row(ANY, f"{_POD}.tolerations[].key", "pod-tolerates-standard", VALUE, TYPE),
    row(ANY, f"{_POD}.tolerations[].key", "pod-tolerates-standard", REMOVED, where=_EXACT),
    right(ANY, f"{_POD}.tolerations[].key", "without a key it tolerates everything", REMOVED),
    row(ANY, f"{_POD}.tolerations[].operator", "pod-tolerates-standard", VALUE, TYPE),
    right(ANY, f"{_POD}.tolerations[].operator", "Equal is the default", REMOVED, where=_EXACT),
    row(ANY, f"{_POD}.tolerations[].operator", "pod-tolerates-standard", REMOVED),
    row(ANY, f"{_POD}.tolerations[].effect", "pod-tolerates-standard", VALUE, TYPE),
    right(ANY, f"{_POD}.tolerations[].effect", "without an effect it tolerates each", REMOVED),
    row(ANY, f"{_POD}.tolerations[].value", "pod-tolerates-standard", where=_EXACT),
    row(ANY, f"{_POD}.tolerations[].value", Judge.API_SERVER, VALUE, TYPE),
    row(ANY, f"{_POD}.priorityClassName", "pod-priority-allowed"),
    row(ANY, f"{_POD}.runtimeClassName", "pod-runtime-class"),
    row(ANY, f"{_POD}.nodeName", "pod-not-bound", VALUE),
    row(
        ANY,
        f"{_POD}.initContainers",
        "pod-card-resource",
        VALUE,
        values=([{"name": "a", "image": "a", "resources": {"limits": {"nvidia.com/gpus": "1"}}}],),
    ),
    row(ANY, f"{_POD}.resourceClaims", Judge.API_SERVER, VALUE),
    *(row(ANY, f"{_POD}.{name}", Judge.API_SERVER, VALUE) for name in _SERVERS),
    row(ANY, f"{_POD}", Judge.API_SERVER, REMOVED, TYPE),
    right(ANY, "spec.template.metadata*", "a template needs no metadata for its cards", REMOVED),
    row(ANY, "spec.template.metadata.annotations.automountServiceAccountToken", "token-field-not-annotation", VALUE),
    row(ANY, "spec.template.metadata.annotations", Judge.API_SERVER, VALUE),
    row(ANY, "spec.template.metadata*", Judge.API_SERVER, TYPE),
    row(
        ANY,
        "metadata.annotations",
        "token-field-not-annotation",
        VALUE,
        values=({"automountServiceAccountToken": "false"},),
    ),
    row(ANY, "metadata.namespace", "pod-pool-allowed", VALUE, values=("ml-serving",), where=_named("notebook")),
    row(ANY, "metadata.namespace", "pod-priority-allowed", VALUE, TYPE),
    right(ANY, "metadata.labels", "nobody has to say more than the namespace does", REMOVED),
    row(ANY, "metadata.labels", Judge.API_SERVER, TYPE),
    row(ANY, "metadata.labels", "pod-queue-allowed", VALUE, values=({keys.QUEUE_PRIORITY: "nobodys"},)),
    row(ANY, f"metadata.labels[{keys.QUEUE_PRIORITY}]", "pod-queue-allowed", VALUE),
    right(ANY, f"metadata.labels[{keys.QUEUE_NAME}]", "the stack dev has no queues", VALUE),
    row(ANY, "metadata.namespace", "torchrun-first-pod-found", REMOVED, where=_TRAINS),
    right(ANY, "metadata.namespace", "whoever applies it says where", REMOVED),
)


def _names_its_first(subject: Subject, path: Path) -> bool:
    return "pretrain-0.pretrain" in str(at_path(subject.body, path))


JOB_ROWS: tuple[Row, ...] = (
    row(JOB, "spec.completionMode", "torchrun-job-indexed", where=_TRAINS),
    right(JOB, "spec.completionMode", "its pods do not look for each other", REMOVED),
    row(JOB, "spec.completionMode", Judge.API_SERVER, VALUE, TYPE),
    right(JOB, "spec.parallelism", "the command says how many there are", REMOVED),
    row(JOB, "spec.parallelism", Judge.API_SERVER, VALUE, TYPE),
    right(ANY, f"{_POD}.containers[].args[]", "what else it is started with", REMOVED, VALUE),
    right(ANY, f"{_POD}.containers[].command[]", "what else it is started with", REMOVED, VALUE),
    row(
        JOB,
        f"{_POD}.containers[].args[]",
        "torchrun-first-pod-found",
        VALUE,
        values=(lambda value: str(value).replace("pretrain-0.pretrain", "pretrain-0.nobody"),),
        where=_names_its_first,
    ),
    right(ANY, f"{_POD}.containers[].env[].name", "another variable", VALUE),
    row(ANY, f"{_POD}.containers[].*", Judge.API_SERVER, REMOVED, TYPE),
    row(JOB, f"{_POD}.subdomain", "torchrun-first-pod-found", where=_TRAINS),
    row(SERVICE, "metadata.name", "torchrun-first-pod-found", VALUE, where=_TRAINS),
    right(SERVICE, "metadata.name", "no Job looks for it", VALUE),
    row(SERVICE, "metadata.name", Judge.API_SERVER, REMOVED, TYPE),
    row(SERVICE, "metadata.namespace", "torchrun-first-pod-found", where=_TRAINS),
    right(SERVICE, "metadata.namespace", "no Job looks for it", REMOVED, VALUE),
    row(SERVICE, "metadata.namespace", Judge.API_SERVER, TYPE),
    row(SERVICE, "spec.clusterIP", "torchrun-first-pod-found", where=_TRAINS),
    right(SERVICE, "spec.clusterIP", "no Job looks for it", REMOVED),
    row(SERVICE, "spec.clusterIP", Judge.API_SERVER, VALUE, TYPE),
    right(CONFIG_MAP, "data*", "a team's own text", REMOVED, VALUE),
)

_SERVES = _named("chat")
_APART = f"{_POD}.topologySpreadConstraints[]"

SERVING_ROWS: tuple[Row, ...] = (
    row((DEPLOYMENT,), f"{_APART}.topologyKey", "serving-replicas-spread"),
    row((DEPLOYMENT,), f"{_APART}.labelSelector.matchLabels.app", "serving-replicas-spread", VALUE, TYPE),
    right((DEPLOYMENT,), f"{_APART}.labelSelector.matchLabels.app", "then it counts every pod beside it", REMOVED),
    row((DEPLOYMENT,), "spec.template.metadata.labels.app", "serving-replicas-spread", VALUE),
    row((DEPLOYMENT,), "spec.template.metadata*", "serving-replicas-spread", REMOVED, TYPE, where=_SERVES),
    right((DEPLOYMENT,), "spec.replicas", "one pod has nobody to stand apart from", REMOVED),
    row((DEPLOYMENT,), "spec.replicas", Judge.API_SERVER, VALUE, TYPE),
)

ROWS: tuple[Row, ...] = (*SERVING_ROWS, *POD_ROWS, *JOB_ROWS)
