"""The valid parts of a settings file, so that every check can run although some fields are wrong.

A wrong field is removed and the rest is read again, until the rest is valid or lacks a required field. Checks that
compare pools with each other look only at pools from which nothing was removed.
"""

from __future__ import annotations

import copy
import json
from typing import TypeVar, cast, get_args, get_origin

from pydantic import ValidationError

from gpuplatform.faults import Fault
from gpuplatform.settings import report
from gpuplatform.settings.cluster import Cluster, FeatureGates, SystemNodes
from gpuplatform.settings.model import Model
from gpuplatform.settings.network import Network
from gpuplatform.settings.pools import CpuPool, EarlierSharing, NeuronPool, Pool
from gpuplatform.settings.settings import Account, Cost, Queues, Settings
from gpuplatform.settings.source import Plain
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import labels

M = TypeVar("M", bound=Model)

_ROUNDS = 20
"""Each round removes at least one wrong part; settings are nested far less deep than this."""

_STAND_INS: dict[str, Plain] = {
    "purpose": labels.Purpose.INFER.value,
    "team": "unknown",
    "environment": "unknown",
    "service_account": "unknown",
    "principal_arn": "arn:aws:iam::000000000000:role/unknown",
    "nodes": 2,
    "time_slicing": 2,
    "mps": 2,
}
"""Harmless values that replace wrong ones in required fields, so that the other fields can still be checked."""


class PartialSettings(Model):
    """The valid parts of a settings file. A part is None, or left out of its list, where it could not be read."""

    region: str | None
    account: Account | None
    network: Network | None
    cluster: Cluster | None
    system_nodes: SystemNodes | None
    feature_gates: FeatureGates | None
    cost: Cost | None
    pools: tuple[Pool, ...]
    whole_pools: tuple[Pool, ...]
    """The pools among ``pools`` from which nothing was removed."""
    broken_pools_text: str
    """The raw text of the other pools: a name that occurs in it is not reported as missing elsewhere."""
    cpu_pools: tuple[CpuPool, ...]
    neuron_pools: tuple[NeuronPool, ...]
    tenants: tuple[Tenant, ...]
    queues: Queues | None
    earlier_sharing: tuple[EarlierSharing, ...]
    refused: tuple[str, ...] = ()
    """The paths of the wrong parts that were removed."""

    @property
    def zones(self) -> tuple[str, ...]:
        """The network's zones; empty where the network could not be read."""
        return self.network.zones if self.network else ()

    def lacks(self, path: str) -> bool:
        """Whether a wrong part at or below a path was removed: it is reported already, and not again as missing."""
        return any(wrong == path or wrong.startswith((f"{path}.", f"{path}[")) for wrong in self.refused)


_SHARED = tuple(name for name in PartialSettings.model_fields if name in Settings.model_fields)
"""The fields that are read from the settings' own."""


def of_settings(settings: Settings) -> PartialSettings:
    """The partial settings of settings that are valid as a whole."""
    shared = {name: getattr(settings, name) for name in _SHARED}
    return PartialSettings.model_construct(None, **shared, whole_pools=settings.pools, broken_pools_text="")


def read(raw: dict[str, Plain]) -> tuple[Settings | None, PartialSettings, list[Fault]]:
    """The settings where they are valid as a whole, the partial settings always, and one fault for each wrong field."""
    try:
        settings = _validated(Settings, raw)
    except ValidationError as error:
        faults = report.faults_of(Settings, raw, error.errors(include_url=False))
        return None, _salvage(raw).model_copy(update={"refused": tuple(fault.path for fault in faults)}), faults
    return settings, of_settings(settings), []


def salvaged(raw: dict[str, Plain]) -> tuple[Settings | None, tuple[str, ...]]:
    """Settings without their wrong parts, and the paths of these; None where a part that every stack needs is wrong.

    The rest has the right form only: checks may still refuse it.
    """
    settings, partial_settings, _ = read(raw)
    return settings or _repaired(Settings, raw), partial_settings.refused


def _validated(model: type[M], raw: Plain) -> M:
    # JSON mode is strict about numbers, texts and booleans and still reads lists as tuples.
    return model.model_validate_json(json.dumps(raw, default=str), strict=True)


def _salvage(raw: dict[str, Plain]) -> PartialSettings:
    pools = [(item, _repaired(Pool, item)) for item in _items(raw, "pools")]
    whole = [pool for item, pool in pools if pool is not None and _is_valid(Pool, item)]
    broken = [item for item, pool in pools if pool is None or pool not in whole]
    return PartialSettings.model_construct(
        None,
        **{name: _part(name, raw) for name in _SHARED},
        whole_pools=tuple(whole),
        broken_pools_text=json.dumps(broken, default=str),
    )


def _part(name: str, raw: dict[str, Plain]) -> str | Model | tuple[Model, ...] | None:
    """The valid part of one field of the settings: a text, a model, or the items of a list."""
    field = Settings.model_fields[name]
    if get_origin(field.annotation) is tuple:
        model, _ = get_args(field.annotation)
        return tuple(part for item in _items(raw, name) if (part := _repaired(model, item)) is not None)
    value = raw.get(name, None if field.is_required() else {})
    if isinstance(field.annotation, type) and issubclass(field.annotation, Model):
        return _repaired(field.annotation, value)
    return value if isinstance(value, str) else None


def _items(raw: dict[str, Plain], key: str) -> list[Plain]:
    value = raw.get(key)
    return value if isinstance(value, list) else []


def _is_valid(model: type[M], raw: Plain) -> bool:
    try:
        _validated(model, raw)
    except ValidationError:
        return False
    return True


def _repaired(model: type[M], raw: Plain) -> M | None:
    """The model read from ``raw`` without its wrong parts, or None where a required part is wrong."""
    rest = copy.deepcopy(raw)
    for _ in range(_ROUNDS):
        if not isinstance(rest, dict):
            return None
        try:
            return _validated(model, rest)
        except ValidationError as error:
            places = {
                _wrong_part(report.resolved(rest, error_details), error_details["type"]): error_details["type"]
                for error_details in error.errors()
            }
            innermost = [place for place in places if not any(_is_inside(other, place) for other in places)]
            if () in innermost:
                return None
            for place in sorted(innermost, reverse=True):
                _repair(rest, place, places[place])
    return None


def _is_inside(place: report.Location, outer: report.Location) -> bool:
    """Whether a place is inside another, which may be wrong only because of it: a list too short without a bad item."""
    return len(place) > len(outer) and place[: len(outer)] == outer


def _wrong_part(place: report.Location, kind: str) -> report.Location:
    """The place of the wrong value, or of the item or mapping that lacks a required key without a stand-in value."""
    return place[:-1] if kind == "missing" and place[-1] not in _STAND_INS else place


def _repair(raw: Plain, place: report.Location, kind: str) -> None:
    """Remove a wrong part, or replace it by a harmless value where its owner requires it."""
    owner = report.value_at(raw, place[:-1])
    last = place[-1]
    if isinstance(owner, dict):
        key = str(last)
        if kind != "extra_forbidden" and key in _STAND_INS:
            owner[key] = _STAND_INS[key]
        else:
            owner.pop(key, None)
    elif isinstance(owner, list) and isinstance(last, int) and last < len(owner):
        cast(list[Plain], owner).pop(last)
