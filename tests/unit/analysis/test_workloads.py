"""What a chart makes of values, and which node takes it."""

from __future__ import annotations

from gpuplatform.analysis.workloads import Made, NodeKind, faults, made, obstacles, stands, value_at
from gpuplatform.settings.source import Plain
from gpuplatform.standard.sheets.sheet import (
    AffinityRequirement,
    Kind,
    MeantFor,
    Paths,
    Requests,
    Sheet,
    Sidecar,
    Workload,
)
from gpuplatform.standard.taints import SYSTEM_TAINT, Taint, TaintEffect, system_labels, system_tolerations

PATHS = Paths(
    tolerations="app.tolerations",
    node_selector="app.nodeSelector",
    affinity="app.affinity",
    resources="app.resources",
    priority="app.priority",
    replicas="app.replicas",
    spread="app.spread",
    service_account="app.account",
)
GPU = Taint("nvidia.com/gpu", "present", TaintEffect.NO_SCHEDULE)
SYSTEM = NodeKind(
    "a system node",
    {**system_labels(), "os": "linux"},
    (SYSTEM_TAINT,),
    frozenset({MeantFor.SYSTEM, MeantFor.EVERY_NODE}),
    2,
)
CARDS = NodeKind("a GPU node", {"gpu": "yes"}, (GPU,), frozenset({MeantFor.GPU_NODES, MeantFor.EVERY_NODE}))
OPEN = NodeKind("a CPU node", {"os": "linux"}, (), frozenset({MeantFor.EVERY_NODE}))
KINDS = (SYSTEM, CARDS, OPEN)
PLACED: dict[str, Plain] = {"nodeSelector": dict(system_labels()), "tolerations": [dict(system_tolerations()[0])]}


def workload(place: MeantFor = MeantFor.SYSTEM, kind: Kind = Kind.DEPLOYMENT, **more: object) -> Workload:
    return Workload.model_validate({"kind": kind, "name": "app", "place": place, "paths": PATHS, **more})


def made_of(fact: Workload, values: dict[str, Plain] | None = None, **sheet: object) -> Made:
    """The workload, made of values under ``app``."""
    (workload_made,) = made(a_sheet(fact, **sheet), {"app": values or {}}, "somewhere")
    return workload_made


def a_sheet(*facts: Workload, **more: object) -> Sheet:
    return Sheet.model_validate({"name": "chart", "version": "1", "source": "a test", "workloads": facts, **more})


def test_without_values_a_workload_is_as_the_sheet_says() -> None:
    fact = workload(
        service_account="own",
        replicas=3,
        priority="high",
        requests=Requests(cpu="1"),
        node_selector={"os": "linux"},
        tolerations=[{"key": "t", "operator": "Exists"}],
    )
    workload_made = made_of(fact)
    assert (workload_made.service_account, workload_made.replicas, workload_made.priority, workload_made.namespace) == (
        "own",
        3,
        "high",
        "somewhere",
    )
    assert (workload_made.node_selector, workload_made.tolerations) == (
        {"os": "linux"},
        ({"key": "t", "operator": "Exists"},),
    )
    assert workload_made.containers[0].requests == {"cpu": "1"}


def test_values_replace_lists_and_are_merged_into_mappings() -> None:
    fact = workload(
        tolerations=[{"key": "default"}],
        always_tolerates=[{"key": "always"}],
        node_selector={"os": "linux"},
        requests=Requests(cpu="1", memory="1Gi"),
    )
    workload_made = made_of(
        fact,
        {
            "tolerations": [{"key": "own"}],
            "nodeSelector": {"role": "system"},
            "resources": {"requests": {"cpu": "2"}},
            "priority": "low",
            "replicas": 2,
            "account": "named",
        },
    )
    assert workload_made.tolerations == ({"key": "always"}, {"key": "own"})
    assert workload_made.node_selector == {"os": "linux", "role": "system"}
    assert workload_made.containers[0].requests == {"cpu": "2", "memory": "1Gi"}
    assert (workload_made.priority, workload_made.replicas, workload_made.service_account) == ("low", 2, "named")


def test_a_sidecar_asks_for_what_its_own_path_says() -> None:
    fact = workload(sidecars=(Sidecar(name="beside", resources="app.beside", requests=Requests(memory="1Mi")),))
    workload_made = made_of(fact, {"beside": {"requests": {"cpu": "1m"}}})
    assert [(container.name, container.requests) for container in workload_made.containers] == [
        ("app", {}),
        ("beside", {"memory": "1Mi", "cpu": "1m"}),
    ]


def test_a_switch_decides_by_the_values_and_else_by_the_chart() -> None:
    facts = workload(when="app.on"), workload(kind=Kind.JOB, unless="app.on")
    sheet = a_sheet(*facts, switches={"app.on": True})
    assert [workload_made.fact.kind for workload_made in made(sheet, {}, "here")] == [Kind.DEPLOYMENT]
    assert [workload_made.fact.kind for workload_made in made(sheet, {"app": {"on": False}}, "here")] == [Kind.JOB]


def test_a_node_affinity_of_the_values_takes_the_place_of_the_charts() -> None:
    fact = workload(node_terms=((AffinityRequirement(key="a", operator="Exists"),),))
    terms: Plain = [{"matchExpressions": [{"key": "b", "operator": "In", "values": ["1"]}]}]
    required: dict[str, Plain] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    assert made_of(fact).node_terms[0][0].key == "a"
    assert made_of(fact, {"affinity": {"podAntiAffinity": {}}}).node_terms[0][0].key == "a"
    assert made_of(fact, {"affinity": {"nodeAffinity": required}}).node_terms[0][0].key == "b"


def test_a_value_is_found_at_its_path_or_not_at_all() -> None:
    values = {"a": {"b": 1}}
    assert (value_at(values, "a.b"), value_at(values, "a.c"), value_at(values, "a.b.c"), value_at(values, None)) == (
        1,
        None,
        None,
        None,
    )


def test_a_pod_spec_says_everything_that_decides_where_the_pod_stands() -> None:
    fact = workload(
        service_account="own",
        hosts_apart=True,
        labels={"app": "one"},
        node_terms=((AffinityRequirement(key="a", operator="Exists"),),),
    )
    spec = made_of(fact, {**PLACED, "priority": "high", "spread": [{"maxSkew": 1}]}).pod_spec()
    assert spec["nodeSelector"] == system_labels()
    assert spec["tolerations"] == system_tolerations()
    assert (spec["serviceAccountName"], spec["priorityClassName"]) == ("own", "high")
    assert spec["topologySpreadConstraints"] == [{"maxSkew": 1}]
    assert spec["affinity"] == {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
            }
        },
        "podAntiAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": {"matchLabels": {"app": "one"}}, "topologyKey": "kubernetes.io/hostname"}
            ]
        },
    }


def test_a_controller_without_a_toleration_has_no_node() -> None:
    workload_made = made_of(workload(), {"nodeSelector": dict(system_labels())})
    (fault,) = faults([workload_made], KINDS)
    assert fault.path == "charts[chart].Deployment[app]"
    assert fault.given == (
        "cannot run on a system node: its pod does not tolerate the taint CriticalAddonsOnly=true:NoSchedule"
    )
    assert "app.tolerations" in fault.change


def test_a_controller_that_selects_nothing_strays() -> None:
    (fault,) = faults([made_of(workload(), {"tolerations": PLACED["tolerations"]})], KINDS)
    assert fault.given == "can run on a CPU node"
    assert "app.nodeSelector" in fault.change


def test_a_controller_with_both_is_right() -> None:
    assert faults([made_of(workload(), PLACED)], KINDS) == []


def test_a_daemon_set_that_misses_one_kind_of_node_is_named_with_it() -> None:
    everywhere = workload(MeantFor.EVERY_NODE, Kind.DAEMON_SET)
    (fault,) = faults([made_of(everywhere, {"tolerations": [{"operator": "Exists", "effect": "NoExecute"}]})], KINDS)
    assert fault.given.startswith("cannot run on a system node and 1 more: its pod does not tolerate the taint")
    assert faults([made_of(everywhere, {"tolerations": [{"operator": "Exists"}]})], KINDS) == []


def test_pods_that_refuse_to_share_a_host_need_as_many_system_nodes() -> None:
    apart = workload(hosts_apart=True)
    assert faults([made_of(apart, {**PLACED, "replicas": 2})], KINDS) == []
    (fault,) = faults([made_of(apart, {**PLACED, "replicas": 3})], KINDS)
    assert (fault.given, fault.change) == (
        "3 pods that refuse to share a host, on 2 system nodes",
        "raise system_nodes.nodes",
    )


def test_a_pod_that_its_maker_binds_to_a_node_is_not_judged() -> None:
    assert faults([made_of(workload(is_bound=True))], KINDS) == []


def test_a_toleration_is_read_as_kubernetes_reads_it() -> None:
    def tolerating(**toleration: Plain) -> bool:
        return stands(made_of(workload(), {"tolerations": [toleration]}).ask, CARDS)

    assert tolerating(operator="Exists")
    assert tolerating(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
    assert tolerating(key="nvidia.com/gpu", value="present")
    assert not tolerating(key="nvidia.com/gpu", value="true")
    assert not tolerating(key="nvidia.com/gpu", operator="Exists", effect="NoExecute")
    assert not tolerating(key="other", operator="Exists")


def test_what_keeps_a_pod_off_a_node_is_said_whole() -> None:
    workload_made = made_of(workload(), {"nodeSelector": {"gpu": "no"}})
    assert obstacles(workload_made.ask, CARDS) == (
        "does not tolerate the taint nvidia.com/gpu=present:NoSchedule",
        "selects gpu=no",
    )
    assert obstacles(made_of(workload()).ask, OPEN) == ()
