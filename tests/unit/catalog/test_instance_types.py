from __future__ import annotations

import pytest

from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import InstanceType, instance_type, instance_types, types_named, types_with_card
from tests.examples import sampled

NVIDIA_FAMILIES = frozenset(
    [
        "g4dn",
        "g5",
        "g5g",
        "g6",
        "g6e",
        "g6f",
        "g7",
        "g7e",
        "gr6",
        "gr6f",
        "p3dn",
        "p4d",
        "p4de",
        "p5",
        "p5e",
        "p5en",
        "p6-b200",
        "p6-b300",
    ]
)
ALL = sorted(instance_types())


def allocatable(known_type: InstanceType) -> tuple[int, int]:
    """CPU millis and MiB that Karpenter v1.14.1 leaves to pods (pkg/providers/instancetype/types.go).

    Reserved are 6 % of the first vCPU, 1 % of the second, 0.5 % of the next two and 0.25 % of the others; of memory
    64 MiB on Graviton, then 7.5 % for the hypervisor, 11 MiB a pod and 255, and 100 for eviction.
    """
    reserved_millis = sum((60, 10, 5, 5)[: known_type.vcpus]) + max(known_type.vcpus - 4, 0) * 10 // 4
    usable_mib = known_type.memory_mib - (64 if known_type.architecture == "arm64" else 0)
    reserved_mib = 11 * known_type.max_pods + 255 + 100
    return 1000 * known_type.vcpus - reserved_millis, usable_mib * 925 // 1000 - reserved_mib


@pytest.mark.parametrize("name", sampled(ALL))
def test_allocatable_is_what_karpenters_formula_gives(name: str) -> None:
    known_type = instance_types()[name]
    assert (known_type.allocatable_cpu_millis, known_type.allocatable_memory_mib) == allocatable(known_type)


@pytest.mark.parametrize("name", sampled(ALL))
def test_every_figure_is_possible_and_every_row_has_its_source(name: str) -> None:
    known_type = instance_types()[name]
    assert known_type.name.startswith(f"{known_type.family}.")
    assert known_type.architecture in ("amd64", "arm64")
    assert min(known_type.vcpus, known_type.memory_mib, known_type.network_mbps, known_type.max_pods) > 0
    neuron = (known_type.neuron_devices, known_type.neuron_cores)
    assert min(known_type.nvme_gb, known_type.efa_interfaces, known_type.cards, *neuron) >= 0
    assert "commit 1d92708" in known_type.source


@pytest.mark.parametrize("name", sampled(ALL))
def test_a_type_has_whole_cards_or_a_fraction_or_neuron_devices_or_none_of_them(name: str) -> None:
    known_type = instance_types()[name]
    assert (known_type.card is not None) == (known_type.cards > 0)
    assert (known_type.neuron_name is not None) == (known_type.neuron_devices > 0) == (known_type.neuron_cores > 0)
    assert (known_type.card is not None) + known_type.fractional + (known_type.neuron_devices > 0) <= 1
    assert known_type.card is None or known_type.card in cards()


def test_the_catalog_has_all_65_nvidia_types_that_karpenter_lists_and_no_amd_card() -> None:
    nvidia = {name for name, known_type in instance_types().items() if known_type.family in NVIDIA_FAMILIES}
    assert len(nvidia) == 65
    assert {name for name, known_type in instance_types().items() if known_type.card or known_type.fractional} == nvidia
    assert not any(known_type.family == "g4ad" for known_type in instance_types().values())


def test_the_catalog_has_every_inferentia_and_trainium_type() -> None:
    neuron = {
        name: known_type.neuron_name for name, known_type in instance_types().items() if known_type.neuron_devices
    }
    assert neuron == {
        **dict.fromkeys(["inf1.xlarge", "inf1.2xlarge", "inf1.6xlarge", "inf1.24xlarge"], "inferentia"),
        **dict.fromkeys(["inf2.xlarge", "inf2.8xlarge", "inf2.24xlarge", "inf2.48xlarge"], "inferentia2"),
        **dict.fromkeys(["trn1.2xlarge", "trn1.32xlarge", "trn1n.32xlarge"], "trainium"),
        "trn2.48xlarge": "trainium2",
    }


def test_exactly_g6f_and_gr6f_are_fractions_of_a_card() -> None:
    fractions = [known_type for known_type in instance_types().values() if known_type.fractional]
    assert {fraction.name for fraction in fractions} == {
        "g6f.large",
        "g6f.xlarge",
        "g6f.2xlarge",
        "g6f.4xlarge",
        "gr6f.4xlarge",
    }
    assert all(fraction.card is None and fraction.cards == 0 for fraction in fractions)


def test_every_card_is_on_some_type() -> None:
    assert all(types_with_card(name) for name in cards())


def test_the_two_a100_sizes_are_on_different_types() -> None:
    assert [known_type.name for known_type in types_with_card("A100-40GB")] == ["p4d.24xlarge"]
    assert [known_type.name for known_type in types_with_card("A100-80GB")] == ["p4de.24xlarge"]


def test_h100_is_sold_alone_and_by_eight() -> None:
    assert {known_type.name: known_type.cards for known_type in types_with_card("H100-80GB")} == {
        "p5.4xlarge": 1,
        "p5.48xlarge": 8,
    }


def test_arm_types_are_graviton_families() -> None:
    arm = {known_type.family for known_type in instance_types().values() if known_type.architecture == "arm64"}
    assert arm == {"g5g", "m6g", "m7g", "m8g", "c7g", "c8g", "r7g", "r8g", "t4g"}


def test_three_types_to_the_letter() -> None:
    g5, p5, inf2 = instance_types()["g5.xlarge"], instance_types()["p5.48xlarge"], instance_types()["inf2.24xlarge"]
    assert (g5.card, g5.cards, g5.vcpus, g5.memory_mib, g5.nvme_gb, g5.network_mbps) == (
        "A10G-24GB", 1, 4, 16384, 250, 2500,
    )  # fmt: skip
    assert (g5.allocatable_cpu_millis, g5.allocatable_memory_mib, g5.max_pods) == (3920, 14162, 58)
    assert (p5.card, p5.cards, p5.efa_interfaces, p5.nvme_gb, p5.network_mbps) == ("H100-80GB", 8, 32, 30400, 3200000)
    assert (inf2.neuron_devices, inf2.neuron_name, inf2.neuron_cores, inf2.vcpus) == (6, "inferentia2", 12, 96)


@pytest.mark.parametrize("name", sampled(ALL))
def test_a_type_names_its_first_efa_card_where_it_has_efa(name: str) -> None:
    known_type = instance_types()[name]
    assert (known_type.first_efa_card is not None) == (known_type.efa_interfaces > 0) == bool(known_type.efa_cards)


def test_of_17_network_cards_of_a_p6_b300_the_first_has_no_efa() -> None:
    assert instance_types()["p6-b300.48xlarge"].efa_cards == range(1, 17)
    assert instance_types()["p6-b200.48xlarge"].efa_cards == range(8)
    assert instance_types()["g7.24xlarge"].efa_cards == range(1)


def test_a_type_or_card_nobody_knows_is_none() -> None:
    assert instance_type("p3.2xlarge") is None
    assert types_with_card("A100") == ()


def test_every_nvidia_type_is_seen_as_one() -> None:
    assert {instance_type.family for instance_type in instance_types().values() if instance_type.has_nvidia} >= {
        "g6",
        "g6f",
        "gr6f",
        "p5",
        "g5g",
    }
    assert not instance_types()["trn1.2xlarge"].has_nvidia


def test_types_are_found_by_their_names_and_a_name_that_the_catalog_lacks_is_left_out() -> None:
    assert [row.name for row in types_named(["p5.48xlarge", "p3.2xlarge", "g6.xlarge"])] == ["p5.48xlarge", "g6.xlarge"]


def test_a_type_has_the_facts_of_the_card_that_it_carries_whole() -> None:
    p4de, fraction, cpu = (instance_types()[name] for name in ("p4de.24xlarge", "g6f.large", "m7i.large"))
    assert p4de.nvidia_card == cards()["A100-80GB"]
    assert p4de.geometry == cards()["A100-80GB"].geometry
    assert p4de.geometry is not None
    assert (fraction.nvidia_card, fraction.geometry, fraction.fraction_memory_mib) == (None, None, 2861)
    assert (cpu.nvidia_card, cpu.fraction_memory_mib) == (None, None)
