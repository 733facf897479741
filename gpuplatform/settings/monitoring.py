"""What is measured, for how long, and when somebody is told (M1-M6)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from gpuplatform.settings.model import Model


class Monitoring(Model):
    """Prometheus, its rules and boards; every part is on unless said otherwise."""

    enabled: bool = True
    """Off where a cluster is watched by something else: no chart, no rule, no board is made."""
    managed_workspace_id: Annotated[str, Field(pattern=r"^ws-[0-9a-f-]{36}$")] | None = None
    """An Amazon Managed Prometheus workspace: series are written there, and boards are Amazon Managed Grafana's."""
    retention_days: Annotated[int, Field(ge=1, le=400)] = 15
    """How long Prometheus keeps series itself; two hours' worth is enough beside a managed workspace."""
    storage_gib: Annotated[int, Field(ge=10, le=16384)] = 100
    """Prometheus' volume."""
    use_target_percent: Annotated[int, Field(ge=1, le=100)] = 30
    """Below this a pool's cards are said to be idle."""
    pending_alert_minutes: Annotated[int, Field(ge=1, le=1440)] = 15
    """How long a pod may wait for cards before somebody is told; longer than the slowest node takes to start."""
    drift_alert_days: Annotated[int, Field(ge=1, le=365)] = 30
    """How long a node may run on an old template before somebody is told."""
    runbooks_url: Annotated[str, Field(min_length=1)] = "docs/runbooks"
    """Where this repository's pages are read: the folder that every alert's link begins with."""
