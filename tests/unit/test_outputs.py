import json
from typing import cast

import pytest

from gpuplatform import outputs
from gpuplatform.outputs import PlatformOutputs, describe, parse
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    a_namespace,
    a_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    some_settings,
    stack_settings,
)

ENDPOINT = "https://0123456789.gr7.us-east-1.eks.amazonaws.com"
MIXED: list[Plain] = [a_pool(), a_slice_pool(), a_static_pool(nodes=2, zones=["us-east-1a", "us-east-1b"])]


def described() -> PlatformOutputs:
    return describe(some_settings(pools=MIXED, tenants=[a_tenant()]), ENDPOINT)


def published() -> dict[str, object]:
    """The document as it comes back from a stack reference: through JSON, every number a float."""
    text = json.dumps(described().as_plain())
    return cast(dict[str, object], json.loads(text, parse_int=float))


@pytest.mark.parametrize("stack", STACKS)
def test_what_a_stack_publishes_is_what_another_team_reads(stack: str) -> None:
    written = describe(stack_settings(stack), ENDPOINT)
    read, faults = parse(json.loads(json.dumps(written.as_plain())))
    assert faults == []
    assert read == written


def test_numbers_that_became_floats_on_the_way_are_read_as_they_were() -> None:
    assert parse(published()) == (described(), [])


def test_a_pool_says_all_that_a_pod_needs() -> None:
    pool = described().pool("worker")
    assert pool is not None
    assert pool.selection == {
        "gpu.pool": "train",
        "gpu.role": "worker",
        "gpu.mig": "enabled",
        "gpu.mig.profile": "1g.10gb",
        "gpu.model": "A100",
        "gpu.mem": "80gb",
        "karpenter.sh/capacity-type": "on-demand",
    }
    assert pool.resource == "nvidia.com/mig-1g.10gb"
    assert pool.taints == ("nvidia.com/gpu=present:NoSchedule", "dedicated=gpu:NoSchedule", "gpu.pool=train:NoSchedule")
    assert [(toleration.key, toleration.operator, toleration.value) for toleration in pool.tolerations] == [
        ("nvidia.com/gpu", "Exists", None),
        ("dedicated", "Exists", None),
        ("gpu.pool", "Equal", "train"),
    ]
    assert pool.ceiling_cards == 16


def test_a_pool_lists_its_nodepools_and_adds_up_their_cards() -> None:
    pool = described().pool("chief")
    assert pool is not None
    assert [node_pool.name for node_pool in pool.node_pools] == [
        "chief-h100-80gb-on-demand-us-east-1a",
        "chief-h100-80gb-on-demand-us-east-1b",
    ]
    assert pool.ceiling_cards == sum(node_pool.ceiling_cards for node_pool in pool.node_pools) == 2


def test_a_team_reads_its_place_in_the_queues_and_all_that_its_namespaces_may_have() -> None:
    teams = {tenant.name: tenant for tenant in describe(stack_settings("prod"), ENDPOINT).tenants}
    training, serving = teams["training"], teams["serving"]
    assert training.queue is not None
    assert (training.queue.name, training.queue.weight) == ("training", 3)
    (space,) = training.namespaces
    assert (space.quota["nvidia.com/gpu"], space.limits["nvidia.com/gpu"]) == (72, 72 + 26)
    assert (space.default_cpu_millis, space.default_memory_mib) == (500, 1024)
    assert "train" in space.pools
    assert serving.queue is None
    assert serving.namespaces[0].limits == serving.namespaces[0].quota
    assert serving.namespaces[0].readable_secrets


def test_a_pool_that_is_not_there_is_none() -> None:
    assert described().pool("nowhere") is None


def test_a_tenant_says_its_namespaces_quota_and_account() -> None:
    (tenant,) = described().tenants
    (namespace,) = tenant.namespaces
    assert (tenant.name, tenant.team, namespace.name) == ("serving", "platform", "ml-serving")
    assert (namespace.service_account, namespace.quota) == ("server", {"nvidia.com/gpu": 2})


def test_a_tenant_says_all_that_its_people_and_pods_may_do() -> None:
    raw = a_namespace(
        scheduling="queued",
        shell=True,
        buckets=[{"name": "runs", "prefix": "checkpoints/", "access": "write"}],
        network=[{"name": "store", "direction": "out", "cidr": "10.60.0.0/16", "ports": [6379]}],
    )
    written = describe(some_settings(tenants=[a_tenant(namespaces=[raw])]), ENDPOINT)
    (tenant,) = written.tenants
    (namespace,) = tenant.namespaces
    assert tenant.groups == ("serving-team",)
    assert (namespace.people_role, namespace.shell, namespace.queue) == ("serving-team", True, "default")
    assert (namespace.max_pods, namespace.pod_security) == (200, "baseline")
    assert (namespace.workload_role, namespace.buckets[0].prefix) == ("gpu-test-ns-ml-serving", "checkpoints/")
    assert (namespace.network[0].cidr, namespace.network[0].ports) == ("10.60.0.0/16", (6379,))


def test_what_is_guaranteed_stands_beside_what_there_can_be() -> None:
    written = describe(some_settings(tenants=[a_tenant()], queues={"overcommit_ratio": 1.5}), ENDPOINT)
    (line,) = written.capacity
    assert (line.resource, line.allowed_ratio) == ("nvidia.com/gpu", 1.5)
    assert [
        (guarantee_output.tenant, guarantee_output.namespace, guarantee_output.amount)
        for guarantee_output in line.guaranteed
    ] == [("serving", "ml-serving", 2)]
    pool = written.pool("serve")
    assert pool is not None
    assert line.pools == {"serve": pool.ceiling_cards}


def test_a_document_of_an_older_release_still_parses() -> None:
    older = published()
    del older["capacity"]
    for tenant in cast(list[dict[str, object]], older["tenants"]):
        del tenant["groups"]
        for namespace in cast(list[dict[str, object]], tenant["namespaces"]):
            for key in ("max_pods", "pod_security", "people_role", "shell", "buckets", "network"):
                del namespace[key]
    document, faults = parse(older)
    assert faults == []
    assert document is not None
    assert document.capacity == ()


def test_a_newer_document_with_keys_that_this_reader_does_not_know_still_parses() -> None:
    newer = published()
    newer["networks"] = [{"id": "vpc-1"}]
    for pool in cast(list[dict[str, object]], newer["pools"]):
        pool["queue"] = "gold"
    assert parse(newer) == (described(), [])


@pytest.mark.parametrize("version", [2, 0, 2.0, "1", None, True, float("inf"), float("nan")])
def test_another_major_version_is_refused_with_a_fault(version: object) -> None:
    document, (fault,) = parse(published() | {"version": version}, "gpu/prod")
    assert document is None
    assert fault.path == "gpu/prod.version"
    assert fault.given == repr(version)
    assert fault.allowed == "1"


def test_a_document_that_lost_a_key_is_refused_with_its_place() -> None:
    broken = published()
    del cast(list[dict[str, object]], broken["pools"])[1]["resource"]
    document, (fault,) = parse(broken)
    assert document is None
    assert fault.path == "platform.pools.1.resource"
    assert all((fault.given, fault.allowed, fault.change))


def test_no_document_at_all_is_refused() -> None:
    assert parse({})[0] is None


def test_nothing_secret_is_in_the_document() -> None:
    text = json.dumps(described().as_plain())
    assert "kubeconfig" not in text
    assert outputs.OUTPUT_NAME == "platform"
