"""One stack as a comparison reads it, described by the code of any revision. An unknown part is None."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from typing import Annotated, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict

from gpuplatform.changes.describing import described
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings


class _Part(BaseModel):
    """A part of a description. Further keys of an earlier or later revision are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _zone_name(raw: object) -> object:
    return cast("Mapping[str, object]", raw).get("name") if isinstance(raw, Mapping) else raw


_ZoneName = Annotated[str, BeforeValidator(_zone_name)]
"""A zone's name, whether the settings have the name or name and id."""


class NewNetworkPart(_Part):
    """A VPC that the stack makes."""

    cidr: str


class SubnetPart(_Part):
    """A subnet of an existing network."""

    id: str
    zone: _ZoneName


class ExistingNetworkPart(_Part):
    """A VPC that the stack does not make."""

    vpc_id: str
    private_subnets: tuple[SubnetPart, ...]


class NetworkPart(_Part):
    """The network: either new or existing."""

    new: NewNetworkPart | None = None
    existing: ExistingNetworkPart | None = None


class ClusterPart(_Part):
    """The control plane's settings with special effects."""

    name: str
    version: str
    service_cidr: str | None = None
    """None where an earlier release left the choice to EKS, so that the addresses are unknown."""
    deletion_protection: bool = False
    contents: str = "applied"


class SystemNodesPart(_Part):
    """The system node group."""

    instance_types: tuple[str, ...]
    nodes: int
    root_volume_gib: int


class SettingsPart(_Part):
    """The applied settings of AWS resources, with defaults."""

    environment: str
    account_id: str
    region: str
    tags: dict[str, str] = {}
    cluster: ClusterPart
    network: NetworkPart
    system_nodes: SystemNodesPart

    @property
    def stack_tags(self) -> dict[str, str]:
        """The tags of every AWS resource."""
        return {**self.tags, "environment": self.environment}


class NodeGroupPart(_Part):
    """A managed node group of a static pool."""

    name: str
    pool: str
    nodes: int
    zone: str
    labels: dict[str, str]
    taints: tuple[dict[str, str], ...]
    volume: dict[str, int]
    user_data: str | None


class Description(_Part):
    """The parts of one stack that a comparison needs."""

    settings: SettingsPart | None = None
    subnets: dict[str, tuple[str, str]] | None = None
    """Private and public addresses of a new network, by zone."""
    documents: tuple[Document, ...] | None = None
    values: dict[str, Document] | None = None
    """Chart values by the chart's name."""
    node_groups: tuple[NodeGroupPart, ...] | None = None
    node_release: str | None = None
    """The image of managed node groups, as EKS names it."""
    addons: dict[str, str] | None = None
    """Versions of EKS add-ons, by name."""
    charts: dict[str, str] | None = None
    """Versions of the charts that are installed, by name."""
    published: Document | None = None
    """The stack output that other teams read."""
    unknown: dict[str, str] = {}
    """Why a part above is None, by its name."""
    own_settings: Document = {}
    """All settings, with defaults."""

    @functools.cached_property
    def node_subnets(self) -> tuple[tuple[str, str], ...]:
        """The nodes' subnets: the zone, and the subnet's id or addresses."""
        existing = self.settings.network.existing if self.settings else None
        if existing is not None:
            return tuple((subnet.zone, subnet.id) for subnet in existing.private_subnets)
        return tuple((zone, private) for zone, (private, _) in (self.subnets or {}).items())

    @functools.cached_property
    def by_kind(self) -> dict[str, dict[str, Document]]:
        """Documents by kind, then by namespace and name."""
        sorted_out: dict[str, dict[str, Document]] = {}
        for document in self.documents or ():
            metadata = cast("Mapping[str, str]", document["metadata"])
            name = "/".join(filter(None, (metadata.get("namespace"), metadata["name"])))
            sorted_out.setdefault(str(document["kind"]), {})[name] = document
        return sorted_out


def parse(plain: Mapping[str, object]) -> Description:
    """A description from the result of ``describing.described``; raises ValidationError for other data."""
    return Description.model_validate({**plain, "own_settings": plain.get("settings") or {}})


def of_settings(settings: Settings) -> Description:
    """The description of these settings by the present code."""
    # Converted to text and back, so that both sides of a comparison have the same types of values.
    return parse(json.loads(json.dumps(described(settings))))
