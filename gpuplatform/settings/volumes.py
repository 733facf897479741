"""The disk that a node starts from: its purpose's, where the pool says nothing else (N16, N17)."""

from __future__ import annotations

from dataclasses import dataclass

from gpuplatform.settings.pools import Pool
from gpuplatform.standard.labels import Purpose


@dataclass(frozen=True, slots=True)
class RootVolume:
    """A node's gp3 root volume, encrypted always."""

    size_gib: int
    iops: int
    throughput_mib_s: int


_INFERENCE_DISK = RootVolume(size_gib=200, iops=6000, throughput_mib_s=250)
_TRAINING_DISK = RootVolume(size_gib=500, iops=16000, throughput_mib_s=1000)
PLAIN_DISK = RootVolume(size_gib=100, iops=3000, throughput_mib_s=125)
"""Of nodes without NVIDIA cards."""
_DISKS = {Purpose.INFER: _INFERENCE_DISK, Purpose.DEV: _INFERENCE_DISK, Purpose.TRAIN: _TRAINING_DISK}
"""Root volumes of the Karpenter guide, by purpose."""


def root_volume(pool: Pool) -> RootVolume:
    """The root volume of a GPU pool's nodes."""
    usual, chosen = _DISKS[pool.purpose], pool.node_class
    return RootVolume(
        chosen.root_volume_gib or usual.size_gib,
        chosen.root_volume_iops or usual.iops,
        chosen.root_volume_throughput_mib_s or usual.throughput_mib_s,
    )
