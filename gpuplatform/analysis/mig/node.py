"""Whether the entries of one configuration cover every device of a node exactly once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from gpuplatform.analysis.mig.layout import Layout
from gpuplatform.analysis.mig.proof import layout_fault
from gpuplatform.catalog.mig import MigGeometry
from gpuplatform.faults import Fault


@dataclass(frozen=True, slots=True)
class NodeEntry:
    """One entry of a mig-parted configuration: devices of a node, and their layout."""

    path: str
    """The entry's path: ``mig-configs.training-4[0]``."""
    devices: tuple[int, ...] | None
    """Device indices; None for ``all``."""
    layout: Layout | None
    """The layout of each of them; None where MIG is off, or on with no instances."""


def node_faults(path: str, devices_per_node: int, entries: Sequence[NodeEntry], geometry: MigGeometry) -> list[Fault]:
    """One fault for each layout that the card cannot hold, and those of :func:`coverage_faults`.

    ``path`` is the path of the configuration; ``devices_per_node`` counts the cards of one node.
    """
    faults: list[Fault] = []
    for entry in entries:
        if entry.layout is not None:
            fault = layout_fault(f"{entry.path}.mig-devices", geometry, entry.layout.as_dict())
            faults += [fault] if fault else []
    return faults + coverage_faults(path, devices_per_node, entries)


def coverage_faults(path: str, devices_per_node: int, entries: Sequence[NodeEntry]) -> list[Fault]:
    """One fault for each entry with devices that do not exist or are covered already, and one for missing devices."""
    faults: list[Fault] = []
    every = range(devices_per_node)
    covered: Counter[int] = Counter()
    first_entry: dict[int, str] = {}
    for entry in entries:
        device_indices = every if entry.devices is None else entry.devices
        absent = sorted({device for device in device_indices if device not in every})
        if absent:
            faults.append(
                Fault(
                    f"{entry.path}.devices",
                    f"{_devices(absent)} of {devices_per_node}",
                    f"a node of {devices_per_node} devices has the indices 0 to {devices_per_node - 1}",
                    f"name devices between 0 and {devices_per_node - 1} only",
                )
            )
        twice: list[int] = []
        for device in device_indices:
            covered[device] += 1
            if covered[device] == 1:
                first_entry[device] = entry.path
            elif device in every and device not in twice:
                twice.append(device)
        if twice:
            faults.append(
                Fault(
                    f"{entry.path}.devices",
                    f"{_devices(twice)} again, already covered by {first_entry[twice[0]]}",
                    "every device of a node is covered exactly once",
                    "name each device in one entry only",
                )
            )
    gaps = [device for device in every if device not in covered]
    if gaps:
        faults.append(
            Fault(
                path,
                f"no entry for {_devices(gaps)} of {devices_per_node}",
                "every device of a node is covered exactly once, and a node has one configuration only",
                f"add an entry for {_devices(gaps)} to this configuration, with mig-enabled: false where a card"
                " should stay whole, or use one pool for each configuration",
            )
        )
    return faults


def _devices(indices: Sequence[int]) -> str:
    return f"{'devices' if len(indices) > 1 else 'device'} {', '.join(str(index) for index in indices)}"
