"""The five places that must agree about a shared card, read back from the rendered files alone.

Nothing here imports the platform's own rendering, settings or standard: it is a second reading, with a table of its
own for the number of cards of the instance types that the stacks use.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import yaml

Plain = dict[str, object]

CARDS_OF_TYPE = {
    "g4dn.xlarge": 1,
    "g4dn.2xlarge": 1,
    "g6.2xlarge": 1,
    "g6.4xlarge": 1,
    "p4d.24xlarge": 8,
    "p4de.24xlarge": 8,
    "p5.4xlarge": 1,
}


@dataclass(frozen=True)
class Places:
    """What each of the five places says of one NodePool: units of a resource on one card, or on one node."""

    nodepool: str
    resource: str
    labelled: str
    """Place 1, the label: the profile, or the plugin's configuration."""
    laid_out: int
    """Place 2, the operator's layout (or 1 where cards are not cut): slices of that profile on a card."""
    plugged: int
    """Place 3, the device plugin's configuration: times that each card or slice is offered."""
    believed: int
    """Place 4, the autoscaler's overlay: units on one node."""
    counted: int
    """Place 5, the quotas: namespaces that count the resource."""
    cards: int
    """Cards of one node."""


def read_folder(folder: Path) -> list[Plain]:
    return [
        cast(Plain, yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)) for path in sorted(folder.glob("*.yaml"))
    ]


def at(document: object, *path: str) -> object:
    value = document
    for key in path:
        value = cast(Mapping[str, object], value).get(key) if isinstance(value, Mapping) else None
    return value


def shared_pools(documents: Sequence[Plain]) -> list[Places]:
    """Every NodePool whose cards are shared, with what each place says."""
    of_kind: dict[str, list[Plain]] = {}
    for document in documents:
        of_kind.setdefault(str(document.get("kind", "values")), []).append(document)
    configs = {
        str(at(config_map, "metadata", "name")): cast(Plain, at(config_map, "data"))
        for config_map in of_kind["ConfigMap"]
    }
    layouts = cast(Plain, yaml.safe_load(str(configs["mig-layouts"]["config.yaml"]))["mig-configs"])
    plugin = {key: cast(Plain, yaml.safe_load(str(text))) for key, text in configs["device-plugin-sharing"].items()}
    (operator,) = [value for value in of_kind["values"] if "migManager" in value]
    assert at(operator, "mig", "strategy") == "mixed", "slices have names of their own"
    assert at(operator, "devicePlugin", "config", "default") == "", "a node without the label shares nothing"
    places: list[Places] = []
    for pool in of_kind["NodePool"]:
        labels = cast(Mapping[str, str], at(pool, "spec", "template", "metadata", "labels") or {})
        profile, shares = labels.get("gpu.mig.profile"), labels.get("nvidia.com/device-plugin.config")
        if profile is None and shares is None:
            continue
        name = str(at(pool, "metadata", "name"))
        resource = f"nvidia.com/mig-{profile}" if profile else "nvidia.com/gpu"
        places.append(
            Places(
                name,
                resource,
                profile or str(shares),
                _laid_out(cast(list[Plain], layouts[labels["nvidia.com/mig.config"]]), profile) if profile else 1,
                _replicas(plugin[shares]) if shares else 1,
                int(str(_capacity(of_kind["NodeOverlay"], name)[resource])),
                sum(_counts(quota, resource) for quota in of_kind["ResourceQuota"]),
                _cards(pool),
            )
        )
    return places


def _laid_out(entries: list[Plain], profile: str) -> int:
    (entry,) = entries
    assert entry["devices"] == "all"
    assert entry["mig-enabled"] is True
    devices = cast(Mapping[str, int], entry["mig-devices"])
    assert set(devices) == {profile.replace(".me", "+me")}
    return next(iter(devices.values()))


def _replicas(config: Plain) -> int:
    sharing = cast(Plain, config["sharing"])
    (method,) = sharing.values()
    assert at(method, "failRequestsGreaterThanOne") is True
    (resource,) = cast(list[Plain], at(method, "resources"))
    assert resource["name"] == "nvidia.com/gpu"
    return int(str(resource["replicas"]))


def _capacity(overlays: list[Plain], nodepool: str) -> Mapping[str, str]:
    (mine,) = [
        overlay
        for overlay in overlays
        for line in cast(list[Plain], at(overlay, "spec", "requirements"))
        if line["key"] == "karpenter.sh/nodepool" and line["operator"] == "In" and line["values"] == [nodepool]
    ]
    return cast(Mapping[str, str], at(mine, "spec", "capacity"))


def _counts(quota: Plain, resource: str) -> bool:
    hard = cast(Mapping[str, str], at(quota, "spec", "hard"))
    return int(hard.get(f"requests.{resource}", "0")) > 0


def _cards(pool: Plain) -> int:
    for line in cast(list[Plain], at(pool, "spec", "template", "spec", "requirements")):
        if line["key"] == "node.kubernetes.io/instance-type":
            (cards,) = {CARDS_OF_TYPE[name] for name in cast(list[str], line["values"])}
            return cards
    raise AssertionError("a NodePool lists its instance types by name")
