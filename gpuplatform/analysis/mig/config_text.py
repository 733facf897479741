"""The reader of a mig-parted configuration: typed entries, and one fault for each broken rule of the format.

The rules are those of mig-parted v0.15 (api/spec/v1/spec.go and pkg/types in NVIDIA/mig-parted): version v1, no field
but the known ones, at least one configuration and one entry in each, ``devices`` and ``mig-enabled`` in every entry,
``mig-devices`` if and only if MIG is on, ``all`` as the only word for devices. In addition, a duplicated key is refused
here, because a YAML reader silently keeps the last one.
"""

from __future__ import annotations

import reprlib
import sys
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import cast

import yaml

from gpuplatform.analysis.mig.layout import Layout
from gpuplatform.catalog.mig import parse_device, parse_profile
from gpuplatform.faults import Fault

_FIELDS = ("device-filter", "devices", "mig-enabled", "mig-devices")
_SHAPE = "a mapping with version: v1 and mig-configs"
_LARGEST_NUMBER = 999_999
"""Larger counts and indices are refused without a search; a YAML number may have any length."""


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """One entry of one named configuration."""

    path: str
    """``mig-configs.all-balanced[2]``."""
    config: str
    device_filter: tuple[str, ...]
    """Device ids as written; empty when the entry is for any card."""
    devices: tuple[int, ...] | None
    """Device indices; None for ``all``."""
    layout: Layout | None
    """The layout of each of those devices; None where MIG is off, or on with no instances."""


@dataclass(frozen=True, slots=True)
class ConfigText:
    """The entries of a configuration that could be read, and the faults of its form."""

    entries: tuple[ConfigEntry, ...]
    faults: tuple[Fault, ...]
    broken: frozenset[str]
    """Names of the configurations with an unreadable entry; it is not known whether they cover a node."""


class _ConfigLoader(yaml.SafeLoader):
    """The safe YAML loader; it also refuses a duplicated key."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, object]:
        names: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in names:
                    raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} is duplicated", key.start_mark)
                names.add(key.value)
        return super().construct_mapping(node, deep=deep)


class _Brief(reprlib.Repr):
    """Short texts of values of any depth and length; Python refuses to write a number of thousands of digits."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 2

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if abs(x) <= sys.maxsize else "a number that is too large"


_brief = _Brief()


def read_config(text: str, name: str = "configuration") -> ConfigText:
    """The entries of a configuration, or of the ConfigMap that has one under ``config.yaml``.

    ``name`` is the path in faults of the document as a whole.
    """
    if not text.strip():
        return _unreadable(name, "an empty file", _SHAPE, "write at least one configuration")
    try:
        document: object = yaml.load(text, Loader=_ConfigLoader)
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        return _unreadable(name, _one_line(error), "YAML, one document", "correct the file at this place")
    fields = _mapping(document)
    if fields is None:
        return _unreadable(name, _shown(document), _SHAPE, "write version and mig-configs at the top")
    if fields.get("kind") == "ConfigMap":
        inner = (_mapping(fields.get("data")) or {}).get("config.yaml")
        if not isinstance(inner, str):
            change = "put the configuration under data, key config.yaml"
            return _unreadable(name, "a ConfigMap without config.yaml", "the key that the operator reads", change)
        return read_config(inner, name)
    return _read_document(fields)


def _read_document(fields: Mapping[str, object]) -> ConfigText:
    faults = _unknown_fields("", fields, ("version", "mig-configs"))
    if fields.get("version") != "v1":
        faults.append(Fault("version", _shown(fields.get("version")), "v1", "write version: v1"))
    configs = _mapping(fields.get("mig-configs"))
    if not configs:
        shown = _shown(fields.get("mig-configs"))
        faults.append(Fault("mig-configs", shown, "a mapping with at least one configuration", "name one"))
    entries: list[ConfigEntry] = []
    broken_configs: set[str] = set()
    for name, value in (configs or {}).items():
        path = f"mig-configs.{name}"
        items = _list(value) or []
        if not items:
            allowed = "a list of at least one entry"
            faults.append(Fault(path, _shown(value), allowed, "write an entry with devices and mig-enabled"))
            continue
        for index, plain in enumerate(items):
            entry, entry_faults = _read_entry(f"{path}[{index}]", name, plain)
            faults += entry_faults
            if entry is None:
                broken_configs.add(name)
            else:
                entries.append(entry)
    return ConfigText(tuple(entries), tuple(faults), frozenset(broken_configs))


def _read_entry(path: str, config: str, plain: object) -> tuple[ConfigEntry | None, list[Fault]]:
    fields = _mapping(plain)
    if fields is None:
        return None, [Fault(path, _shown(plain), f"a mapping with {', '.join(_FIELDS)}", "write the entry as one")]
    faults = _unknown_fields(f"{path}.", fields, _FIELDS)
    device_filter, entry_faults = _read_filter(f"{path}.device-filter", fields.get("device-filter"))
    faults += entry_faults
    devices, entry_faults = _read_devices(f"{path}.devices", fields.get("devices"))
    faults += entry_faults
    layout, entry_faults = _read_layout(path, fields)
    faults += entry_faults
    return (None if faults else ConfigEntry(path, config, device_filter, devices, layout)), faults


def _read_filter(path: str, plain: object) -> tuple[tuple[str, ...], list[Fault]]:
    if plain is None:
        return (), []
    items = _list(plain)
    ids = [plain] if items is None else items
    invalid_ids = [device_id for device_id in ids if not isinstance(device_id, str) or parse_device(device_id) is None]
    if ids and not invalid_ids:
        return tuple(str(device_id) for device_id in ids), []
    shown = ", ".join(_shown(device_id) for device_id in invalid_ids) or "an empty list"
    change = "write the PCI id in quotes (without them YAML reads a number), or leave device-filter out for any card"
    return (), [Fault(path, shown, "device ids such as 0x20B210DE, as one word or a list", change)]


def _read_devices(path: str, plain: object) -> tuple[tuple[int, ...] | None, list[Fault]]:
    if plain == "all":
        return None, []
    items = _list(plain)
    if items is not None:
        indices = [index for index in items if isinstance(index, int) and _is_number(index)]
        if indices and len(indices) == len(items):
            return tuple(indices), []
    return None, [
        Fault(path, _shown(plain), "all, or a list of device indices", "write devices: all or devices: [0, 1]")
    ]


def _read_layout(path: str, fields: Mapping[str, object]) -> tuple[Layout | None, list[Fault]]:
    enabled, plain = fields.get("mig-enabled"), fields.get("mig-devices")
    if not isinstance(enabled, bool):
        return None, [
            Fault(f"{path}.mig-enabled", _shown(enabled), "true or false", "write mig-enabled: true or false")
        ]
    path = f"{path}.mig-devices"
    if plain is None:
        change = "write mig-devices; write {} for MIG without instances"
        return None, [
            Fault(path, "nothing", "profiles and counts where mig-enabled is true", change)
        ] if enabled else []
    counts = _mapping(plain)
    if counts is None:
        return None, [Fault(path, _shown(plain), "a mapping from profile to count", 'write one such as {"1g.10gb": 7}')]
    if not counts:
        return None, []
    if not enabled:
        change = "set mig-enabled: true, or leave mig-devices out"
        return None, [Fault(path, ", ".join(counts), "nothing where mig-enabled is false", change)]
    return _read_counts(path, counts)


def _read_counts(path: str, counts: Mapping[str, object]) -> tuple[Layout | None, list[Fault]]:
    faults: list[Fault] = []
    instances: dict[str, int] = {}
    for name, count in counts.items():
        if parse_profile(name) is None:
            allowed = "a profile such as 1g.10gb, 1g.10gb+me or 1g.24gb-me"
            faults.append(
                Fault(f"{path}[{name}]", name, allowed, "write the profile's name as `nvidia-smi mig -lgip` prints it")
            )
        if not isinstance(count, int) or not _is_number(count) or count < 0:
            faults.append(
                Fault(f"{path}[{name}]", _shown(count), "a whole number, 0 or more", "write how many instances")
            )
        else:
            instances[name] = count
    if not faults and not any(instances.values()):
        faults.append(Fault(path, "every count is 0", "at least one instance", "count one, or write mig-devices: {}"))
    return Layout.of(instances), faults


def _is_number(value: int) -> bool:
    return not isinstance(value, bool) and abs(value) <= _LARGEST_NUMBER


def _unknown_fields(prefix: str, fields: Mapping[str, object], names: tuple[str, ...]) -> list[Fault]:
    allowed = f"the fields {', '.join(names)}"
    return [Fault(f"{prefix}{name}", name, allowed, "remove or rename it") for name in fields if name not in names]


def _mapping(value: object) -> dict[str, object] | None:
    """A mapping with its keys as text; None for anything else."""
    if not isinstance(value, dict):
        return None
    return {
        key if isinstance(key, str) else _shown(key): content
        for key, content in cast("dict[object, object]", value).items()
    }


def _list(value: object) -> list[object] | None:
    return cast("list[object]", value) if isinstance(value, list) else None


def _unreadable(name: str, problem: str, allowed: str, change: str) -> ConfigText:
    return ConfigText((), (Fault(name, problem, allowed, change),), frozenset())


def _one_line(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{error.problem} at line {mark.line + 1}, column {mark.column + 1}"
    return " ".join(str(error).split()) or "nested too deeply"


def _shown(value: object) -> str:
    """A value as a message shows it, shortened where it is long or deep."""
    text = "nothing" if value is None else value if isinstance(value, str) else _brief.repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
