"""The scope of each admission policy: the objects that it matches, its exceptions, and the variables of its rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gpuplatform.standard import keys, labels, names, resources
from policies.admission.nodepools import NODE_POOL_VARIABLES
from policies.cel import literal
from policies.pod import CARD_NAME, PREFERRED, REQUIRED
from policies.rules.tenancy import PLATFORM
from policies.subject import (
    CONFIG_MAP,
    NAMESPACE,
    NODE,
    NODE_CLASS,
    NODE_POOL,
    RESOURCE_CLAIM,
    RESOURCE_CLAIM_TEMPLATE,
    SECRET,
    Kind,
)
from policies.workloads import WORKLOADS

CREATE, UPDATE = "CREATE", "UPDATE"
NOT_KARPENTER = f"request.userInfo.username != {literal(names.KARPENTER_USER)}"
_NOT_KUBELET = '!("system:nodes" in request.userInfo.groups)'


@dataclass(frozen=True, slots=True)
class Scope:
    """One admission policy without its rules."""

    name: str
    """Of the policy, after the platform's prefix."""
    kinds: tuple[Kind, ...]
    """Which rules it takes up."""
    resources: Mapping[str, tuple[str, ...]]
    """API group to plural names."""
    operations: tuple[str, ...]
    variables: Mapping[str, str]
    """CEL by name; each may read those before it."""
    match: Mapping[str, str]
    """Conditions by name, all of which hold before anything is judged."""
    teams_objects: bool | None = None
    """For things in namespaces: True in those of teams, False in every other; None for what has no namespace."""
    reads_stack: bool = False
    """Whether the variables read the stack's ConfigMap."""
    only_everywhere: bool = False
    """Whether it takes only the rules that hold outside teams' namespaces too."""
    must_answer: bool = True
    """Whether an object is refused if the policy itself fails; False if a refusal could stop the cluster."""


_OWN_LABELS = {
    "labels": "object.metadata.?labels.orValue({})",
    "was": "oldObject == null ? {} : oldObject.metadata.?labels.orValue({})",
}

_AFFINITY = "variables.spec.?affinity.?nodeAffinity"
_REQUIRED = f"{_AFFINITY}.?{REQUIRED}"
_PREFERRED = f"{_AFFINITY}.?{PREFERRED}"
_TAINT_OF = (
    't.startsWith(o.?key.orValue("") + "=" + (o.?operator.orValue("") == "Exists" ? "" : o.?value.orValue("") + ":"))'
)
_VALUE = "p.substring(e.key.size() + 1)"
_COMPARES = (
    'each[2].split(",").exists(p, p.startsWith(e.key + "=")'
    f' && {_VALUE}.matches("^[0-9]{{1,18}}$") && int({_VALUE}) %s int(e.values[0]))'
)
_MATCHES = (
    f'e.key in {literal(sorted(keys.RUNTIME_LABELS))} && !each[2].contains("," + e.key + "=") ? true'
    ' : e.operator == "In" ? e.values.exists(v, each[2].contains("," + e.key + "=" + v + ","))'
    ' : e.operator == "NotIn" ? !each[2].contains("," + e.key + "=")'
    ' || each[2].split(",").exists(p, p.startsWith(e.key + "=") && !(p.substring(e.key.size() + 1) in e.values))'
    ' : e.operator == "Exists" ? each[2].contains("," + e.key + "=")'
    ' : e.operator == "DoesNotExist" ? !each[2].contains("," + e.key + "=")'
    f' : e.operator == "Gt" ? {_COMPARES % ">"} : {_COMPARES % "<"}'
)
_OF_UNKNOWN_LABEL = f"!(e.key in variables.told || e.key.startsWith({literal(labels.PREFIX)}))"
_OFFERS = (
    'string(l[k]) == "0" || each[4].split(",").exists(o,'
    ' o.startsWith(k + "=") && quantity(string(l[k])).asInteger() <= int(o.substring(k.size() + 1))'
    " && variables.running.map(m, k in m ? quantity(string(m[k])).asInteger() : 0).sum()"
    " <= int(o.substring(k.size() + 1)))"
)
_NEURON = (resources.NEURON, resources.NEURON_CORE)
_HAS_CARDS = f"each[2].contains({literal(f',{labels.PURPOSE.key}=')})"
_HAS_NEURON = f'("," + each[4]).contains({literal(f",{resources.NEURON}=")})'
_TOLERATIONS_OF = "%s.spec.?tolerations.orValue([])"
_LABEL_OF = '%s.metadata.?labels.orValue({})[?"%s"].orValue("")'
_QUEUE_LABELS = (keys.QUEUE_NAME, keys.QUEUE_PRIORITY)


def _pod_variables(spec: str, metadata: str) -> dict[str, str]:
    """What the rules about pods read; ``each`` NodePool is a line of the stack's ConfigMap (``parameters``)."""
    return {
        "spec": spec,
        "annotations": f"{metadata}.?annotations.orValue({{}})",
        "containers": "variables.spec.containers + variables.spec.?initContainers.orValue([])",
        "limits": "variables.containers.map(c, c.?resources.?limits.orValue({}))",
        # Init containers that end are not in the sum: they run before the other containers.
        "running": "(variables.spec.containers + variables.spec.?initContainers.orValue([])"
        '.filter(c, c.?restartPolicy.orValue("") == "Always")).map(c, c.?resources.?limits.orValue({}))',
        "claims": 'variables.spec.?resourceClaims.orValue([]).map(c, c.?resourceClaimTemplateName.orValue(""))'
        '.filter(c, c != "")',
        "selector": "variables.spec.?nodeSelector.orValue({})",
        "own": 'variables.selector.map(k, {"key": dyn(k), "operator": dyn("In"),'
        ' "values": dyn([variables.selector[k]])})',
        "terms": f"{_REQUIRED}.?nodeSelectorTerms.orValue([])",
        "alternatives": f"{_REQUIRED}.hasValue() ? variables.terms.filter(t, t.?matchExpressions.orValue([]).size() > 0"
        " || t.?matchFields.hasValue()).map(t, variables.own + t.?matchExpressions.orValue([])) : [variables.own]",
        "wishes": f"{_PREFERRED}.orValue([]).map(p, p.preference.?matchExpressions.orValue([]))",
        "demands": "[variables.own] + variables.alternatives + variables.wishes",
        "tolerations": "variables.spec.?tolerations.orValue([])",
        "asks": f'variables.limits.exists(l, l.exists(k, {CARD_NAME} && string(l[k]) != "0"))'
        " || variables.claims.size() > 0"
        f" && variables.demands.exists(d, d.exists(e, e.key.startsWith({literal(labels.PREFIX)})))",
    }


_STACK_VARIABLES = {
    "nodepools": 'params.data.nodepools.split("\\n").map(line, line.split("|"))',
    "offered": 'params.data.resources.split(",")',
    "of_namespace": 'params.data.priorities.split("\\n").filter(line, line.startsWith(request.namespace + "="))',
    "allowed": "variables.of_namespace.size() == 0 ? []"
    ' : variables.of_namespace[0].substring(request.namespace.size() + 1).split(",")',
    "queues": 'params.data.queues.split("\\n").filter(line, line.startsWith(request.namespace + "="))',
    "queue": 'variables.queues.size() == 0 ? "" : variables.queues[0].substring(request.namespace.size() + 1)',
    "pools": 'params.data.pools.split("\\n").filter(line, line.startsWith(request.namespace + "="))',
    "own_pools": "variables.pools.size() == 0 ? []"
    ' : variables.pools[0].substring(request.namespace.size() + 1).split(",")',
    "tolerated": 'variables.nodepools.filter(each, each[3].split(",").all(t, t == "" || variables.tolerations.exists(o,'
    ' (o.?key.orValue("") == "" ? o.?operator.orValue("") == "Exists" : ' + _TAINT_OF + ")"
    ' && (o.?effect.orValue("") == "" || t.endsWith(":" + o.effect)))))',
    "selected": f"variables.tolerated.filter(each, variables.alternatives.exists(a, a.all(e, {_MATCHES})))",
    "reached": "variables.asks ? variables.selected.filter(each, variables.claims.all(c, c == each[6])"
    f' && variables.limits.all(l, l.all(k, !k.contains("/") || {_OFFERS}))) : []',
    # A label that is told of no NodePool, such as a host's name, may be on any node.
    "told": 'params.data.labels.split(",")',
    "outside": f"variables.tolerated.filter(each, ({_HAS_CARDS} || {_HAS_NEURON}) && !(each[0] in variables.own_pools)"
    f" && variables.alternatives.exists(a, a.all(e, {_OF_UNKNOWN_LABEL} || ({_MATCHES})))"
    f" && variables.limits.all(l, l.all(k, !({CARD_NAME} || k in {literal(_NEURON)}) || {_OFFERS})))",
}


def _pods(name: str, plurals: Mapping[Kind, str]) -> Scope:
    """The policy for kinds that have their pod at the same path."""
    (pod_path,) = {pod_path.path for kind in plurals for pod_path in WORKLOADS[kind]}
    pod = f"object.{pod_path}" if pod_path else "object"
    (group,) = {kind.group for kind in plurals}
    old_pod = pod.replace("object", "oldObject", 1)
    # An update of a pod can widen only its tolerations; other work is checked again when it changes.
    changes = f"{_TOLERATIONS_OF % pod} != {_TOLERATIONS_OF % old_pod}"
    if pod_path:
        changes = " || ".join(
            [
                f"{pod}.spec != {old_pod}.spec",
                *(
                    f"{_LABEL_OF % ('object', label_key)} != {_LABEL_OF % ('oldObject', label_key)}"
                    for label_key in _QUEUE_LABELS
                ),
            ]
        )
    return Scope(
        name=name,
        kinds=tuple(plurals),
        resources={group: tuple(plurals.values())},
        operations=(CREATE, UPDATE),
        variables={**_pod_variables(f"{pod}.spec", f"{pod}.?metadata"), **_STACK_VARIABLES},
        match={"new-or-changed": f"oldObject == null || {changes}"},
        teams_objects=True,
        reads_stack=True,
    )


PODS = _pods("pods", {Kind("", "Pod"): "pods"})

SCOPES: tuple[Scope, ...] = (
    PODS,
    _pods(
        "apps",
        {
            Kind("apps", "Deployment"): "deployments",
            Kind("apps", "StatefulSet"): "statefulsets",
            Kind("apps", "DaemonSet"): "daemonsets",
        },
    ),
    _pods("jobs", {Kind("batch", "Job"): "jobs"}),
    _pods("cronjobs", {Kind("batch", "CronJob"): "cronjobs"}),
    Scope(
        name="environments",
        kinds=(CONFIG_MAP, SECRET),
        resources={"": ("configmaps", "secrets")},
        operations=(CREATE, UPDATE),
        variables={},
        match={},
        teams_objects=True,
    ),
    Scope(
        name="claims",
        kinds=(RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE),
        resources={RESOURCE_CLAIM.group: ("resourceclaims", "resourceclaimtemplates")},
        operations=(CREATE, UPDATE),
        variables={},
        match={},
        teams_objects=True,
    ),
    Scope(
        name="pods-elsewhere",
        kinds=PODS.kinds,
        resources=PODS.resources,
        operations=PODS.operations,
        variables=PODS.variables,
        match=PODS.match,
        teams_objects=False,
        reads_stack=True,
        only_everywhere=True,
        # This policy covers the cluster's own pods: a failure of it must never keep them from starting.
        must_answer=False,
    ),
    Scope(
        name="nodepools",
        kinds=(NODE_POOL,),
        resources={NODE_POOL.group: ("nodepools",)},
        operations=(CREATE, UPDATE),
        variables=NODE_POOL_VARIABLES,
        match={"not-karpenter": NOT_KARPENTER},
    ),
    Scope(
        name="nodeclasses",
        kinds=(NODE_CLASS,),
        resources={NODE_CLASS.group: ("ec2nodeclasses",)},
        operations=(CREATE, UPDATE),
        variables={},
        match={"not-karpenter": NOT_KARPENTER},
    ),
    Scope(
        name="nodes",
        kinds=(NODE,),
        resources={"": ("nodes",)},
        operations=(UPDATE,),
        variables=_OWN_LABELS,
        match={
            "not-karpenter": NOT_KARPENTER,
            "not-a-kubelet": _NOT_KUBELET,
            "a-label-of-the-standard-was-there": "oldObject.metadata.?labels.orValue({})"
            f".exists(k, k.startsWith({literal(labels.PREFIX)}))",
        },
        # A node whose object cannot be written is lost.
        must_answer=False,
    ),
    Scope(
        name="namespaces",
        kinds=(NAMESPACE,),
        resources={"": ("namespaces",)},
        operations=(CREATE, UPDATE),
        variables=_OWN_LABELS,
        match={
            "a-teams": " || ".join(
                f"{labels_at}.orValue({{}})[?{literal(keys.TEAM)}].hasValue()"
                f' || {labels_at}.orValue({{}})[?{literal(keys.PART_OF)}].orValue("") == {literal(PLATFORM)}'
                for labels_at in ("object.metadata.?labels", "oldObject.?metadata.?labels")
            ),
            "not-going-away": "!has(object.metadata.deletionTimestamp)",
        },
    ),
)
"""Every admission policy, in reading order."""
