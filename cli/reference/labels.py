"""The label standard on one page, from the code that checks it."""

from __future__ import annotations

from cli.reference.markdown import any_of, code, generated, table
from gpuplatform.catalog.cards import cards
from gpuplatform.standard import aliases, keys, labels, names, resources, taints
from gpuplatform.standard.markets import Market
from gpuplatform.standard.priorities import PREEMPTION_POLICY, PRIORITIES

_LEVELS = {
    labels.Level.HARDWARE: "hardware",
    labels.Level.FEATURE: "feature",
    labels.Level.POLICY: "policy",
    labels.Level.ROLE: "role",
}

_ABOUT = f"""
One label, one meaning. Every GPU NodePool carries the whole set in its template, and it is fixed for the life of a
node. Levels 1, 2 and 4 of a NodePool never change; level 3 changes only by a planned change of layout, which replaces
the nodes.

- Level 1 is true of every instance type that the pool can launch. Level 3 is the layout that the node really has.
- A NodePool is of one card and one memory size. A ladder of three cards is three NodePools with the same
  `{labels.PURPOSE.key}`.
- Chief and worker are never the same pool.
- `{keys.FEATURE_DISCOVERY_PREFIX}*` belongs to NVIDIA's feature discovery, which overwrites it: never set it by hand,
  and never select on `{keys.GPU_PRODUCT}`, which changes its value under time-slicing.
- `{keys.MIG_CONFIG}` and `{keys.DEVICE_PLUGIN_CONFIG}` are instructions to the GPU Operator. The platform sets them.
- `{keys.EFA}=true` is on the nodes of pools with `efa: true`. It draws EFA's device plugin, which fails anywhere else.
"""

_WORDS = f"""
## Three words

- A **pool** is one entry of `pools` in the settings.
- It becomes one **NodePool** for each card and market, and for each zone where it is static, named
  `<pool>-<card>-<market>[-<zone>]`: `{names.nodepool("infer", "L4-24GB", Market.SPOT)}`.
- A **purpose** is the value of `{labels.PURPOSE.key}`: what a pool is for, not what it is called.

## How a pod names a pool

By the pool's selection set: `{labels.PURPOSE.key}`, `{labels.ROLE.key}` and `{labels.MIG.key}`; with
`{labels.MIG_PROFILE.key}` where cards are cut, `{labels.MODEL.key}` and `{labels.MEMORY.key}` where the pool has one
card, and `{keys.CAPACITY_TYPE}` where it has one market. The selection set, the tolerations and the resource together
are the pool's block:

```sh
.venv/bin/gpuplatform block --stack dev --pool infer
```

Two pools are refused if the block of one reaches a NodePool of the other. The message says what would separate them.
"""

_TAINTS_ABOUT = """
Every GPU node has the first three, and a chief's node the fourth. The effect is `NoSchedule` unless the pool's
`taint_effect` says otherwise ([what the effects do](../guides/taints.md)). A pool may declare further taints; its
block tolerates them too.
"""

_ALIASES_ABOUT = """
Labels of other guides are read as the standard's. They are never guessed the other way round. For a migration a
stack may write one vocabulary beside the standard (`aliases`); see [the guide](../guides/migrate-labels.md).
"""


def page() -> str:
    """The page ``labels.md``."""
    return "".join(
        (
            generated("The label standard", "gpuplatform/standard"),
            _ABOUT,
            "\n## Labels\n\n",
            table(("level", "key", "values", "meaning", "required on"), (_label(label) for label in labels.STANDARD)),
            "\n## Values by card\n\n",
            _values(),
            _WORDS,
            "\n## Taints\n",
            _TAINTS_ABOUT,
            "\n",
            _taints(),
            "\n## Resources\n\n",
            _resources(),
            "\n## Priorities\n\n",
            f"No class is the cluster's default, and each has `preemptionPolicy: {PREEMPTION_POLICY}`.\n\n",
            table(
                ("name", "value", "meaning"),
                ((code(priority.name), str(priority.value), priority.meaning) for priority in PRIORITIES),
            ),
            "\n## Aliases\n",
            _ALIASES_ABOUT,
            "\n",
            _aliases(),
        )
    )


def _label(label: labels.Label) -> tuple[str, ...]:
    values = any_of(map(code, label.values)) if label.values else "see [values by card](#values-by-card)"
    return f"{label.level.value} {_LEVELS[label.level]}", code(label.key), values, label.meaning, label.required


def _values() -> str:
    rows: list[tuple[str, ...]] = []
    for card in cards().values():
        card_geometry = card.geometry
        profiles = (
            [] if card_geometry is None else [labels.profile_value(profile.name) for profile in card_geometry.profiles]
        )
        profile_texts = ", ".join(map(code, profiles)) or "none"
        rows.append((card.name, code(card.model), code(labels.memory_value(card.memory_gb)), profile_texts))
    return table(("card in settings", labels.MODEL.key, labels.MEMORY.key, labels.MIG_PROFILE.key), rows)


def _taints() -> str:
    chief_taints = taints.standard_taints(labels.Purpose.INFER, labels.Role.CHIEF)
    node_texts = ("every GPU node",) * 2 + ("every GPU node; the value is its purpose", "chief nodes")
    rows = [
        (code(f"{taint.key}={taint.value}:{taint.effect}"), node_text, code(toleration.as_document()["operator"]))
        for taint, toleration, node_text in zip(chief_taints, taints.tolerations(chief_taints), node_texts, strict=True)
    ]
    for taint, node_text, operator in (
        (taints.ARM64_TAINT, "nodes of Graviton pools, with cards and without", "Equal"),
        (taints.NEURON_TAINT, "Inferentia and Trainium nodes", "Exists"),
        (taints.SYSTEM_TAINT, "system nodes", "Exists"),
    ):
        rows.append((code(f"{taint.key}={taint.value}:{taint.effect}"), node_text, code(operator)))
    return table(("taint", "on", "tolerated by"), rows)


def _resources() -> str:
    slice_resource = resources.mig_resource("1g.10gb+me")
    return table(
        ("resource", "what one of it is", "key in a ResourceQuota"),
        (
            (code(resources.GPU), "a card, or one share of a shared card", code(resources.quota_key(resources.GPU))),
            (
                code(resources.mig_resource("1g.10gb")),
                "a MIG slice of that profile",
                code(resources.quota_key(resources.mig_resource("1g.10gb"))),
            ),
            (
                code(slice_resource),
                "a slice of `1g.10gb+me`: a `+` is written `.` everywhere but in settings and layouts",
                code(resources.quota_key(slice_resource)),
            ),
            (code(resources.NEURON), "an Inferentia or Trainium device", code(resources.quota_key(resources.NEURON))),
            (code(resources.EFA), "an EFA interface", code(resources.quota_key(resources.EFA))),
        ),
    )


_SEEN_VALUES = {
    aliases.NODE_TYPE: ("gpu", "gpu-inference", "gpu-training", "gpu-spot"),
    aliases.GPU_TYPE: ("a100",),
    aliases.GPU_MEMORY: ("80gb",),
    aliases.WORKLOAD_CLASS: ("inference", "training", "notebook"),
    aliases.WORKLOAD: ("inference", "training", "ai-ml"),
    aliases.ACCELERATOR: ("nvidia",),
}


def _aliases() -> str:
    rows: list[tuple[str, ...]] = []
    for key in aliases.ALIAS_KEYS:
        for value in _SEEN_VALUES[key]:
            standard_labels = aliases.translated({key: value})
            conditions = [
                code(f"{name}={label_value}") if label_value else f"{code(name)} exists"
                for name, label_value in standard_labels.items()
            ]
            rows.append((code(f"{key}={value}"), " and ".join(conditions)))
    return table(("alias", "in the standard"), rows)
