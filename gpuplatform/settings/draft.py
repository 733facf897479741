"""Whatever of a settings file is valid, so that every judge can speak in one run although some fields are wrong.

A field that is wrong is taken out and the rest is read again, until what is left is valid or its required part is
gone. Judges that compare pools with each other look only at pools from which nothing was taken.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from pydantic import ValidationError

from gpuplatform.faults import Fault
from gpuplatform.settings import report
from gpuplatform.settings.account import Account
from gpuplatform.settings.cluster import Cluster, FeatureGates, SystemNodes
from gpuplatform.settings.cost import Cost
from gpuplatform.settings.model import Model
from gpuplatform.settings.network import Network
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.settings.pools import EarlierSharing, Pool
from gpuplatform.settings.queues import Queues
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard import labels

M = TypeVar("M", bound=Model)

_ROUNDS = 20
"""Each round takes out at least one wrong part; nesting is far less deep than this."""

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
"""Harmless values in place of wrong ones that others depend on, so that what stands beside can still be judged."""


@dataclass(frozen=True, slots=True)
class Draft:
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
    """Those of ``pools`` that were valid as they stood."""
    broken_pools_text: str
    """The other pools' raw text: what they name is not held against the rest of the file."""
    cpu_pools: tuple[CpuPool, ...]
    neuron_pools: tuple[NeuronPool, ...]
    tenants: tuple[Tenant, ...]
    queues: Queues | None
    earlier_sharing: tuple[EarlierSharing, ...]
    refused: tuple[str, ...] = ()
    """The paths of what was taken out as wrong."""

    @property
    def zones(self) -> tuple[str, ...]:
        """The network's zones, as far as they are known."""
        return self.network.zones if self.network else ()

    def lacks(self, path: str) -> bool:
        """Whether something at a path, or below it, was taken out: what is missed there has been said already."""
        return any(each == path or each.startswith((f"{path}.", f"{path}[")) for each in self.refused)


def of_settings(settings: Settings) -> Draft:
    """The draft of settings that are valid as a whole."""
    return Draft(
        region=settings.region,
        account=settings.account,
        network=settings.network,
        cluster=settings.cluster,
        system_nodes=settings.system_nodes,
        feature_gates=settings.feature_gates,
        cost=settings.cost,
        pools=settings.pools,
        whole_pools=settings.pools,
        broken_pools_text="",
        cpu_pools=settings.cpu_pools,
        neuron_pools=settings.neuron_pools,
        tenants=settings.tenants,
        queues=settings.queues,
        earlier_sharing=settings.earlier_sharing,
    )


def read(raw: dict[str, Plain]) -> tuple[Settings | None, Draft, list[Fault]]:
    """The settings where the whole is valid, the draft in any case, and one fault for each field that is wrong."""
    try:
        settings = _validated(Settings, raw)
    except ValidationError as error:
        faults = report.faults_of(Settings, raw, error.errors(include_url=False))
        return None, replace(_salvage(raw), refused=tuple(fault.path for fault in faults)), faults
    return settings, of_settings(settings), []


def salvaged(raw: dict[str, Plain]) -> tuple[Settings | None, tuple[str, ...]]:
    """Settings without their wrong parts, and where those are; None where something that no stack is without is wrong.

    What is left is of the right form and nothing more: judges may refuse it.
    """
    settings, draft, _ = read(raw)
    return settings or _mended(Settings, raw), draft.refused


def _validated(model: type[M], raw: Plain) -> M:
    # JSON mode is strict about numbers, texts and booleans and still reads lists as tuples.
    return model.model_validate_json(json.dumps(raw, default=str), strict=True)


def _salvage(raw: dict[str, Plain]) -> Draft:
    region = raw.get("region")
    pools = [(item, _mended(Pool, item)) for item in _items(raw, "pools")]
    whole = [pool for item, pool in pools if pool is not None and _is_valid(Pool, item)]
    broken = [item for item, pool in pools if pool is None or pool not in whole]
    return Draft(
        region=region if isinstance(region, str) else None,
        account=_mended(Account, raw.get("account", {})),
        network=_mended(Network, raw.get("network")),
        cluster=_mended(Cluster, raw.get("cluster")),
        system_nodes=_mended(SystemNodes, raw.get("system_nodes", {})),
        feature_gates=_mended(FeatureGates, raw.get("feature_gates", {})),
        cost=_mended(Cost, raw.get("cost")),
        pools=tuple(pool for _, pool in pools if pool is not None),
        whole_pools=tuple(whole),
        broken_pools_text=json.dumps(broken, default=str),
        cpu_pools=_list(CpuPool, raw, "cpu_pools"),
        neuron_pools=_list(NeuronPool, raw, "neuron_pools"),
        tenants=_list(Tenant, raw, "tenants"),
        queues=_mended(Queues, raw.get("queues", {})),
        earlier_sharing=_list(EarlierSharing, raw, "earlier_sharing"),
    )


def _items(raw: dict[str, Plain], key: str) -> list[Plain]:
    value = raw.get(key)
    return value if isinstance(value, list) else []


def _list(model: type[M], raw: dict[str, Plain], key: str) -> tuple[M, ...]:
    return tuple(mended for item in _items(raw, key) if (mended := _mended(model, item)) is not None)


def _is_valid(model: type[M], raw: Plain) -> bool:
    try:
        _validated(model, raw)
    except ValidationError:
        return False
    return True


def _mended(model: type[M], raw: Plain) -> M | None:
    """The model read from ``raw`` without its wrong parts, or None where a required part is wrong."""
    left = copy.deepcopy(raw)
    for _ in range(_ROUNDS):
        if not isinstance(left, dict):
            return None
        try:
            return _validated(model, left)
        except ValidationError as error:
            places = {_wrong_part(report.resolved(left, each), each["type"]): each["type"] for each in error.errors()}
            innermost = [place for place in places if not any(_is_inside(other, place) for other in places)]
            if () in innermost:
                return None
            for place in sorted(innermost, reverse=True):
                _mend(left, place, places[place])
    return None


def _is_inside(place: report.Location, outer: report.Location) -> bool:
    """Whether a place is part of another, which may be wrong only because of it: a list too short for a bad item."""
    return len(place) > len(outer) and place[: len(outer)] == outer


def _wrong_part(place: report.Location, kind: str) -> report.Location:
    """The wrong value itself, or the list item or mapping that lacks a required key for which nothing can stand in."""
    return place[:-1] if kind == "missing" and place[-1] not in _STAND_INS else place


def _mend(raw: Plain, place: report.Location, kind: str) -> None:
    """Take a wrong part out, or put something harmless in its place where its owner cannot do without it."""
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
