"""Ways to break node classes, sharing, overlays and the operator's values."""

from __future__ import annotations

import json
from typing import cast

import yaml

from policies.rules.node_classes import (
    NODE_METADATA_HOPS,
    NODE_METADATA_TOKENS,
    NODE_VOLUMES_ENCRYPTED,
    NODE_WITHOUT_PUBLIC_ADDRESS,
)
from policies.rules.node_groups import NODE_GROUP_STANDARD
from policies.rules.operator_values import (
    OPERATOR_INSTALLS_NOTHING,
    OPERATOR_MIG_MIXED,
    OPERATOR_REACHES_POOLS,
    OPERATOR_SHARES_NOTHING_BY_DEFAULT,
    OPERATOR_TOLERATES_STANDARD,
)
from policies.rules.overlays import OVERLAY_CAPACITY, OVERLAY_MATCHES_POOL, OVERLAY_SCOPED
from policies.rules.protection import IMAGE_PINNED
from policies.rules.quotas import MIG_LAYOUT_LEGAL, QUOTA_OFFERED
from policies.rules.sharing import MIG_AGREES, SHARING_CONFIG_EXISTS
from tests.policies.documents import (
    GONE,
    Document,
    a_chief_pool,
    a_gpu_node_group,
    a_mig_pool,
    a_node_class,
    a_pool,
    a_quota,
    a_shared_overlay,
    a_shared_pool,
    an_overlay,
    but,
    layouts,
    plugin_config,
    requirement,
    taint,
    the_operator,
)
from tests.policies.harness import Case, case

_EIGHT: Document = {
    "version": "v1",
    "mig-configs": {"x": [{"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 8}}]},
}
"""Slices that no card has room for."""
_LABELS = ("spec", "template", "metadata", "labels")
_METADATA = ("spec", "metadataOptions")
_SLICES = "nvidia.com/mig-1g.10gb"
_MIG_CONFIG = "nvidia.com/mig.config"
_WORKER = ("values", "node-feature-discovery", "worker", "tolerations")
_OPERANDS = ("values", "daemonsets", "tolerations")


def _image(**term: object) -> Document:
    return but(a_node_class(), "spec", "amiSelectorTerms", [term])


def _values(*path_and_value: object) -> Document:
    return but(the_operator(), "values", *path_and_value)


_FOR_EIGHT = taint("gpu.size", "eight")
_FURTHER = but(a_pool(), "spec", "template", "spec", "taints", 2, _FOR_EIGHT)
_NO_EXECUTE = but(a_pool(), "spec", "template", "spec", "taints", 0, "effect", "NoExecute")


def _taints_of_group() -> list[Document]:
    return cast("list[Document]", a_gpu_node_group()["taints"])


def _without_sharing_label() -> Document:
    return but(a_shared_pool(), "spec", "template", "metadata", "labels", "nvidia.com/device-plugin.config", GONE)


CASES: tuple[Case, ...] = (
    case(IMAGE_PINNED, "the newest image", _image(alias="al2023@latest"), "al2023@latest", "write the version"),
    case(IMAGE_PINNED, "an alias alone", _image(alias="al2023"), "write the version"),
    case(IMAGE_PINNED, "a moving parameter", _image(ssmParameter="/aws/x/recommended/image_id"), "name the version"),
    case(IMAGE_PINNED, "a pattern", _image(name="amazon-eks-node-*"), "write the image's whole name"),
    *(
        case(
            NODE_VOLUMES_ENCRYPTED,
            broken,
            but(a_node_class(), "spec", "blockDeviceMappings", 0, "ebs", "encrypted", value),
            "blockDeviceMappings[0].ebs.encrypted",
            "set encrypted: true",
        )
        for broken, value in (("a plain disk", False), ("a disk that does not say", GONE), ("text", "true"))
    ),
    case(
        NODE_VOLUMES_ENCRYPTED,
        "disks by default",
        but(a_node_class(), "spec", "blockDeviceMappings", GONE),
        "add the root volume",
    ),
    *(
        case(
            NODE_METADATA_TOKENS,
            broken,
            but(a_node_class(), *_METADATA, "httpTokens", value),
            "set httpTokens: required",
        )
        for broken, value in (("no token needed", "optional"), ("not said", GONE))
    ),
    *(
        case(
            NODE_METADATA_HOPS,
            broken,
            but(a_node_class(), *_METADATA, "httpPutResponseHopLimit", value),
            "set httpPutResponseHopLimit: 1",
        )
        for broken, value in (("two hops", 2), ("not said", GONE), ("a truth value", True))
    ),
    case(
        NODE_WITHOUT_PUBLIC_ADDRESS,
        "a public address",
        but(a_node_class(), "spec", "associatePublicIPAddress", True),
        "remove associatePublicIPAddress",
    ),
    *(
        case(MIG_AGREES, broken, but(a_mig_pool(), *_LABELS, _MIG_CONFIG, value), _MIG_CONFIG, change)
        for broken, value, change in (
            ("no layout", GONE, f"add the label {_MIG_CONFIG}"),
            ("the layout that cuts nothing", "all-disabled", f"add the label {_MIG_CONFIG}"),
            ("the layout of another profile", "a100-80gb.2g.20gb-x3", "makes 1g.10gb"),
            ("the layout of a profile with an attribute", "a100-80gb.1g.10gb.me-x1", "makes 1g.10gb"),
        )
    ),
    case(
        MIG_AGREES,
        "a ceiling in whole cards",
        but(a_mig_pool(), "spec", "limits", {"nvidia.com/gpu": "16"}),
        f"write the ceiling as {_SLICES}",
        "remove nvidia.com/gpu",
    ),
    case(
        MIG_AGREES,
        "two ways of sharing",
        but(a_mig_pool(), *_LABELS, "nvidia.com/device-plugin.config", "time-slicing-x4"),
        "remove nvidia.com/device-plugin.config",
    ),
    case(
        MIG_AGREES,
        "a layout for whole cards",
        but(a_pool(), *_LABELS, _MIG_CONFIG, "all-1g.10gb"),
        f"set {_MIG_CONFIG} to all-disabled",
    ),
    case(
        MIG_AGREES,
        "slices counted of whole cards",
        but(a_pool(), "spec", "limits", {"nvidia.com/gpu": "8", _SLICES: "8"}),
        "count nvidia.com/gpu",
    ),
    *(
        case(OVERLAY_SCOPED, broken, but(an_overlay(), "spec", "requirements", lines), "karpenter.sh/nodepool In [...]")
        for broken, lines in (
            ("about everything", []),
            ("about any pool", [requirement("karpenter.sh/nodepool", "Exists")]),
            ("about a type", [requirement("node.kubernetes.io/instance-type", "In", "p4de.24xlarge")]),
        )
    ),
    *(
        case(
            OVERLAY_CAPACITY,
            broken,
            but(an_overlay(), "spec", "capacity", "nvidia.com/gpu", value),
            'set nvidia.com/gpu to "0"',
        )
        for broken, value in (("whole cards beside slices", "8"), ("whole cards not hidden", GONE))
    ),
    case(
        OVERLAY_CAPACITY,
        "half a slice",
        but(an_overlay(), "spec", "capacity", _SLICES, 5.5),
        "5.5",
        "write how many one node offers",
    ),
    case(
        SHARING_CONFIG_EXISTS,
        "a layout that nobody defines",
        [a_mig_pool()],
        "'a100-80gb.1g.10gb-x7'",
        "add the layout's key",
    ),
    case(
        SHARING_CONFIG_EXISTS,
        "a layout that makes other slices",
        [a_mig_pool(), layouts(**{"2g.20gb": 3})],
        "2g.20gb",
        "correct the layout under a new key",
    ),
    case(
        SHARING_CONFIG_EXISTS,
        "a way of sharing that nobody defines",
        [a_shared_pool(), layouts()],
        "'time-slicing-x4'",
        "add the configuration's key",
    ),
    case(
        SHARING_CONFIG_EXISTS,
        "broken text instead of layouts",
        [a_mig_pool(), but(layouts(), "data", "config.yaml", "mig-configs: [")],
        "add the layout's key",
    ),
    case(
        OVERLAY_MATCHES_POOL,
        "slices that nobody tells of",
        [a_mig_pool(), layouts()],
        "no overlay",
        "add a NodeOverlay with karpenter.sh/nodepool In [slices-a100]",
    ),
    case(
        OVERLAY_MATCHES_POOL,
        "fewer slices than the operator makes",
        [a_mig_pool(), layouts(), but(an_overlay(), "spec", "capacity", _SLICES, "48")],
        "'48'",
        "write 56",
    ),
    case(
        OVERLAY_MATCHES_POOL,
        "more shares than the plugin makes",
        [a_shared_pool(), plugin_config(), but(a_shared_overlay(), "spec", "capacity", "nvidia.com/gpu", "8")],
        "'8'",
        "write 4",
    ),
    case(
        OVERLAY_MATCHES_POOL,
        "a ceiling below one node's shares",
        [but(a_shared_pool(), "spec", "limits", "nvidia.com/gpu", "3"), plugin_config(), a_shared_overlay()],
        "ceilings count shares",
        "raise the ceiling to 4",
    ),
    case(
        NODE_GROUP_STANDARD,
        "a card without its model",
        but(a_gpu_node_group(), "labels", "gpu.model", GONE),
        "labels[gpu.model]",
        "add the label gpu.model",
    ),
    case(
        NODE_GROUP_STANDARD,
        "an NVIDIA image without a label",
        but(a_gpu_node_group(), "labels", {}),
        "labels[gpu.vendor]",
        "add the label gpu.vendor",
    ),
    *(
        case(
            NODE_GROUP_STANDARD,
            f"no taint {key}",
            but(a_gpu_node_group(), "taints", [listed for listed in _taints_of_group() if listed["key"] != key]),
            f"taints[{key}]",
            f"add the taint {key}",
        )
        for key in ("nvidia.com/gpu", "dedicated", "gpu.pool", "gpu.role")
    ),
    case(
        NODE_GROUP_STANDARD,
        "an image for arm64 without its taint",
        but(a_gpu_node_group(), "amiType", "AL2023_ARM_64_NVIDIA"),
        "taints[kubernetes.io/arch]",
        "add the taint kubernetes.io/arch",
    ),
    case(
        OVERLAY_MATCHES_POOL,
        "shares counted where the nodes share nothing",
        [_without_sharing_label(), plugin_config(), a_shared_overlay()],
        "share nothing",
        "remove nvidia.com/gpu",
    ),
    case(
        QUOTA_OFFERED,
        "slices that no pool makes",
        [
            a_mig_pool(),
            layouts(),
            an_overlay(),
            but(a_quota(), "spec", "hard", {"requests.nvidia.com/mig-2g.20gb": "4"}),
        ],
        "requests.nvidia.com/mig-2g.20gb",
        "name a resource that a pool offers",
    ),
    case(
        MIG_LAYOUT_LEGAL,
        "eight slices of a card that holds seven",
        layouts(**{"1g.10gb": 8}),
        "mig-configs.a100-80gb.1g.10gb-x7[0].mig-devices",
        "1g.10gb",
    ),
    *(
        case(MIG_LAYOUT_LEGAL, broken, but(layouts(), "data", "config.yaml", written), says)
        for broken, written, says in (
            ("as JSON", json.dumps(_EIGHT), "mig-configs.x[0].mig-devices"),
            ("with every word quoted", yaml.safe_dump(_EIGHT, default_style='"'), "mig-configs.x[0].mig-devices"),
            ("half a JSON", json.dumps(_EIGHT)[:-1], "YAML, one document"),
            ("broken", "mig-configs:\n  x: [", "YAML, one document"),
            ("without an end", "mig-configs: " + "[" * 5000, "YAML, one document"),
        )
    ),
    *(
        case(
            OPERATOR_INSTALLS_NOTHING,
            f"{part}: {broken}",
            _values(part, "enabled", value),
            f"set {part}.enabled: false",
        )
        for part in ("driver", "toolkit")
        for broken, value in (("installed again", True), ("left to the chart", GONE))
    ),
    case(
        OPERATOR_INSTALLS_NOTHING,
        "installed again, from a registry",
        but(_values("driver", "enabled", True), "chart", "oci://registry.example/nvidia/gpu-operator"),
        "set driver.enabled: false",
    ),
    *(
        case(OPERATOR_MIG_MIXED, broken, _values("mig", "strategy", value), "set mig.strategy: mixed")
        for broken, value in (("single", "single"), ("left to the chart", GONE))
    ),
    case(
        OPERATOR_SHARES_NOTHING_BY_DEFAULT,
        "every card shared",
        _values("devicePlugin", "config", "default", "time-slicing-x4"),
        "remove the default",
    ),
    *(
        case(
            OPERATOR_TOLERATES_STANDARD,
            f"{'.'.join(path)} misses {key}",
            but(the_operator(), *path, number, "key", "team"),
            ".".join(path),
            f"add {{key: {key}, operator: Exists}}",
        )
        for path in (_OPERANDS, _WORKER)
        for number, key in enumerate(("nvidia.com/gpu", "dedicated", "gpu.pool"))
    ),
    case(
        OPERATOR_TOLERATES_STANDARD,
        "the subchart's list forgotten",
        but(the_operator(), *_WORKER, GONE),
        "node-feature-discovery.worker.tolerations",
    ),
    case(OPERATOR_REACHES_POOLS, "a further taint", [_FURTHER, the_operator()], "gpu.size=eight", "add {key: gpu.size"),
    case(
        OPERATOR_REACHES_POOLS, "another effect", [_NO_EXECUTE, the_operator()], "present:NoExecute", "nvidia.com/gpu"
    ),
    case(
        OPERATOR_REACHES_POOLS,
        "a chief's taint",
        [a_chief_pool(), but(the_operator(), *_OPERANDS, 3, "key", "team")],
        "gpu.role=chief",
    ),
)
