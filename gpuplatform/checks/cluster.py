"""Checks of the cluster: version, endpoint, access entries, feature gates, and the MIG bring-up of pools."""

from __future__ import annotations

import ipaddress

from gpuplatform.faults import Fault, warning
from gpuplatform.plan.node_pools import mig_profile
from gpuplatform.settings.cluster import AccessLevel, Cluster, EndpointAccess, LogType
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.pools import Pool, Provisioner, Sharing
from gpuplatform.standard import versions

_PRIVATE = tuple(ipaddress.IPv4Network(network) for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"))


def check_cluster(settings: PartialSettings) -> list[Fault]:
    """Faults of the cluster's own settings, and of pools that need a feature gate that is off."""
    faults = _cluster(settings.cluster) if settings.cluster else []
    gates = settings.feature_gates
    for pool in settings.pools:
        if gates and not gates.static_capacity and _is_static_by_karpenter(pool):
            faults.append(_needs_gate(pool, "nodes", "static_capacity", "provisioner: managed-node-group"))
        if gates and not gates.node_overlay and pool.sharing != "exclusive" and pool.nodes is None:
            faults.append(
                _needs_gate(pool, "sharing", "node_overlay", "a static pool (nodes: N), which needs no overlay")
            )
    return faults


def _is_static_by_karpenter(pool: Pool) -> bool:
    return pool.nodes is not None and pool.provisioner is Provisioner.KARPENTER


def _needs_gate(pool: Pool, key: str, gate: str, alternative: str) -> Fault:
    return Fault(
        f"pools[{pool.name}].{key}",
        f"a pool that needs the feature gate {gate}, which is off",
        f"feature_gates.{gate}: true, or {alternative}",
        f"turn the gate on, or use {alternative}",
    )


def _cluster(cluster: Cluster) -> list[Fault]:
    faults: list[Fault] = []
    if cluster.version not in versions.KUBERNETES_SUPPORTED:
        faults.append(
            Fault(
                "cluster.version",
                repr(cluster.version),
                f"one of {', '.join(versions.KUBERNETES_SUPPORTED)}: Karpenter and the GPU Operator support these",
                "choose one of those",
            )
        )
    return [*faults, *_endpoint(cluster), *_services(cluster), *_logs(cluster), *_entries(cluster)]


def _logs(cluster: Cluster) -> list[Fault]:
    """The policy pack refuses a control plane with fewer logs (policies/rules/cluster.py), so `check` does too."""
    absent_logs = [log_type.value for log_type in LogType if log_type not in cluster.log_types]
    if not absent_logs:
        return []
    allowed = f"all five: {', '.join(LogType)}"
    return [
        Fault("cluster.log_types", f"no {', '.join(absent_logs)}", allowed, "leave log_types out, or name all five")
    ]


def _endpoint(cluster: Cluster) -> list[Fault]:
    endpoint = cluster.endpoint
    path = "cluster.endpoint.public_cidrs"
    if endpoint.access is EndpointAccess.PRIVATE:
        if not endpoint.public_cidrs:
            return []
        return [Fault(path, "networks for a private endpoint", "none", "remove them, or set access: public")]
    if not endpoint.public_cidrs:
        return [
            Fault(path, "no network", "the networks that may reach a public endpoint", "name your offices' networks")
        ]
    networks = ipaddress.collapse_addresses(ipaddress.IPv4Network(public_cidr) for public_cidr in endpoint.public_cidrs)
    if all(network.prefixlen for network in networks):
        return []
    allowed = "networks that together do not cover the whole internet"
    return [Fault(path, ", ".join(endpoint.public_cidrs), allowed, "name your offices' networks")]


def _services(cluster: Cluster) -> list[Fault]:
    """Faults of the range of Services (EKS API reference, KubernetesNetworkConfigRequest, read 2026-11-21)."""
    network = ipaddress.IPv4Network(cluster.service_cidr)
    if 12 <= network.prefixlen <= 24 and any(network.subnet_of(private) for private in _PRIVATE):
        return []
    allowed = f"a network of /24 to /12 within {', '.join(map(str, _PRIVATE))}"
    return [Fault("cluster.service_cidr", cluster.service_cidr, allowed, "choose a private network of that size")]


def _entries(cluster: Cluster) -> list[Fault]:
    faults: list[Fault] = []
    holders: dict[str, str] = {}
    for entry in cluster.access_entries:
        holder = holders.setdefault(entry.principal_arn, entry.name)
        if holder != entry.name:
            allowed = f"each principal in one entry (EKS API reference, CreateAccessEntry); {holder} has it too"
            change = "put its groups into one entry, or name another principal"
            faults.append(
                Fault(f"cluster.access_entries[{entry.name}].principal_arn", entry.principal_arn, allowed, change)
            )
        path = f"cluster.access_entries[{entry.name}].groups"
        if entry.level is AccessLevel.GROUPS and not entry.groups:
            faults.append(Fault(path, "none", "at least one Kubernetes group", "name the group, or another level"))
        if entry.level is not AccessLevel.GROUPS and entry.groups:
            faults.append(
                Fault(path, ", ".join(entry.groups), "groups only with level groups", "remove one of the two")
            )
        faults += [
            Fault(path, group, "a group that does not begin with system:", "name a group of your own")
            for group in entry.groups
            if group.startswith("system:")
        ]
    faults += _creator(cluster)
    if not any(entry.level is AccessLevel.ADMIN for entry in cluster.access_entries):
        faults.append(
            warning(
                "cluster.access_entries",
                "no admin",
                "an admin in addition to the principal that runs `pulumi up`",
                "add an entry with level admin",
            )
        )
    return faults


def _creator(cluster: Cluster) -> list[Fault]:
    """Faults of entries for the cluster's creator: EKS adds it as an admin itself, and refuses a second entry.

    pulumi-eks always requests this entry (pulumi/pulumi-eks v4.3.0, nodejs/eks/cluster/cluster.ts,
    bootstrapClusterCreatorAdminPermissions).
    """
    reason = "EKS makes it an admin, and AWS refuses a further access entry for it (ResourceInUseException)"
    if cluster.creator_arn is None:
        allowed = f"the role or user that runs the first `pulumi up`: {reason}"
        change = "set creator_arn, so that `check` can refuse an access entry for it"
        return [warning("cluster.creator_arn", "nothing", allowed, change)]
    return [
        Fault(
            f"cluster.access_entries[{entry.name}].principal_arn",
            f"{entry.principal_arn}, the cluster's creator_arn",
            f"any principal except the cluster's creator: {reason}",
            "remove the entry, or correct cluster.creator_arn",
        )
        for entry in cluster.access_entries
        if entry.principal_arn == cluster.creator_arn
    ]


def check_bring_up(settings: PartialSettings) -> list[Fault]:
    """Faults of pools that set mig_bring_up without MIG."""
    return [
        Fault(
            f"pools[{pool.name}].mig_bring_up",
            f"{pool.mig_bring_up.value} on cards that are {_sharing_in_words(pool) or 'whole'}",
            "mig_bring_up only on cards that are cut by mig",
            "leave mig_bring_up out, or cut the cards by mig",
        )
        for pool in settings.pools
        if "mig_bring_up" in pool.model_fields_set
        and mig_profile(pool) is None
        # Where the sharing could not be read, it may have been mig.
        and (_sharing_in_words(pool) or pool in settings.whole_pools)
    ]


def _sharing_in_words(pool: Pool) -> str | None:
    if not isinstance(pool.sharing, Sharing) or pool.sharing.shares_per_card is None:
        return None
    return "time-sliced" if pool.sharing.time_slicing is not None else "under MPS"
