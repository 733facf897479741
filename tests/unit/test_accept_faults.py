from pathlib import Path

import pytest

from gpuplatform import accept
from gpuplatform.faults import Fault, Severity, errors, warnings
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    paths,
    settings_object,
    stack_file,
)

EVERY_FAULT = Path(__file__).parent / "every_fault.yaml"

EXPECTED = [
    "account.spot_service_linked_role",
    "account_id",
    "aliases",
    "cluster.access_entries[admins]",
    "cluster.access_entries[masters].groups",
    "cluster.access_entries[no-arn].principal_arn",
    "cluster.access_entries[nobody].groups",
    "cluster.access_entries[same].groups[0]",
    "cluster.access_entries[same].principal_arn",
    "cluster.access_entries[reader].groups",
    "cluster.access_entries[reader].principal_arn",
    "cluster.endpoint.public_cidrs",
    "cluster.log_retention_days",
    "cluster.log_retention_dayz",
    "cluster.service_cidr",
    "cluster.version",
    "cost.monthly_budget_usd",
    "cost.monthly_floor_limit_usd",
    "cost.spot_price_ratio",
    "cpu_pools[cpu].ceiling_vcpus",
    "cpu_pools[cpu].markets",
    "cpu_pools[mixed].instance_types",
    "enviroment",
    "network",
    "network.existing.private_subnets[2].id",
    "network.new.cidr",
    "network.new.interface_endpoints",
    "network.new.nat",
    "network.new.pod_cidr",
    "network.new.zones",
    "network.new.zones",
    "network.new.zones[us-east-1d].id",
    "neuron_pools[neuron-large].ceiling_devices",
    "neuron_pools[neuron].instance_types",
    "pools[Bad_Name].cards",
    "pools[Bad_Name].name",
    "pools[Bad_Name].purpose",
    "pools[both-roles].cards[A100-40GB].markets[on-demand].ceiling_cards",
    "pools[both-roles].role",
    "pools[chief].cards[H100-80GB].markets[spot]",
    "pools[chief].nodes",
    "pools[chief].mig_bring_up",
    "pools[chief].sharing",
    "pools[chief].sharing.time_slicing",
    "pools[chief].zones",
    "pools[confused].cards[H200-141GB].instance_types",
    "pools[confused].sharing",
    "pools[confused].sharing",
    "pools[cpu]",
    "pools[crowded].disruption.windows[0].start",
    "pools[crowded].sharing",
    "pools[crowded].sharing.mps",
    "pools[no-mig].cards[T4-16GB].instance_types",
    "pools[no-mig].cards[T4-16GB].markets[spot].ceilling_cards",
    "pools[no-mig].sharing",
    "pools[no-mig].sharing.mig",
    "pools[serve]",
    "pools[serve].cards[L4-24GB].instance_types",
    "pools[serve].cards[L4-24GB].markets[on-demand].ceiling_cards",
    "pools[shared].disruption.time_zone",
    "pools[shared].disruption.windows[0].days[1]",
    "pools[shared].sharing",
    "pools[shared].sharing.time_slicing",
    "pools[static].cards",
    "pools[static].cards[A100-80GB].markets[on-demand].ceiling_cards",
    "pools[static].efa",
    "pools[static].nodes",
    "pools[static].nodes",
    "pools[static].sharing.mig",
    "pools[wide]",
    "pools[wide].cards[A10G-24GB].instance_types",
    "pools[wide].cards[A10G-24GB].markets[reserved].reservation_ids",
    "pools[wide].cards[A10G-24GB].markets[spot]",
    "pools[wide].cards[L4-24GB].instance_types",
    "pools[wide].cards[L40S-48GB].instance_types",
    "pools[wide].cards[L40S-48GB].markets[on-demand].reservation_ids",
    "pools[wide].cards[L5-24GB].card",
    "pools[wide].cards[L5-24GB].instance_types",
    "pools[wide].cards[L5-24GB].markets[on-demand].ceiling_cards",
    "system_nodes.instance_types",
    "system_nodes.nodes",
    "tags.aws:owner",
    "tenants[research].namespaces[aimless].priorities",
    "tenants[research].namespaces[twice].buckets[Big_Bucket].name",
    "tenants[research].namespaces[twice].buckets[datasets].access",
    "tenants[research].namespaces[twice].buckets[datasets].prefix",
    "tenants[research].namespaces[twice].name",
    "tenants[research].namespaces[twice].network[https].name",
    "tenants[research].namespaces[twice].network[mask].cidr",
    "tenants[research].namespaces[twice].network[store]",
    "tenants[research].namespaces[twice].quota[nvidia.com/gpu]",
    "tenants[serving].groups",
    "tenants[serving].namespaces[kube-system].name",
    "tenants[serving].namespaces[kube-system].priorities",
    "tenants[serving].namespaces[kube-system].quota[nvidia.com/mig-2g.20gb]",
]
"""The paths of the faults in ``every_fault.yaml``, once for each fault."""


@pytest.fixture
def a_type_that_the_region_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    # No public source rules out any pair so far, so the test adds one.
    monkeypatch.setattr("gpuplatform.catalog.prices._ruled_out", lambda: frozenset({("p5e.48xlarge", "us-east-1")}))


@pytest.fixture
def every_fault(a_type_that_the_region_lacks: None) -> tuple[Fault, ...]:
    return accept.check_file(EVERY_FAULT).faults


def test_all_faults_at_once(every_fault: tuple[Fault, ...]) -> None:
    assert sorted(paths(errors(every_fault))) == sorted(EXPECTED)


def test_every_fault_is_complete(every_fault: tuple[Fault, ...]) -> None:
    for fault in every_fault:
        assert all(text.strip() for text in (fault.path, fault.given, fault.allowed, fault.change)), fault


def test_no_fault_is_said_twice(every_fault: tuple[Fault, ...]) -> None:
    assert len(set(every_fault)) == len(every_fault)


@pytest.mark.parametrize(
    ("path", "given", "change"),
    [
        ("enviroment", "the unknown key 'enviroment'", "write 'environment'"),
        ("cluster.log_retention_dayz", "the unknown key 'log_retention_dayz'", "write 'log_retention_days'"),
        ("cluster.version", "'1.20'", "choose one of those"),
        ("pools[confused].cards[H200-141GB].instance_types", "p5e.48xlarge", "choose another type, or another region"),
        ("pools[wide].cards[L40S-48GB].instance_types", "g6f.large", "choose another size"),
        ("pools[wide].cards[L5-24GB].card", "L5-24GB", "write L4-24GB"),
        (
            "pools[wide].cards[L4-24GB].instance_types",
            "g5.xlarge, which carries A10G-24GB",
            "add A10G-24GB as a separate item",
        ),
        ("pools[static].nodes", "3", "write 2 or 4"),
        ("pools[both-roles].role", '["chief", "worker"]', "give role an allowed value"),
        ("network", "both", "keep one of them"),
        ("pools[serve].cards[L4-24GB].markets[on-demand].ceiling_cards", "3", "write 4 or more"),
        ("pools[shared].sharing.time_slicing", "1 shares per card", "raise the number, or write exclusive"),
    ],
)
def test_a_fault_says_what_was_given_and_what_to_change(
    every_fault: tuple[Fault, ...], path: str, given: str, change: str
) -> None:
    assert any(fault.path == path and fault.given == given and fault.change.startswith(change) for fault in every_fault)


@pytest.mark.parametrize(
    ("overrides", "path"),
    [
        ({"network": {"new": {"cidr": "10.0.0.0/255.255.0.0"}}}, "network.new.cidr"),
        ({"network": {"new": {"interface_endpoints": ["ec2", "ecc2", ""]}}}, "network.new.interface_endpoints[2]"),
        (
            {"cluster": {"endpoint": {"access": "public", "public_cidrs": ["203.0.113.9"]}}},
            "cluster.endpoint.public_cidrs[0]",
        ),
        (
            {"pools": [a_pool(cards=[a_card(markets=[a_market("reserved", 8, reservation_ids=["x"])])])]},
            "pools[serve].cards[L4-24GB].markets[reserved].reservation_ids[0]",
        ),
        (
            {
                "tenants": [a_tenant(groups=["serving-team"])],
                "cluster": {
                    "access_entries": [
                        {"name": "a", "principal_arn": "arn:aws:iam::111122223333:role/a", "level": "admin"},
                        {
                            "name": "b",
                            "principal_arn": "arn:aws:iam::111122223333:role/b",
                            "level": "groups",
                            "groups": [""],
                        },
                    ]
                },
            },
            "cluster.access_entries[b].groups[0]",
        ),
    ],
    ids=lambda parameter: parameter if isinstance(parameter, str) else "",
)
def test_a_wrong_part_is_one_fault_and_nothing_is_missed_in_its_place(overrides: dict[str, Plain], path: str) -> None:
    assert paths(accept.check(settings_object(**overrides)).faults) == [path]


def test_a_file_with_faults_gives_no_settings() -> None:
    loaded = accept.check_file(EVERY_FAULT)
    assert loaded.settings is None
    assert loaded.partial_settings is not None


@pytest.mark.parametrize("stack", STACKS)
def test_the_repositorys_environments_are_accepted_without_a_word(stack: str) -> None:
    loaded = accept.check_file(stack_file(stack))
    assert loaded.faults == ()
    assert loaded.settings is not None
    assert loaded.settings.environment == stack


def test_the_smallest_settings_are_accepted() -> None:
    every: list[Plain] = [a_pool(), a_static_pool(), a_slice_pool(), a_shared_pool()]
    for raw in (settings_object(), settings_object(pools=every, tenants=[a_tenant()])):
        loaded = accept.check(raw)
        assert loaded.faults == ()
        assert loaded.settings is not None


@pytest.mark.parametrize("raw", [None, [], "text", 7, True])
def test_what_is_no_mapping_is_one_fault(raw: object) -> None:
    loaded = accept.examine(raw)
    assert paths(loaded.faults) == ["gpu-platform:settings"]
    assert (loaded.settings, loaded.partial_settings) == (None, None)


def test_an_empty_mapping_names_every_key_that_is_required() -> None:
    assert paths(accept.examine({}).faults) == [
        "environment", "account_id", "region", "cluster", "network", "pools", "cost",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("pool", "path"),
    [
        (a_static_pool(nodes="two"), "pools[chief].nodes"),
        (
            a_pool(cards=[a_card(markets=[a_market(ceiling_cards=0)])]),
            "pools[serve].cards[L4-24GB].markets[on-demand].ceiling_cards",
        ),
        (a_shared_pool(sharing={"time_slicing": "four"}), "pools[notebook].sharing.time_slicing"),
        (a_pool(purpose="inference"), "pools[serve].purpose"),
        (a_pool(role="leader"), "pools[serve].role"),
        (a_pool(expire_after_hours="sometimes"), "pools[serve].expire_after_hours"),
    ],
    ids=lambda parameter: parameter if isinstance(parameter, str) else "",
)
def test_a_wrong_value_is_one_fault_and_not_also_said_to_be_missing(pool: dict[str, Plain], path: str) -> None:
    assert paths(accept.examine(settings_object(pools=[pool])).faults) == [path]


@pytest.mark.parametrize("amount", [10**400, 10**12 + 1])
@pytest.mark.parametrize("limit", ["monthly_budget_usd", "monthly_floor_limit_usd"])
def test_an_amount_beyond_all_money_is_refused(limit: str, amount: int) -> None:
    assert paths(accept.examine(settings_object(cost={limit: amount})).faults) == [f"cost.{limit}"]


@pytest.mark.parametrize("price", [float("inf"), float("nan"), 10**400])
def test_a_price_is_a_number_of_dollars(price: float) -> None:
    override: dict[str, Plain] = {"instance_type": "g6.xlarge", "usd_per_hour": price, "source": "ours"}
    raw = settings_object(cost={"prices": [override]})
    assert paths(accept.examine(raw).faults) == ["cost.prices[g6.xlarge].usd_per_hour"]


def test_a_wrong_key_deep_in_a_pool_hides_nothing_else_of_that_pool() -> None:
    market: dict[str, Plain] = {"market": "on-demand", "ceiling_cards": 3, "ceilling": 4}
    pool = a_pool(
        purpose="inference",
        zones=["eu-west-1a"],
        cards=[a_card("L4-24GB", ["g6.12xlarge", "g66.xlarge"], [market])],
        sharing={"mig": "1g.5gb"},
    )
    assert sorted(paths(accept.examine(settings_object(pools=[pool])).faults)) == [
        "pools[serve].cards[L4-24GB].instance_types",
        "pools[serve].cards[L4-24GB].markets[on-demand].ceiling_cards",
        "pools[serve].cards[L4-24GB].markets[on-demand].ceilling",
        "pools[serve].purpose",
        "pools[serve].sharing.mig",
        "pools[serve].zones",
    ]


@pytest.mark.parametrize(
    ("pool", "path"),
    [
        (
            a_pool(
                cards=[
                    a_card(markets=[a_market("on-demand", 8), a_market("spot", 8)]),
                    a_card("T4-16GB", ["g4dn.xlarge", "g4dn.12xlarge"]),
                ]
            ),
            "pools[serve].cards[T4-16GB].instance_types",
        ),
        (
            a_pool(cards=[a_card("H200-141GB", ["p5e.48xlarge"])]),
            "pools[serve].cards[H200-141GB].instance_types",
        ),
        (a_pool(cards=[a_card("V100-32GB", ["p3dn.24xlarge"])]), "pools[serve].cards[V100-32GB].card"),
        (
            a_pool(
                disruption={
                    "time_zone": "America/New_York",
                    "windows": [{"days": ["Sat"], "start": "02:00", "end": "03:00", "reasons": ["Drifted"]}],
                }
            ),
            "pools[serve].disruption.windows",
        ),
    ],
    ids=["several-sizes", "unknown-price", "legacy-card", "a-window-that-never-opens"],
)
def test_what_is_only_worth_saying_is_a_warning_and_the_settings_are_accepted(
    pool: dict[str, Plain], path: str
) -> None:
    loaded = accept.examine(settings_object(pools=[pool]))
    assert paths(warnings(loaded.faults)) == [path]
    assert errors(loaded.faults) == []
    assert loaded.settings is not None


def test_a_type_without_a_price_is_not_warned_about_once_the_stack_gives_one() -> None:
    pool = a_pool(cards=[a_card("H200-141GB", ["p5e.48xlarge"])])
    price: Plain = {"instance_type": "p5e.48xlarge", "usd_per_hour": 60.0, "source": "our contract, 2026-09-01"}
    assert accept.examine(settings_object(pools=[pool], cost={"prices": [price]})).faults == ()


def test_past_the_hundredth_nodepool_weights_are_shared_and_that_is_a_warning() -> None:
    def pools(count: int) -> list[Plain]:
        return [a_pool(name=f"p{n}", taints=[{"key": "only", "value": f"p{n}"}]) for n in range(count)]

    assert accept.examine(settings_object(pools=pools(100))).faults == ()
    (fault,) = accept.examine(settings_object(pools=pools(101))).faults
    assert (fault.path, fault.severity) == ("pools", Severity.WARNING)
    assert fault.given.startswith("101 elastic NodePools, so 2 of them share")


def test_a_cluster_without_an_admin_is_a_warning() -> None:
    (fault,) = accept.examine(settings_object(cluster={"access_entries": []})).faults
    assert (fault.path, fault.severity) == ("cluster.access_entries", Severity.WARNING)


# Correction 26: V100 stays in the catalog as legacy, and in no environment of ours.
@pytest.mark.parametrize("stack", STACKS)
def test_no_environment_uses_a_legacy_card(stack: str) -> None:
    assert "V100" not in stack_file(stack).read_text()
