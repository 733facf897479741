"""Pods in a named stack: each reaches the pool that it names, at a priority and in amounts of its namespace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gpuplatform.analysis.placement.landing import Landing, Obstacle, Obstructs, landing, obstacles
from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.analysis.placement.view import NodePoolView, StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import keys, labels, resources
from gpuplatform.standard.priorities import PRIORITIES, priority
from policies.cel import Cel, NotInCluster, literal
from policies.pod import CARD_NAME, ask, asks_for_cards, containers
from policies.rule import Severity, ViewRule
from policies.rules.pods.selection import missing_tolerations, names_purpose
from policies.subject import UNKNOWN, Subject, quoted
from policies.workloads import WORKLOAD_KINDS, PodTemplate, pod_templates

_BLOCK = "paste the block of the intended pool: `gpuplatform block --stack NAME --pool POOL`"


def _pods_with_requests(subject: Subject) -> Iterator[tuple[PodTemplate, PodAsk]]:
    """The pods that ask for cards, as far as what they ask is known."""
    for pod in pod_templates(subject):
        request = ask(pod) if asks_for_cards(pod) else None
        if request is not None:
            yield pod, request


def _missing_resources(subject: Subject, view: StackView) -> Iterable[Fault]:
    return [
        Fault(
            f"{container.path}.limits[{resource}]",
            quoted(resource),
            f"one that a pool of {view.environment} offers: {', '.join(sorted(view.card_resources)) or 'no cards'}",
            _BLOCK,
        )
        for pod in pod_templates(subject)
        for container in containers(pod)
        for resource in container.cards
        if resource not in view.card_resources and container.asks(resource) not in (0, "0", UNKNOWN)
    ]


def _pool_faults(subject: Subject, view: StackView) -> Iterable[Fault]:
    faults: list[Fault] = []
    for pod, request in _complete_pods(subject, view):
        target = landing(request, view)
        if not target.reached:
            faults += _obstacle_faults(pod, nearest(request, target), view)
        elif len(target.pools) > 1:
            faults.append(
                Fault(
                    pod.spec_path,
                    f"a pod that lands on several pools of {view.environment}: {', '.join(target.pools)}",
                    "a pod that reaches exactly one pool, so that its cards are known",
                    f"select the label in which they differ ({labels.ROLE.key}, {labels.MIG.key}, {labels.MODEL.key},"
                    f" {keys.CAPACITY_TYPE}), and tolerate one pool's taints: {_BLOCK}",
                )
            )
    return faults


def _complete_pods(subject: Subject, view: StackView) -> Iterator[tuple[PodTemplate, PodAsk]]:
    """Pods that the simpler rules accept: they name a purpose, tolerate its taint, and ask for an offered resource."""
    for pod, request in _pods_with_requests(subject):
        is_offered = all(name in view.card_resources for name, _ in request.devices if resources.is_card_resource(name))
        if names_purpose(pod) and not missing_tolerations(pod) and is_offered:
            yield pod, request


def nearest(request: PodAsk, target: Landing) -> tuple[tuple[NodePoolView, tuple[Obstacle, ...]], ...]:
    """Of the NodePools that a pod does not reach: those of the purpose that it names, with the fewest obstacles."""
    purposes = request.admitted(labels.PURPOSE.key)
    gpu_pools = [
        (node_pool, pool_obstacles)
        for node_pool, pool_obstacles in target.kept_from
        if labels.PURPOSE.key in node_pool.labels
    ]
    candidates = [
        (node_pool, pool_obstacles)
        for node_pool, pool_obstacles in gpu_pools
        if purposes and node_pool.labels[labels.PURPOSE.key] in purposes
    ] or gpu_pools
    fewest = min((len(pool_obstacles) for _, pool_obstacles in candidates), default=0)
    return tuple(
        (node_pool, pool_obstacles) for node_pool, pool_obstacles in candidates if len(pool_obstacles) == fewest
    )


def _obstacle_faults(
    pod: PodTemplate, nearest_pools: tuple[tuple[NodePoolView, tuple[Obstacle, ...]], ...], view: StackView
) -> list[Fault]:
    """One fault for all obstacles; none if only shares are the obstacle, because pod-one-share reports that."""
    kinds = {obstacle.kind for _, pool_obstacles in nearest_pools for obstacle in pool_obstacles}
    if Obstructs.SHARE in kinds <= {Obstructs.SHARE, Obstructs.SIZE}:
        return []
    reasons = dict.fromkeys(
        f"{node_pool.pool}: {'; '.join(obstacle.says for obstacle in pool_obstacles)}"
        for node_pool, pool_obstacles in nearest_pools
    )
    return [
        Fault(
            pod.spec_path,
            f"a pod that lands on no pool of {view.environment}. The nearest pools, and why they do not accept it: "
            + (" | ".join(reasons) or "there is no GPU pool"),
            "a selection, tolerations and an amount that one pool accepts",
            _BLOCK,
        )
    ]


def _partial_reach(subject: Subject, view: StackView) -> Iterable[Fault]:
    faults: list[Fault] = []
    for pod, request in _complete_pods(subject, view):
        target = landing(request, view)
        if len(target.pools) != 1:
            continue
        missed_pools = [
            (node_pool.name, pool_obstacles[0].says)
            for node_pool, pool_obstacles in target.kept_from
            if node_pool.pool == target.pools[0]
            and all(obstacle.kind in (Obstructs.SELECTION, Obstructs.TAINT) for obstacle in pool_obstacles)
        ]
        if missed_pools:
            faults.append(
                Fault(
                    pod.spec_path,
                    f"a pod that reaches only a part of the pool {target.pools[0]!r}, not {missed_pools[0][0]}:"
                    f" {missed_pools[0][1]}" + (f", and {len(missed_pools) - 1} more" if len(missed_pools) > 1 else ""),
                    "a pod that reaches every NodePool of its pool, so that it runs wherever the pool has room",
                    _BLOCK,
                )
            )
    return faults


def _share_amounts(subject: Subject, view: StackView) -> Iterable[Fault]:
    faults: list[Fault] = []
    for pod, request in _pods_with_requests(subject):
        obstacle_texts = [
            (node_pool.pool, pool_obstacles[0].says)
            for node_pool in view.node_pools
            if (pool_obstacles := obstacles(request, node_pool))
            and {obstacle.kind for obstacle in pool_obstacles} <= {Obstructs.SHARE, Obstructs.SIZE}
            if (pool_obstacles := tuple(obstacle for obstacle in pool_obstacles if obstacle.kind is Obstructs.SHARE))
        ]
        for pool, text in dict(obstacle_texts).items():
            path, allowed = f"{pod.spec_path}.containers", "one share: a second gives no more of the card"
            change = f"ask for 1 {resources.GPU}, or for whole cards from a pool that does not share them"
            faults.append(Fault(path, f"a pod of the pool {pool!r} that {text}", allowed, change))
    return faults


def _priority_classes(subject: Subject, view: StackView) -> Iterable[Fault]:
    faults: list[Fault] = []
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    for pod in pod_templates(subject):
        class_name = pod.spec.get("priorityClassName")
        if class_name is UNKNOWN or subject.namespace is None or (class_name is None and not asks_for_cards(pod)):
            continue
        path = f"{pod.spec_path}.priorityClassName"
        if namespace is not None and class_name not in namespace.priorities:
            allowed = f"one that {namespace.name} may use: {', '.join(namespace.priorities)}"
            faults.append(Fault(path, quoted(class_name), allowed, f"set priorityClassName: {namespace.priorities[0]}"))
        elif namespace is None and isinstance(class_name, str) and priority(class_name) is not None:
            namespace_names = [
                namespace_view.name for namespace_view in view.namespaces if class_name in namespace_view.priorities
            ]
            allowed = f"only in the namespaces that may use it: {', '.join(namespace_names) or 'none'}"
            faults.append(
                Fault(path, f"{class_name!r} in the namespace {subject.namespace}", allowed, "use a team's namespace")
            )
    return faults


def _quota_excess(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return []
    return [
        Fault(
            f"{pod.spec_path}.containers",
            f"{amount} {resource} in one pod",
            f"at most {namespace.quota.get(resource, 0)}, the quota of {namespace.name}: Kubernetes refuses the pod",
            "ask for less, or raise the namespace's quota in the stack's settings",
        )
        for pod, request in _pods_with_requests(subject)
        for resource, amount in request.devices
        if resources.is_card_resource(resource)
        and resource in view.card_resources
        and amount > namespace.quota.get(resource, 0)
    ]


_REACHED = 'variables.reached.map(each, each[1]).join(", ")'
_REACHES = (
    'variables.reached.size() == 0 ? "It reaches no pool of this stack." : "It reaches "'
    f' + ({_REACHED}.size() > 300 ? {_REACHED}.substring(0, 300) + "…" : {_REACHED} + ".")'
)
_STANDARD_CLASSES = literal(priority.name for priority in PRIORITIES)
_CLASS = 'variables.spec.?priorityClassName.orValue("")'


POD_RESOURCE_OFFERED = ViewRule(
    name="pod-resource-offered",
    description="A pod asks for a card resource that some pool of the stack offers.",
    severity=Severity.HIGH,
    remediation="Ask for the resource of the pool's block.",
    kinds=WORKLOAD_KINDS,
    judge=_missing_resources,
    admission=Cel(
        f'variables.limits.all(l, l.all(k, !{CARD_NAME} || string(l[k]) == "0" || k in variables.offered))',
        message='"This stack offers " + variables.offered.join(", ") + "."',
    ),
)

POD_REACHES_ONE_POOL = ViewRule(
    name="pod-reaches-one-pool",
    description="A pod that asks for cards lands on one pool of the stack, and on no other.",
    severity=Severity.HIGH,
    remediation="Paste the pool's block; `gpuplatform pods FILE --stack NAME` shows why a pool does not accept a pod.",
    kinds=WORKLOAD_KINDS,
    judge=_pool_faults,
    admission=Cel(
        "!variables.asks || variables.reached.size() > 0"
        " && variables.reached.all(each, each[0] == variables.reached[0][0])",
        message=_REACHES,
        gap="room for a pod's processors and memory on the largest node, and labels that no type has together",
    ),
)

POD_REACHES_WHOLE_POOL = ViewRule(
    name="pod-reaches-whole-pool",
    description="A pod's selection and tolerations reach every NodePool of its pool.",
    severity=Severity.LOW,
    remediation="Remove the part of the selection that restricts it to some NodePools of the pool.",
    kinds=WORKLOAD_KINDS,
    judge=_partial_reach,
    admission=NotInCluster("a pod on a part of its pool is not wrong, only restricted: lint tells its author"),
)

POD_ONE_SHARE = ViewRule(
    name="pod-one-share",
    description="A container asks for one share of a shared card.",
    severity=Severity.HIGH,
    remediation="Ask for one; for more of a card, use a pool of whole cards.",
    kinds=WORKLOAD_KINDS,
    judge=_share_amounts,
    admission=Cel(
        '!variables.reached.exists(each, each[5] == "1" && variables.limits.exists(l,'
        f" {literal(resources.GPU)} in l && quantity(string(l[{literal(resources.GPU)}])).asInteger() > 1))"
    ),
)

POD_PRIORITY_ALLOWED = ViewRule(
    name="pod-priority-allowed",
    description="A pod has a priority class that its namespace may use.",
    severity=Severity.HIGH,
    remediation="Use a class that the stack's settings give the namespace.",
    kinds=WORKLOAD_KINDS,
    judge=_priority_classes,
    admission=Cel(
        f"variables.allowed.size() == 0 ? !({_CLASS} in {_STANDARD_CLASSES})"
        f' : {_CLASS} == "" ? !variables.asks : {_CLASS} in variables.allowed',
        message='variables.allowed.size() == 0 ? "This namespace may use none of the platform\'s."'
        ' : "This namespace may use " + variables.allowed.join(", ") + "."',
        everywhere=True,
    ),
)

POD_WITHIN_QUOTA = ViewRule(
    name="pod-within-quota",
    description="One pod asks for no more than its namespace may have.",
    severity=Severity.MEDIUM,
    remediation="Ask for less, or raise the namespace's quota.",
    kinds=WORKLOAD_KINDS,
    judge=_quota_excess,
    admission=NotInCluster("the ResourceQuota of the namespace refuses the pod itself, with the numbers"),
)

VIEW_RULES = (
    POD_RESOURCE_OFFERED,
    POD_REACHES_ONE_POOL,
    POD_REACHES_WHOLE_POOL,
    POD_ONE_SHARE,
    POD_PRIORITY_ALLOWED,
    POD_WITHIN_QUOTA,
)
