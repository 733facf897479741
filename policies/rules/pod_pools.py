"""Whose pools are whose: a team's pods land on pools of their namespace, or on those that are open to all (Q1, T3)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from gpuplatform.faults import Fault
from gpuplatform.proofs.capture.landing import Obstructs, obstacles
from gpuplatform.proofs.capture.pod import PodAsk
from gpuplatform.proofs.capture.view import NamespaceView, StackView
from policies.cel import Cel
from policies.pod import ask
from policies.rule import Severity
from policies.subject import Subject
from policies.view_rule import ViewRule
from policies.workloads import WORKLOAD_KINDS, pod_templates

_NONE = "no GPU or Neuron pool"


def pools_outside(asked: PodAsk, namespace: NamespaceView, view: StackView) -> tuple[str, ...]:
    """The pools beyond those of its namespace that would take a pod, each once.

    A namespace of queued work is held alike: its team's queue has the flavors of all the team's queued namespaces, and
    adds a flavor's labels to what a job selects already.
    """
    # Room is left out: what a pod asks of processors and memory says nothing of where it is meant to run.
    anywhere = replace(asked, cpu_millis=0, memory_mib=0)
    return tuple(
        dict.fromkeys(
            each.pool
            for each in view.node_pools
            if not each.is_open_to_all
            and each.pool not in namespace.pools
            and all(one.kind is Obstructs.SHARE for one in obstacles(anywhere, each))
        )
    )


def _allowed(subject: Subject, view: StackView) -> Iterable[Fault]:
    namespace = view.namespace(subject.namespace) if subject.namespace is not None else None
    if namespace is None:
        return []
    return [
        Fault(
            pod.spec_path,
            f"a pod that may land on {', '.join(outside)}",
            f"the pools of {namespace.name}: {', '.join(namespace.pools) or _NONE}; CPU pools are open to all",
            "paste the block of one of those: `gpuplatform block --stack NAME --pool POOL`, or add the pool to the"
            " namespace's `pools` in the stack's settings",
        )
        for pod in pod_templates(subject)
        if (asked := ask(pod)) is not None and (outside := pools_outside(asked, namespace, view))
    ]


_OUTSIDE = 'variables.outside.map(each, each[1]).join(", ")'
_OWN = f'(variables.own_pools.exists(p, p != "") ? variables.own_pools.join(", ") : "{_NONE}")'


POD_POOL_ALLOWED = ViewRule(
    name="pod-pool-allowed",
    description="A team's pod lands on no GPU or Neuron pool that its namespace may not use.",
    severity=Severity.HIGH,
    remediation="Paste the block of a pool of the namespace, or add the pool to its `pools` in the stack's settings.",
    kinds=WORKLOAD_KINDS,
    judge=_allowed,
    admission=Cel(
        "variables.outside.size() == 0",
        says=f'"It may land on " + ({_OUTSIDE}.size() > 300 ? {_OUTSIDE}.substring(0, 300) + "…" : {_OUTSIDE})'
        f' + ". This namespace may use " + {_OWN} + "."',
    ),
)

VIEW_RULES = (POD_POOL_ALLOWED,)
