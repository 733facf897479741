"""What nodeadm is told of a pool's nodes before the pool's own NodeConfig, which wins where the two meet.

nodeadm merges the NodeConfigs of a node's user data in their order, the later one over the earlier: maps key by key,
lists whole (awslabs/amazon-eks-ami nodeadm/internal/api/merge.go and nodeadm/internal/util/merge.go, v20260714).
"""

from __future__ import annotations

from gpuplatform.render.document import Document, as_yaml
from gpuplatform.settings.pools import Pool

_ALL_MEMORY_BYTES = 2**53
"""More than any node has. "Unlimited", 2^64 - 1, cannot be written: nodeadm merges numbers as floating point, which
makes it 18446744073709552000, and containerd then reads no specification at all. Up to 2^53 they stay exact."""

_OPEN_FILES: Document = {"type": "RLIMIT_NOFILE", "soft": 65536, "hard": 1048576}
"""The image's own limit (nodeadm/internal/containerd/base-runtime-spec.json, v20260714), said again: a list replaces
the image's list, and without it containers have the host's limit, at which some allocate until they are killed."""

_LOCKED_MEMORY: Document = {"type": "RLIMIT_MEMLOCK", "soft": _ALL_MEMORY_BYTES, "hard": _ALL_MEMORY_BYTES}
"""EFA's buffers are locked memory, and libfabric wants no limit on it (ofiwg/libfabric prov/efa/docs/overview.md;
awslabs/awsome-distributed-ai#647: "(-12) Cannot allocate memory"). The image sets none, so containers have what systemd
gives containerd, 8 MiB (NVIDIA/nvidia-container-toolkit#2037). Bottlerocket raises it where EFA is attached
(bottlerocket-os/bottlerocket-core-kit#141); Amazon Linux 2023 does not. Not verified on a node."""


def pool_node_config(pool: Pool) -> str | None:
    """The NodeConfig of a GPU pool's nodes as YAML: containers of EFA pools may lock all memory. None for others."""
    if not pool.efa:
        return None
    process: Document = {"rlimits": [_OPEN_FILES, _LOCKED_MEMORY]}
    # Schema: awslabs/amazon-eks-ami nodeadm/api/v1alpha1/nodeconfig_types.go, ContainerdOptions.
    return as_yaml(
        {
            "apiVersion": "node.eks.aws/v1alpha1",
            "kind": "NodeConfig",
            "spec": {"containerd": {"baseRuntimeSpec": {"process": process}}},
        }
    )
