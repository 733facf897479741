"""Whether the system group carries every controller with one node down."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from cli.main import main
from gpuplatform.accept import check
from gpuplatform.analysis.system_group import Controller, Room, SystemPods, faults, load, system_pods, unplaced
from gpuplatform.catalog.instance_types import InstanceType, instance_type
from gpuplatform.faults import Fault
from gpuplatform.platform_pods import platform_pods, system_load
from gpuplatform.settings.cluster import SystemNodes
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_namespace, a_tenant, paths, settings_object, stack_settings


def catalog_type(name: str) -> InstanceType:
    node = instance_type(name)
    assert node is not None
    return node


def a_room(cpu_millis: int = 1000, memory_mib: int = 1000, pods: int = 100) -> Room:
    return Room(cpu_millis, memory_mib, pods)


def queued(**system_nodes: Plain) -> dict[str, Plain]:
    """Settings with every controller: queues and monitoring."""
    tenant = a_tenant(namespaces=[a_namespace(scheduling="queued")])
    return settings_object(tenants=[tenant], system_nodes=system_nodes)


def fault_of(settings: dict[str, Plain]) -> Fault:
    (fault,) = [fault for fault in check(settings).faults if fault.path == "system_nodes"]
    return fault


@pytest.mark.parametrize("stack", STACKS)
def test_the_group_of_every_environment_carries_its_controllers_with_one_node_down(stack: str) -> None:
    carried = system_load(stack_settings(stack))
    assert carried is not None
    assert carried.unplaced == ()
    assert carried.cpu_millis <= carried.hosts * carried.room.cpu_millis


def test_check_says_in_a_line_and_as_json_what_is_asked_and_what_there_is() -> None:
    shown = CliRunner().invoke(main, ["check", "--stack", "prod"])
    (line,) = [line for line in shown.output.splitlines() if line.startswith("system nodes: ")]
    written = json.loads(CliRunner().invoke(main, ["check", "--stack", "prod", "--format", "json"]).output)
    carried = system_load(stack_settings("prod"))
    assert carried is not None
    assert line == str(carried)
    assert f"in {carried.pods} pods; with one node down there is 3 times" in line
    assert written["system_nodes"] == carried.as_json()
    assert carried.as_json()["room_pods"] == 3 * (110 - len(of_stack(stack_settings("prod")).daemons))


def test_a_group_that_is_too_small_is_one_fault_that_says_the_sum_and_what_a_node_gives() -> None:
    fault = fault_of(queued(instance_types=["m7i.large"], nodes=3))
    assert "3 nodes of m7i.large: with one node down there is no room for" in fault.given
    assert "controllers ask for 3." in fault.given
    assert "2 times 1.72 vCPU and 5.7 GiB" in fault.given


@pytest.mark.parametrize("nodes", [2, 3])
def test_either_way_that_the_fault_names_is_enough(nodes: int) -> None:
    change = fault_of(queued(instance_types=["m7i.large"], nodes=nodes)).change
    more, larger = change.split(", or ")
    assert more == "raise system_nodes.nodes to 4"
    assert larger == "take m7i.xlarge as system_nodes.instance_types"
    assert check(queued(instance_types=["m7i.large"], nodes=4)).faults == ()
    assert check(queued(instance_types=["m7i.xlarge"], nodes=nodes)).faults == ()


def test_a_group_of_which_no_number_of_nodes_is_enough_needs_a_larger_type() -> None:
    pods = SystemPods((Controller("great", 3000, 100),))
    (fault,) = faults(SystemNodes(instance_types=("m7i.large",), nodes=3), pods)
    assert fault.change == "take m7i.xlarge as system_nodes.instance_types"
    (fault,) = faults(SystemNodes(nodes=3), SystemPods((Controller("vast", 10**6, 100),)))
    assert fault.change == "take a larger instance type"


def test_a_type_that_nobody_knows_is_another_judge_s_matter() -> None:
    assert load(SystemNodes(instance_types=("m7i.large", "q9.large")), SystemPods()) is None
    assert paths(check(settings_object(system_nodes={"instance_types": ["q9.large"]})).faults) == [
        "system_nodes.instance_types"
    ]


def test_whichever_type_eks_launches_the_weakest_is_enough() -> None:
    mixed, weak = (Room.of_any(map(catalog_type, names)) for names in (("m7i.2xlarge", "m7i.large"), ("m7i.large",)))
    assert mixed == weak


def test_what_fits_in_sum_and_on_no_node_is_not_carried() -> None:
    assert unplaced((Controller("half", 600, 0, replicas=3),), a_room(), hosts=2) == ("half",)
    assert unplaced((Controller("half", 600, 0, replicas=2),), a_room(), hosts=2) == ()


@pytest.mark.parametrize("controller", [Controller("twice", 600, 0), Controller("twice", 0, 600)])
def test_cpu_and_memory_both_count(controller: Controller) -> None:
    assert unplaced((controller, Controller("other", 600, 600)), a_room(), hosts=1)


def test_pods_that_refuse_to_share_a_host_leave_no_host_whole() -> None:
    whole = Controller("whole", 1000, 0)
    assert unplaced((Controller("two", 500, 0, replicas=2), whole), a_room(), hosts=2) == ()
    for apart in (
        Controller("two", 500, 0, replicas=2, hosts_apart=True),
        Controller("two", 500, 0, replicas=2, is_spread=True),
    ):
        assert unplaced((apart, whole), a_room(), hosts=2) == ("whole",)


def test_the_second_of_two_that_refuse_to_share_a_host_waits_for_one() -> None:
    karpenter = Controller("karpenter", 500, 0, replicas=2, hosts_apart=True)
    assert unplaced((karpenter,), a_room(), hosts=1) == ()
    assert unplaced((Controller("spread", 500, 0, replicas=2, is_spread=True),), a_room(), hosts=1) == ()
    assert unplaced((Controller("spread", 600, 0, replicas=2, is_spread=True),), a_room(), hosts=1) == ("spread",)


def test_a_node_takes_only_so_many_pods() -> None:
    assert unplaced((Controller("small", 0, 0, replicas=3),), a_room(pods=3), hosts=1) == ()
    assert unplaced((Controller("small", 0, 0, replicas=4),), a_room(pods=3), hosts=1) == ("small",)


def test_the_pods_of_every_node_are_taken_off_each() -> None:
    group, daemon = SystemNodes(nodes=3), Controller("daemon", 100, 200, replicas=2)
    bare, beside = load(group, SystemPods()), load(group, SystemPods(daemons=(daemon,)))
    assert bare is not None
    assert beside is not None
    assert beside.room == bare.room.less(daemon)
    assert beside.room.pods == bare.room.pods - 2


@pytest.mark.parametrize(
    ("name", "pods"), [("t3.medium", 110), ("m7i.large", 110), ("m7i.2xlarge", 110), ("m7i.8xlarge", 250)]
)
def test_prefixes_of_addresses_allow_more_pods_and_each_reserves_memory(name: str, pods: int) -> None:
    node = catalog_type(name)
    room = Room.of(node)
    assert room.pods == pods > node.max_pods
    assert room.memory_mib == node.allocatable_memory_mib - 11 * (pods - node.max_pods)


def test_eks_lets_a_node_of_few_cpus_take_fewer_pods_than_it_has_addresses() -> None:
    node = catalog_type("m7i.4xlarge")
    assert node.max_pods == 234
    assert Room.of(node) == Room(node.allocatable_cpu_millis, node.allocatable_memory_mib, 110)


def test_the_commonest_system_node_gives_what_the_kubelet_and_its_reserves_leave_of_8_gib() -> None:
    kube_reserved_mib, eviction_mib = 255 + 11 * 110, 100
    assert Room.of(catalog_type("m7i.large")) == Room(1930, int(8192 * 0.925) - kube_reserved_mib - eviction_mib, 110)


def of_stack(settings: Settings) -> SystemPods:
    return system_pods(platform_pods(settings))


def test_every_controller_of_the_charts_and_the_add_ons_is_counted() -> None:
    pods = of_stack(stack_settings("prod"))
    controllers = {controller.name: controller for controller in pods.controllers}
    assert controllers["karpenter"] == Controller("karpenter", 1000, 1024, replicas=2, hosts_apart=True)
    assert controllers["prometheus-kube-prometheus-stack-prometheus"].memory_mib == 1024 + 50, "with its reloader"
    assert controllers["kueue-controller-manager"].is_spread
    assert {"coredns", "metrics-server", "ebs-csi-controller"} <= set(controllers)
    daemons = {daemon.name for daemon in pods.daemons}
    assert daemons >= {"aws-node", "kube-proxy", "ebs-csi-node", "kube-prometheus-stack-prometheus-node-exporter"}
    assert "nvidia-dcgm-exporter" not in daemons | set(controllers), "it stands on GPU nodes"


def test_hooks_of_an_upgrade_need_a_place_and_hooks_of_an_end_do_not() -> None:
    names = {controller.name for controller in of_stack(stack_settings("prod")).controllers}
    assert "kube-prometheus-stack-admission-patch" in names
    assert "gpu-operator-upgrade-crd" in names
    assert "gpu-operator-node-feature-discovery-prune" not in names


def test_the_greatest_find_their_place_first_whatever_the_order_of_charts() -> None:
    smalls = (Controller("a", 400, 0), Controller("b", 400, 0))
    greats = (Controller("c", 600, 0), Controller("d", 600, 0))
    assert unplaced((*smalls, *greats), a_room(), hosts=2) == ()
