"""Cluster: the EKS control plane, its key and logs, system nodes and add-ons."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace

import pulumi
import pulumi_eks as eks
from pulumi_aws.cloudwatch import LogGroup
from pulumi_aws.ec2 import Tag
from pulumi_aws.eks import AccessPolicyAssociationAccessScopeArgs, Addon, NodeGroup, PodIdentityAssociation
from pulumi_aws.kms import Alias, Key
from pulumi_kubernetes.provider import Provider

from components.handles import ClusterHandle, NetworkHandle
from components.identity import EC2, NODE_POLICIES, PODS, make_role
from components.launch_templates import launch_template
from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.render.addons import addon_values
from gpuplatform.render.document import Document
from gpuplatform.settings.cluster import AccessLevel, EndpointAccess
from gpuplatform.settings.pools import PLAIN_DISK
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import keys, names, versions
from gpuplatform.standard.taints import SYSTEM_TAINT, system_labels

_ACCESS_POLICY = "arn:aws:eks::aws:cluster-access-policy/{}"
_POLICIES = {AccessLevel.ADMIN: "AmazonEKSClusterAdminPolicy", AccessLevel.READER: "AmazonEKSViewPolicy"}
_EBS_ACCOUNT = "ebs-csi-controller-sa"
"""Service account of the EBS CSI add-on (EKS user guide, Amazon EBS CSI driver)."""
_CONTROL_PLANE = "aws:eks/cluster:Cluster"
_SYSTEM_PREFIX = "system-"
_KEY_DELETION_DAYS = 30
_AFTER_NODES = ("coredns", "aws-ebs-csi-driver", "eks-node-monitoring-agent", "metrics-server")
"""Add-ons that become healthy only when there is a node to run on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClusterArgs:
    """The inputs of Cluster."""

    settings: Settings
    network: NetworkHandle


class Cluster(pulumi.ComponentResource):
    """An EKS cluster that is ready for controllers.

    - a customer key for secrets, rotated, and the control plane's log group
    - the control plane: API authentication, access entries, pinned version, protected if the settings say so
    - system nodes with their role, tainted so that only controllers land there
    - pinned add-ons, and the discovery tag on the cluster's security group
    """

    handle: ClusterHandle

    def __init__(self, name: str, args: ClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Cluster", name, None, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        cluster = self._control_plane()
        self._discovery_tag(cluster)
        nodes = self._system_nodes(cluster)
        self._addons(cluster, nodes)
        kubeconfig = pulumi.Output.secret(cluster.kubeconfig_json)
        kubernetes = Provider(
            f"{name}-kubernetes",
            kubeconfig=kubeconfig,
            enable_server_side_apply=True,
            # Otherwise a change of a ConfigMap's data deletes and creates it again, and its readers miss it meanwhile.
            enable_config_map_mutable=True,
            # A new kubeconfig for the same cluster must not replace everything in it.
            cluster_identifier=cluster.eks_cluster.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[nodes]),
        )
        self.handle = ClusterHandle(cluster.eks_cluster.endpoint, kubeconfig, kubernetes)
        self.register_outputs({"endpoint": self.handle.endpoint, "kubeconfig": self.handle.kubeconfig})

    def _secrets_key(self) -> Key:
        """The customer key of the cluster's secrets, and its alias."""
        cluster = self._args.settings.cluster.name
        key = Key(
            f"{self._name}-secrets",
            description=f"Secrets of the EKS cluster {cluster}",
            enable_key_rotation=True,
            deletion_window_in_days=_KEY_DELETION_DAYS,
            opts=self._child,
        )
        Alias(f"{self._name}-secrets", name=f"alias/{cluster}-secrets", target_key_id=key.id, opts=self._child)
        return key

    def _log_group(self) -> LogGroup:
        cluster = self._args.settings.cluster
        return LogGroup(
            f"{self._name}-logs",
            name=f"/aws/eks/{cluster.name}/cluster",  # the name that EKS writes to
            retention_in_days=cluster.log_retention_days,
            opts=self._child,
        )

    def _control_plane(self) -> eks.Cluster:
        cluster_settings, network = self._args.settings.cluster, self._args.network
        key = self._secrets_key()
        logs = self._log_group()
        addons = versions.addons(cluster_settings.version)
        public = cluster_settings.endpoint.access is EndpointAccess.PUBLIC
        return eks.Cluster(
            f"{self._name}-eks",
            name=cluster_settings.name,
            version=cluster_settings.version,
            vpc_id=network.vpc_id,
            private_subnet_ids=list(network.private_subnet_ids),
            authentication_mode=eks.AuthenticationMode.API,
            access_entries=self._access_entries(),
            endpoint_private_access=True,
            endpoint_public_access=public,
            public_access_cidrs=list(cluster_settings.endpoint.public_cidrs) if public else None,
            encryption_config_key_arn=key.arn,
            enabled_cluster_log_types=[log_type.value for log_type in cluster_settings.log_types],
            deletion_protection=cluster_settings.deletion_protection,
            # Empty, not absent: otherwise the AWS_PROFILE of the person who runs the engine becomes part of the stack.
            provider_credential_opts=eks.KubeconfigOptionsArgs(),
            kubernetes_service_ip_address_range=cluster_settings.service_cidr,
            skip_default_node_group=True,
            skip_default_security_groups=True,
            create_instance_role=False,
            create_oidc_provider=False,
            vpc_cni_options=eks.VpcCniOptionsArgs(
                addon_version=addons["vpc-cni"].version, enable_network_policy=True, enable_prefix_delegation=True
            ),
            kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(version=addons["kube-proxy"].version),
            # This component adds it when there are nodes.
            coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[logs],
                transforms=[_protect_control_plane] if cluster_settings.deletion_protection else None,
            ),
        )

    def _discovery_tag(self, cluster: eks.Cluster) -> None:
        """The tag by which Karpenter finds the cluster's security group."""
        Tag(
            f"{self._name}-discovery",
            resource_id=cluster.cluster_security_group_id,
            key=keys.DISCOVERY,
            value=self._args.settings.cluster.name,
            opts=self._child,
        )

    def _access_entries(self) -> dict[str, eks.AccessEntryArgs]:
        entries: dict[str, eks.AccessEntryArgs] = {}
        whole_cluster = AccessPolicyAssociationAccessScopeArgs(type="cluster")
        for entry in self._args.settings.cluster.access_entries:
            policy = _POLICIES.get(entry.level)
            granted = policy and eks.AccessPolicyAssociationArgs(
                policy_arn=_ACCESS_POLICY.format(policy), access_scope=whole_cluster
            )
            entries[entry.name] = eks.AccessEntryArgs(
                principal_arn=entry.principal_arn,
                kubernetes_groups=list(entry.groups) or None,
                access_policies={entry.level.value: granted} if granted else None,
            )
        return entries

    def _system_nodes(self, cluster: eks.Cluster) -> NodeGroup:
        settings, system_nodes = self._args.settings, self._args.settings.system_nodes
        name = f"{settings.cluster.name}-system"
        made = make_role(self, f"{self._name}-system", f"{name}-node", EC2, NODE_POLICIES)
        volume = replace(PLAIN_DISK, size_gib=system_nodes.root_volume_gib)
        template = launch_template(self, f"{self._name}-system", name, volume, settings.stack_tags)
        return NodeGroup(
            f"{self._name}-system",
            cluster_name=cluster.eks_cluster.name,
            version=settings.cluster.version,
            release_version=versions.node_release(settings.cluster.version).version,
            # A name prefix: a group of other types exists before this one is deleted, so that controllers can move.
            node_group_name_prefix=_SYSTEM_PREFIX,
            node_role_arn=made.role.arn,
            subnet_ids=list(self._args.network.private_subnet_ids),
            ami_type=_ami_type(system_nodes.instance_types[0]),
            instance_types=list(system_nodes.instance_types),
            scaling_config={
                "desired_size": system_nodes.nodes,
                "min_size": system_nodes.nodes,
                "max_size": system_nodes.nodes + 1,
            },
            update_config={"max_unavailable": 1},
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            labels=system_labels(),
            taints=[{"key": SYSTEM_TAINT.key, "value": SYSTEM_TAINT.value, "effect": "NO_SCHEDULE"}],
            opts=pulumi.ResourceOptions(
                parent=self,
                # The whole component: its child vpc-cni gives pods addresses, and it is upgraded before its nodes.
                depends_on=[cluster, *made.attachments],
                # If only the template changes, the provider sends no release: EKS then takes the newest image, from
                # which it does not go back to the pin (hashicorp/terraform-provider-aws 012e0a3
                # internal/service/eks/node_group.go; EKS API reference, UpdateNodegroupVersion): a new group instead.
                replace_on_changes=["launchTemplate"],
            ),
        )

    def _addons(self, cluster: eks.Cluster, nodes: NodeGroup) -> None:
        settings = self._args.settings
        made = make_role(
            self,
            f"{self._name}-ebs-csi",
            f"{settings.cluster.name}-ebs-csi",
            PODS,
            ("service-role/AmazonEBSCSIDriverPolicy",),
        )
        agent = self._addon(cluster, "eks-pod-identity-agent", None, [nodes])
        identity = PodIdentityAssociation(
            f"{self._name}-ebs-csi",
            cluster_name=cluster.eks_cluster.name,
            namespace=names.SYSTEM_NAMESPACE,
            service_account=_EBS_ACCOUNT,
            role_arn=made.role.arn,
            opts=pulumi.ResourceOptions(parent=self, depends_on=[agent]),
        )
        configurations = addon_values()
        for addon_name in _AFTER_NODES:
            self._addon(
                cluster, addon_name, configurations.get(addon_name), [nodes, agent, identity, *made.attachments]
            )

    def _addon(
        self,
        cluster: eks.Cluster,
        addon: str,
        configuration: Document | None,
        depends_on: list[pulumi.Resource],
    ) -> Addon:
        return Addon(
            f"{self._name}-{addon}",
            cluster_name=cluster.eks_cluster.name,
            addon_name=addon,
            addon_version=versions.addons(self._args.settings.cluster.version)[addon].version,
            configuration_values=None if configuration is None else json.dumps(configuration),
            resolve_conflicts_on_create="OVERWRITE",
            resolve_conflicts_on_update="OVERWRITE",
            opts=pulumi.ResourceOptions(parent=self, depends_on=depends_on),
        )


def _protect_control_plane(child: pulumi.ResourceTransformArgs) -> pulumi.ResourceTransformResult | None:
    """Have the engine refuse to destroy or replace the control plane, before it touches anything inside the cluster.

    EKS also refuses, but only after everything in the cluster is deleted. Only the control plane is protected: if the
    whole component were, no access entry could be removed.
    """
    if child.type_ != _CONTROL_PLANE:
        return None
    child.opts.protect = True
    return pulumi.ResourceTransformResult(child.props, child.opts)


def _ami_type(name: str) -> str:
    known_type = instance_type(name)
    return "AL2023_ARM_64_STANDARD" if known_type and known_type.architecture == "arm64" else "AL2023_x86_64_STANDARD"
