"""One stack as a comparison reads it, whichever revision's code described it. What could not be had is None."""

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
    """A part of a description: keys that an earlier or later revision has besides are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")


def _zone_name(raw: object) -> object:
    return cast("Mapping[str, object]", raw).get("name") if isinstance(raw, Mapping) else raw


_ZoneName = Annotated[str, BeforeValidator(_zone_name)]
"""A zone by its name; with its id beside it, the name alone."""


class NewNetworkPart(_Part):
    """A VPC of the stack's own."""

    cidr: str


class SubnetPart(_Part):
    """A subnet of an existing network."""

    id: str
    zone: _ZoneName


class ExistingNetworkPart(_Part):
    """Somebody else's VPC."""

    vpc_id: str
    private_subnets: tuple[SubnetPart, ...]


class NetworkPart(_Part):
    """One of the two."""

    new: NewNetworkPart | None = None
    existing: ExistingNetworkPart | None = None


class ClusterPart(_Part):
    """What of the control plane's settings has rules of its own."""

    name: str
    version: str
    service_cidr: str | None = None
    """None where an earlier program left the choice to EKS, and nobody can tell which addresses it took."""
    deletion_protection: bool = False
    contents: str = "applied"


class SystemNodesPart(_Part):
    """The system node group."""

    instance_types: tuple[str, ...]
    nodes: int
    root_volume_gib: int


class SettingsPart(_Part):
    """The settings that were applied, defaults filled in, as far as AWS resources are made from them."""

    environment: str
    account_id: str
    region: str
    tags: dict[str, str] = {}
    cluster: ClusterPart
    network: NetworkPart
    system_nodes: SystemNodesPart

    @property
    def stack_tags(self) -> dict[str, str]:
        """The tags of everything in AWS."""
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
    """One stack."""

    settings: SettingsPart | None = None
    subnets: dict[str, tuple[str, str]] | None = None
    """Of the stack's own network, by zone: private and public addresses."""
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
    """The settings as they were given, defaults filled in."""

    @functools.cached_property
    def node_subnets(self) -> tuple[tuple[str, str], ...]:
        """The nodes' subnets: the zone, and what tells the subnet from another, its id or its addresses."""
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
    """A description from what ``describing.described`` gave; ValidationError where it is none."""
    return Description.model_validate({**plain, "own_settings": plain.get("settings") or {}})


def of_settings(settings: Settings) -> Description:
    """The stack of these settings by the code that runs now."""
    # By way of text, so that both sides of a comparison hold the same kinds of values.
    return parse(json.loads(json.dumps(described(settings))))
