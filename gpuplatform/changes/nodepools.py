"""NodePools whose nodes drift, and so are replaced inside the pool's windows; those that are new and those that go.

Karpenter 1.14 calls a node drifted where (kubernetes-sigs/karpenter 2266468, pkg/apis/v1/nodepool.go, Hash, and
pkg/controllers/nodeclaim/disruption/drift.go; aws/karpenter-provider-aws 1d92708, pkg/apis/v1/ec2nodeclass.go, Hash,
and pkg/cloudprovider/drift.go):

- the NodePool's template is another, requirements aside
- its labels answer the requirements no more: a wider requirement replaces nothing
- its EC2NodeClass is another, the fields of ``_RESOLVED`` aside, which are held against the instance itself
- its image is not among those that the class selects now. An alias is looked up for the control plane's Kubernetes
  minor, so a pinned alias gives another image after an upgrade
- its subnet or its capacity reservation is not selected any more
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import cast

from gpuplatform.changes.description import Description
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.render.document import Document
from gpuplatform.render.nodepools import node_class_of

_NODEPOOL = "NodePool"
_NODE_CLASS = "EC2NodeClass"
_IMAGES = "amiSelectorTerms"
_SUBNETS = "subnetSelectorTerms"
_RESERVATIONS = "capacityReservationSelectorTerms"
_RESOLVED = (_SUBNETS, "securityGroupSelectorTerms", _RESERVATIONS, "ipPrefixCount", _IMAGES, "amiFamily")
"""Fields of an EC2NodeClass that are not part of its hash (marked ``hash:"ignore"`` there; kubelet's is added back)."""


def nodepool_effects(was: Description, now: Description, windows: Mapping[str, str]) -> list[Effect]:
    """What becomes of each NodePool; ``windows`` says by its name when drift may act."""
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
    """Why every image that an alias selects is another one, None where the control plane stays."""
    if was.settings is None or now.settings is None or was.settings.cluster.version == now.settings.cluster.version:
        return None
    return f"Kubernetes {was.settings.cluster.version} becomes {now.settings.cluster.version}: the image of that minor"


def _template(old: Document, new: Document) -> tuple[str, ...]:
    return differences(*(_without_requirements(_mapping(_spec(each)["template"])) for each in (old, new)))


def _without_requirements(template: Mapping[str, object]) -> Document:
    spec = {key: value for key, value in _mapping(template["spec"]).items() if key != "requirements"}
    return {**template, "spec": spec}


def _requirements(old: Document, new: Document) -> Iterable[str]:
    """Nodes that answer no more: those of a value that was taken away, or all where a key is new."""
    before, after = _values_by_key(old), _values_by_key(new)
    for key, values in after.items():
        if key not in before:
            yield f"requirement {key} is new: nodes without {', '.join(values)}"
        elif gone := [value for value in before[key] if value not in values]:
            yield f"{key} takes {', '.join(gone)} no more: nodes of it alone"


def _values_by_key(nodepool: Document) -> dict[str, tuple[str, ...]]:
    lines = cast("list[Mapping[str, object]]", _mapping(_mapping(_spec(nodepool)["template"])["spec"])["requirements"])
    return {str(line["key"]): tuple(cast("list[str]", line.get("values", []))) for line in lines}


def _class_of(description: Description, nodepool: Document) -> Mapping[str, object]:
    node_class = description.by_kind.get(_NODE_CLASS, {}).get(node_class_of(nodepool))
    return {} if node_class is None else _spec(node_class)


def _node_class(old: Mapping[str, object], new: Mapping[str, object], upgrade: str | None) -> tuple[str, ...]:
    hashed = differences(*({key: value for key, value in each.items() if key not in _RESOLVED} for each in (old, new)))
    image = becomes("node image", _aliases(old), _aliases(new)) or ((upgrade,) if upgrade and _aliases(new) else ())
    return (
        *hashed,
        *image,
        *(f"subnet {one} is not selected any more: nodes in it alone" for one in _gone(_SUBNETS, old, new)),
        *(f"reservation {one} is not selected any more: nodes in it alone" for one in _gone(_RESERVATIONS, old, new)),
    )


def _aliases(node_class: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(str(term["alias"]) for term in _terms(node_class, _IMAGES) if "alias" in term)


def _gone(field: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[str]:
    """Ids that the class selected by name and does not any more."""
    left = [str(term["id"]) for term in _terms(new, field) if "id" in term]
    return [one for term in _terms(old, field) if "id" in term and (one := str(term["id"])) not in left]


def _terms(node_class: Mapping[str, object], field: str) -> list[Mapping[str, object]]:
    return cast("list[Mapping[str, object]]", node_class.get(field, []))


def _spec(document: Document) -> Mapping[str, object]:
    return _mapping(document["spec"])


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value)
