"""The settings of one environment: the object under `gpu-platform:settings`, and its smaller sections."""

from __future__ import annotations

import datetime
import enum
from fractions import Fraction
from typing import Annotated

from pydantic import AfterValidator, Field

from gpuplatform.settings.cluster import Cluster, FeatureGates, SystemNodes
from gpuplatform.settings.model import Model, Name
from gpuplatform.settings.network import Network
from gpuplatform.settings.pools import CpuPool, EarlierSharing, NeuronPool, Pool
from gpuplatform.settings.tenants import Tenant
from gpuplatform.standard.aliases import Vocabulary


class SpotRole(enum.StrEnum):
    """Which stack makes the account's service-linked role for EC2 Spot, AWSServiceRoleForEC2Spot."""

    CREATE = "create"  # this stack; a destroy keeps the role, so set present before the next `up`
    PRESENT = "present"  # another stack or person made it


class Account(Model):
    """AWS resources that all stacks of one account share. One stack makes them, the others state that they exist."""

    spot_service_linked_role: SpotRole | None = None
    """`create`: this stack makes AWSServiceRoleForEC2Spot; a destroy keeps it. `present`: the role exists already."""


class AdmissionMode(enum.StrEnum):
    """How the API server treats an object that breaks a rule. Start with `audit`, then change to stricter modes."""

    AUDIT = "audit"  # accepts it, and writes the finding into the audit log
    WARN = "warn"  # accepts it, and warns the client that applied it
    DENY = "deny"  # refuses it, unless the caller is in the break-glass group


MOST_USD = 10**12
"""Upper bound of limits: far above any monthly bill, and small enough for exact arithmetic."""


class PriceOverride(Model):
    """A price that the catalog lacks for the stack's region, or the stack's own price in place of the list price."""

    instance_type: str
    usd_per_hour: Annotated[float, Field(gt=0, le=1_000_000)]
    """On-demand price of one instance."""
    source: Annotated[str, Field(min_length=1)]
    """The source of the price, with its date."""


class Cost(Model):
    """Cost limits that `check` and the policies enforce, and assumptions of the bill."""

    monthly_floor_limit_usd: Annotated[int, Field(ge=0, le=MOST_USD)]
    """The most that the stack may cost in a month without any workloads."""
    monthly_budget_usd: Annotated[int, Field(ge=0, le=MOST_USD)]
    """The most that the stack may cost in a month in which every ceiling is reached."""
    spot_price_ratio: Annotated[float, Field(gt=0, le=1)] = 0.40
    """Assumed spot price as a fraction of the on-demand price; every bill states the assumption."""
    spot_price_as_of: datetime.date | None = None
    """The day on which the ratio was looked up; without it the bill says that the ratio was never looked up."""
    expected_use_percent: Annotated[int, Field(ge=0, le=100)] = 30
    """Average use as a percentage of every pool's ceiling and every quota; a pool may set its own percentage."""
    prices: tuple[PriceOverride, ...] = ()


class Monitoring(Model):
    """Prometheus, its rules and its dashboards."""

    enabled: bool = True
    """`false` where another system monitors the cluster: no chart, rule or dashboard is made."""
    managed_workspace_id: Annotated[str, Field(pattern=r"^ws-[0-9a-f-]{36}$")] | None = None
    """An Amazon Managed Prometheus workspace. Series are written there; use Amazon Managed Grafana for dashboards."""
    retention_days: Annotated[int, Field(ge=1, le=400)] = 15
    """How long Prometheus itself keeps series; with a managed workspace one day is enough."""
    storage_gib: Annotated[int, Field(ge=10, le=16384)] = 100
    """Size of Prometheus' volume."""
    use_target_percent: Annotated[int, Field(ge=1, le=100)] = 30
    """A pool whose cards are used less than this counts as idle."""
    pending_alert_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    """How long a pod may wait for cards before an alert fires; longer than the slowest node takes to start."""
    drift_alert_days: Annotated[int, Field(ge=1, le=365)] = 30
    """How long a node may run on an old template before an alert fires."""
    runbooks_url: Annotated[str, Field(min_length=1)] = "docs/runbooks"
    """Folder or URL of the runbooks: every alert's link begins with it."""


class Queues(Model):
    """Queue settings that apply to all teams together."""

    overcommit_ratio: Annotated[float, Field(gt=0, le=10)] = 1.0
    """Over-commit ratio limit: the teams' quotas of a resource as a multiple of what its pools can have."""
    start_timeout_minutes: Annotated[int, Field(ge=5, le=240)] = 45
    """If not all pods of an admitted job run within this time, the whole job waits again; longer than a node start."""

    def guaranteeable(self, units: int) -> int:
        """The most units that may be guaranteed of this number of units, as a whole number."""
        return int(units * Fraction(str(self.overcommit_ratio)))


def _not_reserved(key: str) -> str:
    if key.lower().startswith("aws:"):
        raise ValueError("a key that does not begin with aws:, which AWS reserves")
    return key


TagKey = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(_not_reserved)]
"""A tag's key (AWS Resource Groups user guide, tag naming limits)."""


class Settings(Model):
    """The settings of one environment of the platform."""

    environment: Name
    """The environment's name in tags and outputs, such as dev, staging or prod."""
    account_id: Annotated[str, Field(pattern=r"^\d{12}$")]
    """The AWS account's number, in quotes. It is never looked up."""
    account: Account = Account()
    region: Annotated[str, Field(pattern=r"^[a-z]{2}(-[a-z]+)+-\d$")]
    tags: dict[TagKey, Annotated[str, Field(max_length=256)]] = {}
    """Tags of every AWS resource, nodes and volumes included."""
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
    """How the API server treats an object that breaks a rule: `audit`, `warn` or `deny`, from mild to strict."""
    monitoring: Monitoring = Monitoring()
    cost: Cost
    earlier_sharing: tuple[EarlierSharing, ...] = ()
    """Configurations that running nodes may still use after a change; remove an item when no node uses it."""
    aliases: Vocabulary | None = None
    """A second label vocabulary, written in addition to the standard while workloads migrate."""

    @property
    def stack_tags(self) -> dict[str, str]:
        """The tags of all AWS resources that the stack makes, or that AWS or Karpenter makes for it."""
        return {**self.tags, "environment": self.environment}
