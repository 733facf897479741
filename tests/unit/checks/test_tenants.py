import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Severity
from gpuplatform.settings.source import Plain
from tests.builders import a_namespace, a_pool, a_shared_pool, a_slice_pool, a_tenant, settings_object

NEURON: dict[str, Plain] = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}


def reported(namespace: dict[str, Plain], **others: Plain) -> list[tuple[str, str]]:
    raw = settings_object(tenants=[a_tenant(namespaces=[namespace])], **others)
    return [
        (fault.path.removeprefix("tenants[serving].namespaces[ml-serving]"), fault.given)
        for fault in examine(raw).faults
    ]


@pytest.mark.parametrize(
    ("resource", "pools", "is_offered"),
    [
        ("nvidia.com/gpu", [a_pool()], True),
        ("nvidia.com/gpu", [a_shared_pool()], True),
        ("nvidia.com/gpu", [a_slice_pool()], False),
        ("nvidia.com/mig-1g.10gb", [a_slice_pool()], True),
        ("nvidia.com/mig-1g.5gb", [a_slice_pool()], False),
        ("cpu", [a_pool()], False),
        ("aws.amazon.com/neuron", [a_pool()], False),
    ],
)
def test_a_quota_counts_only_what_some_pool_offers(resource: str, pools: list[Plain], is_offered: bool) -> None:
    namespace = a_namespace()
    namespace["quota"] = {resource: 1}
    expected = [] if is_offered else [(f".quota[{resource}]", "1 of a resource that no pool offers")]
    assert reported(namespace, pools=pools) == expected


def test_a_quota_s_key_is_the_resource_s_own_name() -> None:
    namespace = a_namespace(scheduling="queued", priorities=["training-normal"])
    namespace["quota"] = {"requests.nvidia.com/gpu": 1}
    tenant = a_tenant(namespaces=[namespace], queue={"borrow": {"nvidia.com/gpu": 1}})
    (fault,) = examine(settings_object(tenants=[tenant])).faults
    assert fault.path.endswith(".quota[requests.nvidia.com/gpu]")
    assert fault.change == "write nvidia.com/gpu"


def test_a_quota_that_is_no_number_is_one_fault_though_the_queue_borrows_and_keeps() -> None:
    namespace = a_namespace(scheduling="queued", priorities=["training-normal"], quota={"nvidia.com/gpu": "2"})
    queue: Plain = {"borrow": {"nvidia.com/gpu": 1}, "keep": {"nvidia.com/gpu": 1}}
    tenant = a_tenant(namespaces=[namespace], queue=queue)
    (fault,) = examine(settings_object(tenants=[tenant])).faults
    assert fault.path.endswith(".quota[nvidia.com/gpu]")


@pytest.mark.parametrize("side", [{"cidr": "10.0.0.5"}, {"namespace": "No Name"}, {"cidr": 5}])
def test_an_exception_whose_other_side_is_wrong_is_one_fault(side: dict[str, Plain]) -> None:
    exception: Plain = {"name": "store", "direction": "out", "ports": [6379], **side}
    assert [path for path, _ in reported(a_namespace(network=[exception]))] == [f".network[store].{next(iter(side))}"]


def test_a_neuron_pool_offers_neuron_devices() -> None:
    namespace = a_namespace(quota={"aws.amazon.com/neuron": 2})
    assert reported(namespace, neuron_pools=[NEURON]) == []


CPU: dict[str, Plain] = {"name": "cpu", "instance_types": ["m7i.large"], "ceiling_vcpus": 8}


@pytest.mark.parametrize(
    ("name", "given", "change"),
    [
        ("elsewhere", "elsewhere", "name one of those"),
        ("cpu", "cpu, a CPU pool", "remove it: CPU pools are open to all"),
        ("serve", None, None),
        ("neuron", None, None),
    ],
)
def test_a_namespace_names_gpu_and_neuron_pools_of_the_stack(name: str, given: str | None, change: str | None) -> None:
    namespace = a_namespace(pools=[name])
    raw = settings_object(tenants=[a_tenant(namespaces=[namespace])], neuron_pools=[NEURON], cpu_pools=[CPU])
    path, allowed = "tenants[serving].namespaces[ml-serving].pools", "GPU and Neuron pools of the stack: serve, neuron"
    assert [(fault.path, fault.given, fault.allowed, fault.change) for fault in examine(raw).faults] == (
        [] if given is None else [(path, given, allowed, change)]
    )


def test_a_neuron_pool_that_is_wrong_itself_is_one_fault_though_a_namespace_names_it() -> None:
    namespace = a_namespace(pools=["serve", "neuron"])
    assert [path for path, _ in reported(namespace, neuron_pools=[{**NEURON, "ceiling_devices": 0}])] == [
        "neuron_pools[neuron].ceiling_devices"
    ]


def test_priorities_are_the_standards() -> None:
    assert reported(a_namespace(priorities=["training-normal", "experiment-low"])) == []
    assert reported(a_namespace(priorities=["training-normal", "system-node-critical"])) == [
        (".priorities", "system-node-critical")
    ]


def test_a_team_has_groups_of_its_own() -> None:
    raw = settings_object(tenants=[a_tenant(groups=["system:masters", "serving-team"])])
    (fault,) = examine(raw).faults
    assert (fault.path, fault.given) == ("tenants[serving].groups", "system:masters")


def test_a_group_that_no_entry_gives_is_worth_a_word_and_an_empty_one_is_refused() -> None:
    loaded = examine(settings_object(tenants=[a_tenant(groups=["serving-taem"])]))
    assert loaded.settings is not None
    (fault,) = loaded.faults
    assert (fault.path, fault.severity) == ("tenants[serving].groups", Severity.WARNING)
    assert fault.given == "serving-taem, which no access entry names"
    assert "serving-team" in fault.allowed
    (refused,) = examine(settings_object(tenants=[a_tenant(groups=[""])])).faults
    assert (refused.path, refused.severity) == ("tenants[serving].groups[0]", Severity.ERROR)


def test_a_service_account_does_not_take_the_name_of_the_teams_own_role() -> None:
    assert reported(a_namespace(service_account="serving-team")) == [(".service_account", "serving-team")]
    assert reported(a_namespace(service_account="serving-account")) == []


@pytest.mark.parametrize(
    ("exception", "given"),
    [
        ({}, "no other side"),
        ({"cidr": "10.0.0.0/8"}, None),
        ({"namespace": "monitoring"}, None),
        ({"cidr": "10.0.0.0/8", "namespace": "monitoring"}, "namespace and cidr"),
    ],
)
def test_an_exception_has_exactly_one_other_side(exception: dict[str, Plain], given: str | None) -> None:
    named: dict[str, Plain] = {"name": "store", "direction": "out", "ports": [6379], **exception}
    assert reported(a_namespace(network=[named])) == ([(".network[store]", given)] if given else [])


@pytest.mark.parametrize("name", ["dns", "https", "same-namespace", "pod-identity"])
def test_an_exception_does_not_take_the_name_of_what_the_platform_allows(name: str) -> None:
    exception: Plain = {"name": name, "direction": "out", "cidr": "10.0.0.0/8", "ports": [80]}
    assert reported(a_namespace(network=[exception])) == [(f".network[{name}].name", name)]


def test_two_exceptions_do_not_share_a_name() -> None:
    exception: Plain = {"name": "store", "direction": "out", "cidr": "10.0.0.0/8", "ports": [80]}
    assert reported(a_namespace(network=[exception, exception])) == [(".network[store].name", "store")]


def test_a_role_name_that_iam_would_not_take_is_refused_where_a_role_is_needed() -> None:
    name = "n" * 63
    buckets: Plain = [{"name": "models", "access": "read"}]
    for asked, path in (([], []), (buckets, [f"tenants[serving].namespaces[{name}].buckets"])):
        namespace = a_namespace(name=name, buckets=asked)
        faults = examine(settings_object(tenants=[a_tenant(namespaces=[namespace])])).faults
        assert [fault.path for fault in faults] == path


@pytest.mark.parametrize(
    ("prefix", "is_taken"), [("a/", True), ("a/b.c/", True), ("a", False), ("/a/", False), ("a*/", False)]
)
def test_a_part_of_a_bucket_is_a_folder_and_no_pattern(prefix: str, is_taken: bool) -> None:
    bucket: Plain = {"name": "models", "prefix": prefix, "access": "read"}
    expected = [] if is_taken else [(".buckets[models].prefix", f'"{prefix}"')]
    assert reported(a_namespace(buckets=[bucket])) == expected


def test_no_team_is_the_break_glass_group_even_where_an_access_entry_gives_it() -> None:
    entry: Plain = {
        "name": "incident",
        "principal_arn": "arn:aws:iam::111122223333:role/incident",
        "level": "groups",
        "groups": ["gpu-platform-break-glass"],
    }
    admins: Plain = {"name": "admins", "principal_arn": "arn:aws:iam::111122223333:role/admin", "level": "admin"}
    raw = settings_object(
        cluster={"access_entries": [admins, entry]}, tenants=[a_tenant(groups=["gpu-platform-break-glass"])]
    )
    (fault,) = examine(raw).faults
    assert (fault.path, fault.given) == ("tenants[serving].groups", "gpu-platform-break-glass")
    assert "system: or gpu-platform-" in fault.allowed
