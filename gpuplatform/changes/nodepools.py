"""Changes of NodePools: nodes that drift, and so are replaced in the pool's windows; new and removed NodePools.

Karpenter 1.14 calls a node drifted where (kubernetes-sigs/karpenter 2266468, pkg/apis/v1/nodepool.go, Hash, and
pkg/controllers/nodeclaim/disruption/drift.go; aws/karpenter-provider-aws 1d92708, pkg/apis/v1/ec2nodeclass.go, Hash,
and pkg/cloudprovider/drift.go):

- the NodePool's template has changed, except its requirements
- the node's labels no longer meet the requirements: a wider requirement replaces nothing
- its EC2NodeClass has changed, except the fields of ``_RESOLVED``, which are compared with the instance itself
- the class no longer selects its image. An alias is resolved for the control plane's Kubernetes minor, so a pinned
  alias gives another image after an upgrade
- the class no longer selects its subnet or its capacity reservation
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.render.document import Document

_NODEPOOL = "NodePool"
_NODE_CLASS = "EC2NodeClass"
_IMAGES = "amiSelectorTerms"
_SUBNETS = "subnetSelectorTerms"
_RESERVATIONS = "capacityReservationSelectorTerms"
_RESOLVED = (_SUBNETS, "securityGroupSelectorTerms", _RESERVATIONS, "ipPrefixCount", _IMAGES, "amiFamily")
"""Fields of an EC2NodeClass that are not part of its hash (marked ``hash:"ignore"`` there; kubelet is added back)."""


def nodepool_effects(was: Description, now: Description, windows: Mapping[str, str]) -> list[Effect]:
    """The effects on each NodePool; ``windows`` has the time at which drift may act, by NodePool name."""
    if was.documents is None or now.documents is None:
        return []
    before, after = was.by_kind.get(_NODEPOOL, {}), now.by_kind.get(_NODEPOOL, {})
    upgrade = _upgrade(was, now)
    effects: list[Effect] = []
    for name in after:
        if name not in before:
            effects.append(Effect(Thing.NODEPOOL, name, Fate.NEW))
            continue
        reasons = (
            *_template(before[name], after[name]),
            *_requirements(before[name], after[name]),
            *_node_class(_class_of(was, before[name]), _class_of(now, after[name]), upgrade),
        )
        if reasons:
            effects.append(Effect(Thing.NODEPOOL, name, Fate.REPLACED, reasons, windows.get(name, "in its windows")))
    return effects + [Effect(Thing.NODEPOOL, name, Fate.GONE) for name in before if name not in after]


def _upgrade(was: Description, now: Description) -> str | None:
    """Why every image that an alias selects changes; None where the control plane keeps its version."""
    if was.settings is None or now.settings is None or was.settings.cluster.version == now.settings.cluster.version:
        return None
    return f"Kubernetes {was.settings.cluster.version} becomes {now.settings.cluster.version}: the image of that minor"


def _template(old: Document, new: Document) -> tuple[str, ...]:
    return differences(*(_without_requirements(_mapping(_spec(nodepool)["template"])) for nodepool in (old, new)))


def _without_requirements(template: Mapping[str, object]) -> Document:
    spec = {key: value for key, value in _mapping(template["spec"]).items() if key != "requirements"}
    return {**template, "spec": spec}


def _requirements(old: Document, new: Document) -> Iterable[str]:
    """Nodes that no longer meet the requirements: those with a removed value, or all others where a key is new."""
    before, after = _values_by_key(old), _values_by_key(new)
    for key, values in after.items():
        if key not in before:
            yield f"requirement {key} is new: nodes without {', '.join(values)}"
        elif gone := [value for value in before[key] if value not in values]:
            yield f"{key} no longer allows {', '.join(gone)}: only nodes with it"


def _values_by_key(nodepool: Document) -> dict[str, tuple[str, ...]]:
    lines = cast("list[Mapping[str, object]]", _mapping(_mapping(_spec(nodepool)["template"])["spec"])["requirements"])
    return {str(line["key"]): tuple(cast("list[str]", line.get("values", []))) for line in lines}


def _class_of(description: Description, nodepool: Document) -> Mapping[str, object]:
    reference = _mapping(_mapping(_mapping(_spec(nodepool)["template"])["spec"])["nodeClassRef"])
    node_class = description.by_kind.get(_NODE_CLASS, {}).get(str(reference["name"]))
    return {} if node_class is None else _spec(node_class)


def _node_class(old: Mapping[str, object], new: Mapping[str, object], upgrade: str | None) -> tuple[str, ...]:
    hashed = differences(*({key: value for key, value in spec.items() if key not in _RESOLVED} for spec in (old, new)))
    image = becomes("node image", _aliases(old), _aliases(new)) or ((upgrade,) if upgrade and _aliases(new) else ())
    return (
        *hashed,
        *image,
        *(f"subnet {id_} is no longer selected: only nodes in it" for id_ in _gone(_SUBNETS, old, new)),
        *(f"reservation {id_} is no longer selected: only nodes in it" for id_ in _gone(_RESERVATIONS, old, new)),
    )


def _aliases(node_class: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(term["alias"]) for term in _terms(node_class, _IMAGES) if "alias" in term)


def _gone(field: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Ids that the earlier class selects and the new one does not."""
    new_ids = [str(term["id"]) for term in _terms(new, field) if "id" in term]
    return [id_ for term in _terms(old, field) if "id" in term and (id_ := str(term["id"])) not in new_ids]


def _terms(node_class: Mapping[str, object], field: str) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", node_class.get(field, []))


def _spec(document: Document) -> Mapping[str, object]:
    return _mapping(document["spec"])


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value)
