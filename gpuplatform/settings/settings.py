"""What one environment chose: the object under `gpu-platform:settings`."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from gpuplatform.settings.account import Account
from gpuplatform.settings.admission import AdmissionMode
from gpuplatform.settings.cluster import Cluster, FeatureGates, SystemNodes
from gpuplatform.settings.cost import Cost
from gpuplatform.settings.model import Model, Name
from gpuplatform.settings.monitoring import Monitoring
from gpuplatform.settings.network import Network
from gpuplatform.settings.other_pools import CpuPool, NeuronPool
from gpuplatform.settings.pools import EarlierSharing, Pool
from gpuplatform.settings.queues import Queues
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard.aliases import Vocabulary


def _own(key: str) -> str:
    if key.lower().startswith("aws:"):
        raise ValueError("a key that does not begin with aws:, which AWS keeps for itself")
    return key


TagKey = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_own)]
"""A tag's key (AWS Resource Groups user guide, tag naming limits)."""


class Settings(Model):
    """One environment of the platform, whole."""

    environment: Name
    """dev, staging, prod: in tags and in outputs."""
    account_id: Annotated[str, Field(pattern=r"^\d{12}$")]
    """The AWS account, quoted: given here, never looked up."""
    account: Account = Account()
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
    tags: dict[TagKey, Annotated[str, Field(max_length=256)]] = {}
    """On every AWS resource, nodes and volumes included."""
    cluster: Cluster
    network: Network
    system_nodes: SystemNodes = SystemNodes()
    feature_gates: FeatureGates = FeatureGates()
    pools: Annotated[tuple[Pool, ...], Field(min_length=1)]
    cpu_pools: tuple[CpuPool, ...] = ()
    neuron_pools: tuple[NeuronPool, ...] = ()
    tenants: tuple[Tenant, ...] = ()
    queues: Queues = Queues()
    admission: AdmissionMode = AdmissionMode.AUDIT
    """What the API server does with an object that breaks a rule: `audit`, then `warn`, then `deny`."""
    monitoring: Monitoring = Monitoring()
    cost: Cost
    earlier_sharing: tuple[EarlierSharing, ...] = ()
    """Configurations that running nodes may still wear after a change; drop a line when no node does (G8)."""
    aliases: Vocabulary | None = None
    """A second label vocabulary written beside the standard while workloads migrate."""

    @property
    def stack_tags(self) -> dict[str, str]:
        """The tags of whatever the stack makes in AWS, and of whatever AWS or Karpenter makes for it."""
        return {**self.tags, "environment": self.environment}
