"""What a chart makes of values, and which node takes it."""

from __future__ import annotations

from gpuplatform.proofs.workloads import Made, NodeKind, faults, made, obstacles, stands, value_at
from gpuplatform.settings.source import Plain
from gpuplatform.standard.sheets.sheet import Kind, Paths, Place, Requests, Requirement, Sheet, Sidecar, Workload
from gpuplatform.standard.system_nodes import system_labels, system_tolerations
from gpuplatform.standard.taints import SYSTEM_TAINT, Effect, Taint

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
GPU = Taint("nvidia.com/gpu", "present", Effect.NO_SCHEDULE)
SYSTEM = NodeKind(
    "a system node", {**system_labels(), "os": "linux"}, (SYSTEM_TAINT,), frozenset({Place.SYSTEM, Place.EVERY_NODE}), 2
)
CARDS = NodeKind("a GPU node", {"gpu": "yes"}, (GPU,), frozenset({Place.GPU_NODES, Place.EVERY_NODE}))
OPEN = NodeKind("a CPU node", {"os": "linux"}, (), frozenset({Place.EVERY_NODE}))
KINDS = (SYSTEM, CARDS, OPEN)
PLACED: dict[str, Plain] = {"nodeSelector": dict(system_labels()), "tolerations": [dict(system_tolerations()[0])]}


def workload(place: Place = Place.SYSTEM, kind: Kind = Kind.DEPLOYMENT, **more: object) -> Workload:
    return Workload.model_validate({"kind": kind, "name": "app", "place": place, "paths": PATHS, **more})


def one(fact: Workload, values: dict[str, Plain] | None = None, **sheet: object) -> Made:
    """The workload, made of values under ``app``."""
    (found,) = made(a_sheet(fact, **sheet), {"app": values or {}}, "somewhere")
    return found


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
    found = one(fact)
    assert (found.service_account, found.replicas, found.priority, found.namespace) == ("own", 3, "high", "somewhere")
    assert (found.node_selector, found.tolerations) == ({"os": "linux"}, ({"key": "t", "operator": "Exists"},))
    assert found.containers[0].requests == {"cpu": "1"}


def test_values_replace_lists_and_are_merged_into_mappings() -> None:
    fact = workload(
        tolerations=[{"key": "default"}],
        always_tolerates=[{"key": "always"}],
        node_selector={"os": "linux"},
        requests=Requests(cpu="1", memory="1Gi"),
    )
    found = one(
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
    assert found.tolerations == ({"key": "always"}, {"key": "own"})
    assert found.node_selector == {"os": "linux", "role": "system"}
    assert found.containers[0].requests == {"cpu": "2", "memory": "1Gi"}
    assert (found.priority, found.replicas, found.service_account) == ("low", 2, "named")


def test_a_sidecar_asks_for_what_its_own_path_says() -> None:
    fact = workload(sidecars=(Sidecar(name="beside", resources="app.beside", requests=Requests(memory="1Mi")),))
    found = one(fact, {"beside": {"requests": {"cpu": "1m"}}})
    assert [(each.name, each.requests) for each in found.containers] == [
        ("app", {}),
        ("beside", {"memory": "1Mi", "cpu": "1m"}),
    ]


def test_a_switch_decides_by_the_values_and_else_by_the_chart() -> None:
    facts = workload(when="app.on"), workload(kind=Kind.JOB, unless="app.on")
    sheet = a_sheet(*facts, switches={"app.on": True})
    assert [found.fact.kind for found in made(sheet, {}, "here")] == [Kind.DEPLOYMENT]
    assert [found.fact.kind for found in made(sheet, {"app": {"on": False}}, "here")] == [Kind.JOB]


def test_a_node_affinity_of_the_values_takes_the_place_of_the_charts() -> None:
    fact = workload(node_terms=((Requirement(key="a", operator="Exists"),),))
    terms: Plain = [{"matchExpressions": [{"key": "b", "operator": "In", "values": ["1"]}]}]
    required: dict[str, Plain] = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    assert one(fact).node_terms[0][0].key == "a"
    assert one(fact, {"affinity": {"podAntiAffinity": {}}}).node_terms[0][0].key == "a"
    assert one(fact, {"affinity": {"nodeAffinity": required}}).node_terms[0][0].key == "b"


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
        node_terms=((Requirement(key="a", operator="Exists"),),),
    )
    spec = one(fact, {**PLACED, "priority": "high", "spread": [{"maxSkew": 1}]}).pod_spec()
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
    found = one(workload(), {"nodeSelector": dict(system_labels())})
    (fault,) = faults([found], KINDS)
    assert fault.path == "charts[chart].Deployment[app]"
    assert fault.given == (
        "cannot stand on a system node: its pod does not tolerate the taint CriticalAddonsOnly=true:NoSchedule"
    )
    assert "app.tolerations" in fault.change


def test_a_controller_that_selects_nothing_strays() -> None:
    (fault,) = faults([one(workload(), {"tolerations": PLACED["tolerations"]})], KINDS)
    assert fault.given == "can stand on a CPU node"
    assert "app.nodeSelector" in fault.change


def test_a_controller_with_both_is_right() -> None:
    assert faults([one(workload(), PLACED)], KINDS) == []


def test_a_daemon_set_that_misses_one_kind_of_node_is_named_with_it() -> None:
    everywhere = workload(Place.EVERY_NODE, Kind.DAEMON_SET)
    (fault,) = faults([one(everywhere, {"tolerations": [{"operator": "Exists", "effect": "NoExecute"}]})], KINDS)
    assert fault.given.startswith("cannot stand on a system node and 1 more: its pod does not tolerate the taint")
    assert faults([one(everywhere, {"tolerations": [{"operator": "Exists"}]})], KINDS) == []


def test_pods_that_refuse_to_share_a_host_need_as_many_system_nodes() -> None:
    apart = workload(hosts_apart=True)
    assert faults([one(apart, {**PLACED, "replicas": 2})], KINDS) == []
    (fault,) = faults([one(apart, {**PLACED, "replicas": 3})], KINDS)
    assert (fault.given, fault.change) == (
        "3 pods that refuse to share a host, on 2 system nodes",
        "raise system_nodes.nodes",
    )


def test_a_pod_that_its_maker_binds_to_a_node_is_not_judged() -> None:
    assert faults([one(workload(is_bound=True))], KINDS) == []


def test_a_toleration_is_read_as_kubernetes_reads_it() -> None:
    def tolerating(**toleration: Plain) -> bool:
        return stands(one(workload(), {"tolerations": [toleration]}).ask, CARDS)

    assert tolerating(operator="Exists")
    assert tolerating(key="nvidia.com/gpu", operator="Exists", effect="NoSchedule")
    assert tolerating(key="nvidia.com/gpu", value="present")
    assert not tolerating(key="nvidia.com/gpu", value="true")
    assert not tolerating(key="nvidia.com/gpu", operator="Exists", effect="NoExecute")
    assert not tolerating(key="other", operator="Exists")


def test_what_keeps_a_pod_off_a_node_is_said_whole() -> None:
    found = one(workload(), {"nodeSelector": {"gpu": "no"}})
    assert obstacles(found.ask, CARDS) == (
        "does not tolerate the taint nvidia.com/gpu=present:NoSchedule",
        "selects gpu=no",
    )
    assert obstacles(one(workload()).ask, OPEN) == ()
