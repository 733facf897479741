"""What passes between components: frozen bundles of outputs, so that none imports another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.provider import Provider


@dataclass(frozen=True, slots=True)
class NetworkHandle:
    """The network that a cluster stands in."""

    vpc_id: pulumi.Input[str]
    private_subnet_ids: tuple[pulumi.Input[str], ...]
    """Every private subnet."""
    subnet_of_zone: Mapping[str, pulumi.Input[str]]
    """One private subnet of each zone, by the zone's name."""


@dataclass(frozen=True, slots=True)
class ClusterHandle:
    """A running cluster, as those who put something into it need it."""

    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    """Secret."""
    kubernetes: Provider
    """Speaks to this cluster's API; everything inside the cluster is made through it."""
