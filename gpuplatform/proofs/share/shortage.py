"""What to say when nothing holds the pod: the largest there is, and which number to change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.catalog.cards import Card
from gpuplatform.catalog.instance_types import InstanceType
from gpuplatform.faults import Fault
from gpuplatform.proofs.share.need import Need

_MIB_PER_GIB = 1024


@dataclass(frozen=True, slots=True)
class _Measure:
    option: str
    given: float
    most: float
    unit: str
    where: str


def what_there_is(need: Need, places: Sequence[tuple[InstanceType, Card]]) -> list[Fault]:
    """One fault for each number that no place reaches, or one for all together where each alone would fit."""
    if not places:
        return [
            Fault("--stack", "no pool that suits the pod", "a pool that does", "add a pool, or ask without a stack")
        ]
    measures = _measures(need, places)
    faults = [
        Fault(
            each.option,
            f"{each.given:g} {each.unit}",
            f"at most {each.most:g} {each.unit}: {each.where}",
            f"ask for {each.most:g} or less",
        )
        for each in measures
        if each.given > each.most
    ]
    if faults:
        return faults
    largest = ", ".join(f"{each.most:g} {each.unit} ({each.where})" for each in measures)
    return [
        Fault(
            "the pod as a whole",
            f"{need.cards} x {need.memory_gib:g} GiB of card, {need.cpu_millis} CPU millis,"
            f" {need.host_memory_gib:g} GiB of host",
            f"what one node has together; each for itself the most is {largest}",
            "ask for less CPU or host memory, or for fewer cards",
        )
    ]


def _measures(need: Need, places: Sequence[tuple[InstanceType, Card]]) -> list[_Measure]:
    card = max(places, key=lambda place: place[1].memory_gb)
    cpu = max(places, key=lambda place: place[0].allocatable_cpu_millis)
    memory = max(places, key=lambda place: place[0].allocatable_memory_mib)
    cards = max(places, key=lambda place: place[0].cards)
    return [
        _Measure("--memory-gib", need.memory_gib, card[1].memory_gb, "GiB of one card", card[1].name),
        _Measure("--cpu-millis", need.cpu_millis, cpu[0].allocatable_cpu_millis, "CPU millis", cpu[0].name),
        _Measure(
            "--host-memory-gib",
            need.host_memory_gib,
            memory[0].allocatable_memory_mib // _MIB_PER_GIB,
            "GiB of host",
            memory[0].name,
        ),
        _Measure("--cards", need.cards, cards[0].cards, "cards of one node", cards[0].name),
    ]
