"""Changes of managed node groups of system nodes and static pools: replaced, rolled by EKS, or changed in place.

EKS updates version, release and launch template of a group node by node; names, types, image type, subnets and role
are ForceNew (hashicorp/terraform-provider-aws 012e0a3, internal/service/eks/node_group.go). The program replaces the
system group where its launch template changes (``components/cluster.py``), the new group first.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.changes.description import Description, NodeGroupPart, SettingsPart
from gpuplatform.changes.differences import becomes, differences
from gpuplatform.changes.effect import Effect, Fate, Thing

_SYSTEM = "system"
_NEW_FIRST = "during the `up`, the new group first"
_ONE_BY_ONE = "during the `up`, one node at a time"
_OLD_FIRST = "during the `up`, the old group first: its name is fixed"
"""With an explicit name, Pulumi deletes a resource before it creates the new one (pulumi/pulumi-eks#492)."""


def node_group_effects(was: Description, now: Description) -> list[Effect]:
    """The effects on each managed node group."""
    if was.settings is None or now.settings is None:
        return []
    image = (
        *becomes("Kubernetes", was.settings.cluster.version, now.settings.cluster.version),
        *_release(was, now),
    )
    tags = differences({"tags": was.settings.stack_tags}, {"tags": now.settings.stack_tags})
    subnet_changes = becomes(
        "private subnets", *(frozenset(subnet for _, subnet in description.node_subnets) for description in (was, now))
    )
    effects = _system(was.settings, now.settings, image, (*tags, *subnet_changes))
    if was.node_groups is None or now.node_groups is None:
        return effects
    before = {group.name: group for group in was.node_groups}
    after = {group.name: group for group in now.node_groups}
    for name, group in after.items():
        if name in before:
            subnets = becomes("subnet", _subnet_in(was, before[name].zone), _subnet_in(now, group.zone))
            effects += _static(before[name], group, (*image, *tags), subnets)
        else:
            effects.append(Effect(Thing.NODE_GROUP, name, Fate.NEW))
    return effects + [Effect(Thing.NODE_GROUP, name, Fate.GONE) for name in before if name not in after]


def _subnet_in(description: Description, zone: str) -> str | None:
    """The subnet of a static group in the zone: the first subnet with this zone."""
    return next((subnet for name, subnet in description.node_subnets if name == zone), None)


def _release(was: Description, now: Description) -> tuple[str, ...]:
    if was.node_release is None or now.node_release is None:
        return ()
    return becomes("node image release", was.node_release, now.node_release)


def _system(
    old: SettingsPart, new: SettingsPart, image: tuple[str, ...], further_reasons: tuple[str, ...]
) -> list[Effect]:
    before, after = old.system_nodes, new.system_nodes
    replacement_reasons = (
        *becomes("system_nodes.instance_types", before.instance_types, after.instance_types),
        *becomes("system_nodes.root_volume_gib", before.root_volume_gib, after.root_volume_gib),
        *further_reasons,
    )
    count_changes = becomes("system_nodes.nodes", before.nodes, after.nodes)
    return list(
        _fates(_SYSTEM, (*replacement_reasons, *image) if replacement_reasons else (), image, count_changes, _NEW_FIRST)
    )


def _static(
    old: NodeGroupPart, new: NodeGroupPart, shared_reasons: tuple[str, ...], subnets: tuple[str, ...]
) -> Iterable[Effect]:
    """The effect on a group that keeps its name, and so its types and zone: with other types its name would change."""
    rolled = (
        *shared_reasons,
        *differences({"volume": old.volume}, {"volume": new.volume}),
        *becomes("user data", old.user_data, new.user_data),
        *becomes("pool", old.pool, new.pool),
    )
    in_place = (
        *differences({"labels": old.labels}, {"labels": new.labels}),
        *differences({"taints": list(old.taints)}, {"taints": list(new.taints)}),
        *becomes("nodes", old.nodes, new.nodes),
    )
    return _fates(new.name, (*subnets, *rolled) if subnets else (), rolled, in_place, _OLD_FIRST)


def _fates(
    name: str, replacement_reasons: tuple[str, ...], rolled: tuple[str, ...], in_place: tuple[str, ...], order: str
) -> Iterable[Effect]:
    """The gravest fate only, with the changes in place among its reasons."""
    if replacement_reasons:
        yield Effect(Thing.NODE_GROUP, name, Fate.REPLACED, (*replacement_reasons, *in_place), order)
    elif rolled:
        yield Effect(Thing.NODE_GROUP, name, Fate.ROLLED, (*rolled, *in_place), _ONE_BY_ONE)
    elif in_place:
        yield Effect(Thing.NODE_GROUP, name, Fate.CHANGED, in_place)
