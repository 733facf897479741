from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.cloud import kubernetes
from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.kubernetes import ProviderOptions
from sandbox.cloud.store import Entry, Properties, Store

NAMESPACE, QUOTA = "kubernetes:core/v1:Namespace", "kubernetes:core/v1:ResourceQuota"
NODEPOOL, NODE_CLASS = "kubernetes:karpenter.sh/v1:NodePool", "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
RELEASE = "kubernetes:helm.sh/v3:Release"
CONFIG_MAP, PRIORITY = "kubernetes:core/v1:ConfigMap", "kubernetes:scheduling.k8s.io/v1:PriorityClass"
BINDING = "kubernetes:admissionregistration.k8s.io/v1:ValidatingAdmissionPolicyBinding"


@pytest.fixture
def world(tmp_path: Path) -> Store:
    return Store(tmp_path / "world.db")


def make(world: Store, token: str, inputs: Properties) -> Entry:
    return kubernetes.create(world, f"urn:pulumi:s::p::{token}::x", token, inputs)


def named(name: str, namespace: str | None = None) -> Properties:
    return {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}}


def install(world: Store, chart: str) -> Entry:
    inputs: Properties = {
        "name": chart,
        "chart": f"oci://example.com/{chart}",
        "version": "1",
        "namespace": "kube-system",
    }
    return make(world, RELEASE, inputs)


def pool(node_class: str, awaited: bool = True) -> Properties:
    annotations: Properties = {"pulumi.com/waitFor": "condition=Ready"} if awaited else {}
    reference: Properties = {"nodeClassRef": {"name": node_class}}
    return {"metadata": {"name": "pool", "annotations": annotations}, "spec": {"template": {"spec": reference}}}


def test_an_object_needs_its_namespace(world: Store) -> None:
    with pytest.raises(RefusedError, match='namespaces "team" not found'):
        make(world, QUOTA, named("q", "team"))
    make(world, NAMESPACE, named("team"))
    assert make(world, QUOTA, named("q", "team")).id == "team/q"
    assert make(world, QUOTA, named("q", "kube-system")).id == "kube-system/q"


def test_an_object_is_made_once(world: Store) -> None:
    make(world, NAMESPACE, named("team"))
    with pytest.raises(RefusedError, match='namespace "team" already exists'):
        make(world, NAMESPACE, named("team"))


def test_a_custom_resource_needs_the_chart_that_defines_it(world: Store) -> None:
    with pytest.raises(RefusedError, match=r'no matches for kind "EC2NodeClass".*karpenter-crd'):
        make(world, NODE_CLASS, named("default"))
    install(world, "karpenter-crd")
    assert make(world, NODE_CLASS, named("default")).id == "default"


def test_a_pool_that_is_waited_for_needs_its_node_class(world: Store) -> None:
    install(world, "karpenter-crd")
    with pytest.raises(RefusedError, match=r'timed out waiting .*EC2NodeClass "gpu" not found'):
        make(world, NODEPOOL, pool("gpu"))
    make(world, NODE_CLASS, named("gpu"))
    assert make(world, NODEPOOL, pool("gpu")).id == "pool"


def test_on_the_way_down_pools_go_before_classes_before_the_controller_before_the_definitions(world: Store) -> None:
    definitions, controller = install(world, "karpenter-crd"), install(world, "karpenter")
    node_class = make(world, NODE_CLASS, named("gpu"))
    made = make(world, NODEPOOL, pool("gpu"))
    for early in (node_class, controller, definitions):
        with pytest.raises(RefusedError):
            kubernetes.delete(world, early)
    for entry in (made, node_class, controller, definitions):
        kubernetes.delete(world, entry)
    assert world.everything() == ()


def test_an_object_whose_controller_is_gone_would_hang_and_is_refused(world: Store) -> None:
    install(world, "karpenter-crd")
    node_class = make(world, NODE_CLASS, named("gpu"))
    with pytest.raises(RefusedError, match=r"finalizer.*chart karpenter"):
        kubernetes.delete(world, node_class)


def test_a_namespace_takes_what_is_in_it_along(world: Store) -> None:
    team = make(world, NAMESPACE, named("team"))
    make(world, QUOTA, named("q", "team"))
    other = make(world, QUOTA, named("q", "default"))
    kubernetes.delete(world, team)
    assert world.everything() == (other,)


def test_a_cluster_that_is_not_there_does_not_answer(world: Store) -> None:
    with pytest.raises(RefusedError, match=r"unreachable: no cluster answers at https://gone"):
        kubernetes.reach(world, "https://gone")
    cluster = Entry("urn:c", "aws:eks/cluster:Cluster", "c", {}, {"endpoint": "https://here"})
    world.create(cluster, set(), set())
    kubernetes.reach(world, "https://here")


def test_another_name_or_namespace_is_another_object(world: Store) -> None:
    assert kubernetes.has_moved(named("a", "x"), named("a", "y"))
    assert kubernetes.has_moved(named("a"), named("b"))
    labelled: Properties = {"metadata": {"name": "a", "labels": {"k": "v"}}}
    assert not kubernetes.has_moved(named("a"), labelled)


def config_map(text: str, **more: bool) -> Properties:
    return {**named("layouts"), "data": {"config.yaml": text}, **more}


@pytest.mark.parametrize(
    ("mutable", "immutable", "replaced"),
    [(False, False, {"data"}), (True, False, set[str]()), (True, True, {"data"})],
)
def test_a_config_map_is_replaced_unless_the_provider_is_told_otherwise_or_the_map_says_that_it_is_fixed(
    mutable: bool, immutable: bool, replaced: set[str]
) -> None:
    old, new = config_map("a", immutable=immutable), config_map("b", immutable=immutable)
    options = ProviderOptions(mutable_config_maps=mutable)
    assert kubernetes.replaces(options, CONFIG_MAP, old, new, {"data"}) == replaced


def test_a_priority_class_keeps_its_value_and_is_not_replaced_for_it(world: Store) -> None:
    old: Properties = {**named("high"), "value": 1000, "description": "a"}
    made = make(world, PRIORITY, old)
    assert kubernetes.replaces(ProviderOptions(), PRIORITY, old, {**old, "value": 2000}, {"value"}) == set()
    with pytest.raises(RefusedError, match="value: Forbidden: may not be changed in an update"):
        kubernetes.update(world, made, {**old, "value": 2000})
    assert kubernetes.update(world, made, {**old, "description": "b"}).inputs["description"] == "b"


def actions(*listed: str) -> Properties:
    return {**named("pods"), "spec": {"policyName": "pods", "validationActions": list(listed)}}


def test_a_binding_that_was_only_ever_made_cannot_be_previewed_from_deny_to_warn(world: Store) -> None:
    made = make(world, BINDING, actions("Deny", "Audit"))
    assert made.id == "pods"
    kubernetes.dry_run(world, made, actions("Deny"))
    with pytest.raises(RefusedError, match="must not contain both Deny and Warn"):
        kubernetes.dry_run(world, made, actions("Warn", "Audit"))
    changed = kubernetes.update(world, made, actions("Deny"))
    kubernetes.dry_run(world, changed, actions("Warn", "Audit"))
