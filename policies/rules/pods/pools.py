"""A team's pods land on pools of their namespace, or on pools that are open to all."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from gpuplatform.analysis.placement.landing import obstacles
from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.analysis.placement.view import NamespaceView, StackView
from gpuplatform.faults import Fault
from gpuplatform.standard import labels, resources
from policies.cel import Cel
from policies.pod import ask, names_cards
from policies.rule import Severity, ViewRule
from policies.subject import Subject
from policies.workloads import WORKLOAD_KINDS, pod_templates

_NONE = "no GPU or Neuron pool"
_NEURON = (resources.NEURON, resources.NEURON_CORE)


def pools_outside(request: PodAsk, namespace: NamespaceView, view: StackView) -> tuple[str, ...]:
    """The pools beyond those of its namespace that would take a pod, each once.

    A namespace of queued work is held alike: its team's queue has the flavors of all the team's queued namespaces, and
    adds a flavor's labels to what a job selects already.
    """
    widest = _widest_request(request, view)
    return tuple(
        dict.fromkeys(
            node_pool.pool
            for node_pool in view.node_pools
            if not node_pool.is_open_to_all
            and node_pool.pool not in namespace.pools
            and not obstacles(widest, node_pool)
        )
    )


def _widest_request(request: PodAsk, view: StackView) -> PodAsk:
    """The pod without the demands that the view cannot decide.

    A label that the view has for no node, such as a host's name, may be on any node. Room, claims, and devices other
    than cards and Neuron do not tell which pool is intended.
    """
    keys_in_view = _label_keys(view)
    return PodAsk(
        alternatives=tuple(
            tuple(match for match in alternative if match.key in keys_in_view or match.key.startswith(labels.PREFIX))
            for alternative in request.alternatives
        ),
        tolerations=request.tolerations,
        devices=tuple((name, amount) for name, amount in request.devices if names_cards(name) or name in _NEURON),
    )


@functools.lru_cache(maxsize=16)
def _label_keys(view: StackView) -> frozenset[str]:
    return view.label_keys


def _foreign_pools(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return []
    return [
        Fault(
            pod.spec_path,
            f"a pod that may land on {', '.join(foreign_pools)}",
            f"the pools of {namespace.name}: {', '.join(namespace.pools) or _NONE}; CPU pools are open to all",
            "paste the block of one of those: `gpuplatform block --stack NAME --pool POOL`, or add the pool to the"
            " namespace's `pools` in the stack's settings",
        )
        for pod in pod_templates(subject)
        if (request := ask(pod)) is not None and (foreign_pools := pools_outside(request, namespace, view))
    ]


_OUTSIDE = 'variables.outside.map(each, each[1]).join(", ")'
_OWN = f'(variables.own_pools.exists(p, p != "") ? variables.own_pools.join(", ") : "{_NONE}")'


POD_POOL_ALLOWED = ViewRule(
    name="pod-pool-allowed",
    description="A team's pod lands on no GPU or Neuron pool that its namespace may not use.",
    severity=Severity.HIGH,
    remediation="Paste the block of a pool of the namespace, or add the pool to its `pools` in the stack's settings.",
    kinds=WORKLOAD_KINDS,
    judge=_foreign_pools,
    admission=Cel(
        "variables.outside.size() == 0",
        message=f'"It may land on " + ({_OUTSIDE}.size() > 300 ? {_OUTSIDE}.substring(0, 300) + "…" : {_OUTSIDE})'
        f' + ". This namespace may use " + {_OWN} + "."',
    ),
)

VIEW_RULES = (POD_POOL_ALLOWED,)
