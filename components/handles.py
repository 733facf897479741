"""The values that components pass to each other: frozen bundles of outputs, so that no component imports another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import pulumi
from pulumi_kubernetes.provider import Provider


@dataclass(frozen=True, slots=True)
class NetworkHandle:
    """The network of a cluster."""

    vpc_id: pulumi.Input[str]
    private_subnet_ids: tuple[pulumi.Input[str], ...]
    """Every private subnet."""
    subnet_of_zone: Mapping[str, pulumi.Input[str]]
    """One private subnet of each zone, by the zone's name."""


@dataclass(frozen=True, slots=True)
class ClusterHandle:
    """A running cluster, as the components inside it need it."""

    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    """The kubeconfig, a secret."""
    kubernetes: Provider
    """The provider for this cluster's API; it creates everything inside the cluster."""
