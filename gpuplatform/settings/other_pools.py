"""Pools without NVIDIA cards: CPU nodes of either architecture (N13), Inferentia and Trainium (N14)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gpuplatform.settings.disruption import Disruption
from gpuplatform.settings.model import Model, PoolName
from gpuplatform.standard.markets import Market


class CpuPool(Model):
    """Nodes without accelerators, x86 or Graviton. Graviton's stand behind the taint `kubernetes.io/arch=arm64`."""

    name: PoolName
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    """Of one architecture: a pool is one NodePool with one ceiling."""
    markets: Annotated[tuple[Market, ...], Field(min_length=1)] = (Market.SPOT, Market.ON_DEMAND)
    ceiling_vcpus: Annotated[int, Field(ge=1)]
    """The most vCPUs that the pool's nodes have together."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] = 720


class NeuronPool(Model):
    """Nodes with AWS Inferentia or Trainium, behind the Neuron taint."""

    name: PoolName
    instance_types: Annotated[tuple[str, ...], Field(min_length=1)]
    markets: Annotated[tuple[Market, ...], Field(min_length=1)] = (Market.ON_DEMAND,)
    ceiling_devices: Annotated[int, Field(ge=1)]
    """The most Neuron devices that the pool's nodes have together."""
    disruption: Disruption = Disruption()
    expire_after_hours: Annotated[int, Field(ge=1, le=8760)] = 720
