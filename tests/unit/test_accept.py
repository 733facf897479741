from pathlib import Path

import pytest

from gpuplatform import accept
from gpuplatform.accept import RefusedError, accepted, check, check_file, report
from gpuplatform.faults import Fault, errors, warnings
from gpuplatform.plan.node_pools import plan
from gpuplatform.plan.queues import flavors
from gpuplatform.render.stack import render
from gpuplatform.settings import source
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_card, a_namespace, a_pool, a_tenant, settings_object, stack_file

DEAR = {"monthly_floor_limit_usd": 1, "monthly_budget_usd": 1}


def test_valid_settings_are_accepted() -> None:
    assert accepted(settings_object()).cluster.name == "gpu-test"


def test_refused_settings_raise_with_every_fault_in_the_message() -> None:
    with pytest.raises(RefusedError) as caught:
        accepted(settings_object(enviroment="x", pools=[a_pool(efa=1)]))
    assert [fault.path for fault in caught.value.faults] == ["pools[serve].efa", "enviroment"]
    assert str(caught.value) == report(caught.value.faults)


def test_a_warning_refuses_nothing_and_is_not_in_the_refusal() -> None:
    unpriced = a_pool(cards=[a_card("H200-141GB", ["p5e.48xlarge"])])
    loaded = check(settings_object(pools=[unpriced]))
    assert loaded.settings is not None
    assert warnings(loaded.faults)
    with pytest.raises(RefusedError) as caught:
        accepted(settings_object(pools=[unpriced], enviroment="x"))
    assert [fault.path for fault in caught.value.faults] == ["enviroment"]


def test_what_it_costs_is_judged_in_the_same_report_as_everything_else() -> None:
    loaded = check(settings_object(cost=dict(DEAR), enviroment="x"))
    assert loaded.settings is None
    assert [fault.path for fault in loaded.faults] == [
        "enviroment",
        "cost.monthly_floor_limit_usd",
        "cost.monthly_budget_usd",
    ]


def test_settings_that_cost_too_much_are_refused_though_all_else_is_right() -> None:
    loaded = check(settings_object(cost=dict(DEAR)))
    assert loaded.settings is None
    assert len(errors(loaded.faults)) == 2


def test_a_policy_that_iam_would_refuse_for_its_length_is_one_fault() -> None:
    def bucket_faults(count: int) -> tuple[Fault, ...]:
        buckets: list[Plain] = [{"name": f"bucket-{number:03}", "access": "write"} for number in range(count)]
        return check(settings_object(tenants=[a_tenant(namespaces=[a_namespace(buckets=buckets)])])).faults

    assert bucket_faults(10) == ()
    (fault,) = bucket_faults(70)
    assert fault.path == "tenants[serving].namespaces[ml-serving].buckets"
    assert fault.given.startswith("70 buckets, which make an IAM policy of ")
    assert "6,144" in fault.allowed


@pytest.mark.parametrize(("key", "wrong"), [("pools", ["nope"]), ("priorities", ["nope"]), ("priorities", [])])
def test_a_namespace_s_wrong_pools_are_one_fault_and_its_quotas_none(key: str, wrong: list[Plain]) -> None:
    namespace = a_namespace(**{key: wrong})
    (fault,) = check(settings_object(tenants=[a_tenant(namespaces=[namespace])])).faults
    assert fault.path == f"tenants[serving].namespaces[ml-serving].{key}"


def test_the_report_counts_and_numbers_the_faults() -> None:
    first, second = Fault("a", "1", "2", "write 2"), Fault("b", "x", "y", "write y")
    assert report([first]).startswith("the settings are refused: 1 fault, and nothing was made\n")
    assert report((first, second)).splitlines() == [
        "the settings are refused: 2 faults, and nothing was made",
        "",
        "1. a",
        "   given:   1",
        "   allowed: 2",
        "   change:  write 2",
        "",
        "2. b",
        "   given:   x",
        "   allowed: y",
        "   change:  write y",
    ]


@pytest.mark.parametrize("content", [b"", b"a: [", b"\x00\xff", b"- a", b"config: {}"])
def test_a_file_that_holds_no_settings_is_one_fault_and_no_exception(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "settings.yaml"
    path.write_bytes(content)
    loaded = check_file(path)
    assert loaded.settings is None
    assert len(loaded.faults) == 1


@pytest.mark.parametrize("stack", STACKS)
def test_a_file_and_its_object_are_judged_alike(stack: str) -> None:
    raw, _ = source.read(stack_file(stack))
    assert accept.check(raw) == accept.check_file(stack_file(stack))


@pytest.mark.parametrize("stack", STACKS)
def test_checking_and_rendering_a_stack_plan_its_node_pools_once(stack: str) -> None:
    plan.cache_clear()
    flavors.cache_clear()
    settings = accepted(source.read(stack_file(stack))[0])
    render(settings)
    assert plan.cache_info().misses == 1
    assert flavors.cache_info().misses == 1
