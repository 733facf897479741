"""The instance guide: cards, instance types and prices, from the catalog's files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from cli.reference.markdown import generated, table
from gpuplatform.catalog.cards import Card, cards
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.catalog.prices import Availability, not_offered_rows, offer, price, price_rows, regions, unknown_pairs

_ABOUT = """
What the platform knows, each figure with its public source. Settings name cards and instance types as they are
written here. To add one, see [CONTRIBUTING](../../CONTRIBUTING.md#add-an-instance-type-a-card-or-a-price).
"""

_PRICES_ABOUT = """
USD for one hour of one instance: Linux, shared tenancy, on demand. Spot is not listed, because it moves; cost proofs
assume the stack's `spot_price_ratio`. `?` means that no public price was found, not that the region lacks the type:
`check` warns, and cost proofs need a price under `cost.prices`. `no` means that a dated public source says that the
region lacks the type; settings that name it there are refused.
"""


@dataclass(frozen=True, slots=True)
class _Sources:
    """Each distinct source once, numbered in the order of first mention."""

    number_by_source: dict[str, int] = field(default_factory=dict[str, int])

    def number(self, source: str) -> str:
        return f"[{self.number_by_source.setdefault(source, len(self.number_by_source) + 1)}]"

    def listing(self) -> str:
        return "".join(f"{number}. {source}\n" for source, number in self.number_by_source.items())


def page() -> str:
    """The page ``catalog.md``."""
    sources = _Sources()
    types = instance_types().values()
    nvidia_types = [instance_type for instance_type in types if instance_type.has_nvidia]
    neuron_types = [instance_type for instance_type in types if instance_type.neuron_devices]
    cpu_types = [
        instance_type
        for instance_type in types
        if instance_type not in nvidia_types and instance_type not in neuron_types
    ]
    return "".join(
        (
            generated("Instance guide", "gpuplatform/catalog/data"),
            _ABOUT,
            "\n## Cards\n\n",
            _cards(sources),
            "\n## Types with NVIDIA cards\n\n",
            _nvidia(nvidia_types, sources),
            "\n## Types with Inferentia or Trainium\n\n",
            _neuron(neuron_types, sources),
            "\n## Types without accelerators\n\n",
            _plain(cpu_types, sources),
            "\n## Prices\n",
            _PRICES_ABOUT,
            f"\nPairs of type and region without a price: {unknown_pairs()}.\n\n",
            _prices(types),
            "\n## Sources\n\nOf cards and types, by the number in the last column:\n\n",
            sources.listing(),
            "\nOf prices:\n\n",
            _price_sources(),
        )
    )


def _cards(sources: _Sources) -> str:
    header = ("card", "model", "memory as sold", "MIG profiles", "lowest driver", "source")
    return table(header, (_card(card, sources) for card in cards().values()))


def _card(card: Card, sources: _Sources) -> tuple[str, ...]:
    card_geometry = card.geometry
    profiles = (
        ", ".join(f"{profile.name} ×{profile.max_instances}" for profile in card_geometry.profiles)
        if card_geometry
        else "-"
    )
    name = f"{card.name} (legacy)" if card.legacy else card.name
    driver = card.minimum_driver or "?"
    return name, card.model, f"{card.memory_gb} GB", profiles, driver, sources.number(card.source)


def _nvidia(types: Sequence[InstanceType], sources: _Sources) -> str:
    header = (
        *("type", "cards", "memory of all cards", "vCPUs", "memory", "architecture"),
        *("EFA interfaces", "local NVMe", "network", "source"),
    )
    return table(header, (_gpu_row(instance_type, sources) for instance_type in types))


def _gpu_row(instance_type: InstanceType, sources: _Sources) -> tuple[str, ...]:
    card = instance_type.nvidia_card
    cards_text = f"{instance_type.cards} × {instance_type.card}" if card else "part of one L4: not for pools"
    memory_text = f"{instance_type.cards * card.memory_gb} GB" if card else "-"
    return (
        *(
            instance_type.name,
            cards_text,
            memory_text,
            str(instance_type.vcpus),
            _gib(instance_type),
            instance_type.architecture,
        ),
        *(
            str(instance_type.efa_interfaces or "-"),
            _nvme(instance_type),
            _network(instance_type),
            sources.number(instance_type.source),
        ),
    )


def _neuron(types: Sequence[InstanceType], sources: _Sources) -> str:
    rows = [
        (
            *(
                instance_type.name,
                f"{instance_type.neuron_devices} × {instance_type.neuron_name}",
                str(instance_type.neuron_cores),
                str(instance_type.vcpus),
            ),
            *(
                _gib(instance_type),
                str(instance_type.efa_interfaces or "-"),
                _network(instance_type),
                sources.number(instance_type.source),
            ),
        )
        for instance_type in types
    ]
    return table(("type", "devices", "cores", "vCPUs", "memory", "EFA interfaces", "network", "source"), rows)


def _plain(types: Sequence[InstanceType], sources: _Sources) -> str:
    rows = [
        (
            instance_type.name,
            instance_type.architecture,
            str(instance_type.vcpus),
            _gib(instance_type),
            _network(instance_type),
            sources.number(instance_type.source),
        )
        for instance_type in types
    ]
    return table(("type", "architecture", "vCPUs", "memory", "network", "source"), rows)


def _prices(types: Iterable[InstanceType]) -> str:
    rows = [
        (instance_type.name, *(_price(instance_type.name, region) for region in regions())) for instance_type in types
    ]
    return table(("type", *regions()), rows)


def _price(name: str, region: str) -> str:
    row = price(name, region)
    if row is not None:
        return f"{row.usd_per_hour:g}"
    return "no" if offer(name, region) is Availability.NOT_OFFERED else "?"


def _price_sources() -> str:
    price_sources = dict.fromkeys((price_row.source, price_row.as_of.isoformat()) for price_row in price_rows())
    exclusion_sources = dict.fromkeys(
        (not_offered_row.source, not_offered_row.as_of.isoformat()) for not_offered_row in not_offered_rows()
    )
    lines = [f"- {source}; data of {day}\n" for source, day in price_sources]
    lines += [f"- not offered: {source}; data of {day}\n" for source, day in exclusion_sources]
    return "".join(lines)


def _gib(instance_type: InstanceType) -> str:
    return f"{instance_type.memory_mib / 1024:g} GiB"


def _nvme(instance_type: InstanceType) -> str:
    return f"{instance_type.nvme_gb} GB" if instance_type.nvme_gb else "-"


def _network(instance_type: InstanceType) -> str:
    return f"{instance_type.network_mbps / 1000:g} Gbit/s"
