"""CEL variables of the rules about NodePools: the catalog as tables, and the types that a NodePool may launch."""

from __future__ import annotations

from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.standard import keys, labels
from gpuplatform.standard.instance_labels import instance_labels
from policies.cel import literal, nested, table
from policies.nodepool import LABELS_PATH


def _card_tables() -> dict[str, str]:
    types_with_cards = [instance_type for instance_type in instance_types().values() if instance_type.card is not None]
    name_of = {card.name: f"{card.model}|{labels.memory_value(card.memory_gb)}" for card in cards().values()}
    geometries = {card.name: card.geometry for card in cards().values()}
    profiles = {
        name_of[name]: table(
            {labels.profile_value(profile.name): profile.max_instances for profile in cut.profiles} if cut else {}
        )
        for name, cut in geometries.items()
    }
    return {
        "cards": nested(profiles),
        "card_of_type": table(
            {instance_type.name: name_of[instance_type.card or ""] for instance_type in types_with_cards}
        ),
        "cards_of_type": table({instance_type.name: instance_type.cards for instance_type in types_with_cards}),
    }


def _families_with_cards() -> dict[str, str]:
    """The families that have NVIDIA cards, each with its category and its architecture."""
    labels_of_types = [
        (instance_type, instance_labels(name))
        for name, instance_type in instance_types().items()
        if instance_type.has_nvidia
    ]
    return {
        instance_type.family: f"{well_known_labels[keys.INSTANCE_CATEGORY]}|{well_known_labels[keys.ARCHITECTURE]}"
        for instance_type, well_known_labels in labels_of_types
    }


_DISTINGUISHES_FAMILIES = (
    f"r.key in {literal((keys.INSTANCE_FAMILY, keys.INSTANCE_CATEGORY))}"
    f" || r.key.startsWith({literal(keys.INSTANCE_GPU_PREFIX)}) || !r.key.startsWith({literal(keys.INSTANCE_PREFIX)})"
)
"""Whether a requirement distinguishes one family from another; only the pack follows other requirements."""


def _admits(value: str) -> str:
    return f'(r.operator == "In" ? {value} in r.values : r.operator == "NotIn" ? !({value} in r.values) : true)'


_CATEGORY, _ARCHITECTURE = (f'variables.families[f].split("|")[{at}]' for at in (0, 1))
_ADMITS = (
    f"r.key == {literal(keys.INSTANCE_FAMILY)} ? {_admits('f')}"
    f" : r.key == {literal(keys.INSTANCE_CATEGORY)} ? {_admits(_CATEGORY)}"
    f" : r.key == {literal(keys.ARCHITECTURE)} ? {_admits(_ARCHITECTURE)}"
    f' : !r.key.startsWith({literal(keys.INSTANCE_GPU_PREFIX)}) || r.operator != "DoesNotExist" && r.operator != "Lt"'
)
_ADMITTED = f"variables.requirements.all(r, r.key != {literal(keys.ARCHITECTURE)} || {_admits('a')})"
_LABELS_AT = ".?".join(LABELS_PATH.split("."))

NODE_POOL_VARIABLES = {
    "labels": f"object.?{_LABELS_AT}.orValue({{}})",
    "was": f"oldObject == null ? {{}} : oldObject.?{_LABELS_AT}.orValue({{}})",
    "taints": "object.spec.template.spec.?taints.orValue([])",
    "every_taint": "variables.taints + object.spec.template.spec.?startupTaints.orValue([])",
    "requirements": "object.spec.template.spec.?requirements.orValue([])",
    "limits": "object.spec.?limits.orValue({})",
    "budgets": "object.spec.?disruption.?budgets.orValue([])",
    "static": "has(object.spec.replicas)",
    **_card_tables(),
    "named": f"variables.requirements.filter(r, r.key == {literal(keys.INSTANCE_TYPE)} && r.operator == 'In')",
    "types": "variables.named.size() == 0 ? [] : variables.named[0].values"
    ".filter(t, variables.named.all(n, t in n.values))",
    "architecture_of_type": table(
        {instance_type.name: instance_type.architecture for instance_type in instance_types().values()}
    ),
    "launched": "variables.types.filter(t, t in variables.architecture_of_type)"
    f".map(t, variables.architecture_of_type[t]).filter(a, {_ADMITTED})",
    "of_architecture": f"variables.requirements.filter(r, r.key == {literal(keys.ARCHITECTURE)} && r.operator == 'In')",
    "architectures": "variables.launched.size() > 0 ? variables.launched"
    " : variables.of_architecture.size() == 0 ? []"
    " : variables.of_architecture[0].values.filter(a, variables.of_architecture.all(n, a in n.values))",
    "families": table(_families_with_cards()),
    "may_launch_cards": f"variables.named.size() == 0 && variables.requirements.all(r, {_DISTINGUISHES_FAMILIES})"
    f" && variables.families.exists(f, variables.requirements.all(r, {_ADMITS}))",
    "is_gpu": f"variables.labels.exists(k, k.startsWith({literal(labels.PREFIX)}))"
    f" || variables.taints.exists(t, t.key == {literal(keys.GPU_TAINT)})"
    " || variables.types.exists(t, t in variables.card_of_type) || variables.may_launch_cards",
    "partitioned": f'variables.labels[?{literal(labels.MIG.key)}].orValue("") == {literal(labels.MIG_ENABLED)}',
    "profile": f'variables.labels[?{literal(labels.MIG_PROFILE.key)}].orValue("")',
    "card": f'variables.labels[?{literal(labels.MODEL.key)}].orValue("") + "|"'
    f' + variables.labels[?{literal(labels.MEMORY.key)}].orValue("")',
    "chief": f'variables.labels[?{literal(labels.ROLE.key)}].orValue("") == {literal(labels.Role.CHIEF.value)}',
    "is_protected": "variables.chief"
    f' || variables.labels[?{literal(labels.PURPOSE.key)}].orValue("") == {literal(labels.Purpose.TRAIN.value)}',
}
