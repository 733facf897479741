"""The EKS stand-in: ``eks.Cluster`` as a component whose children are AWS resources, so that policies see them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import cast

import pulumi
from pulumi.errors import InputPropertiesError, InputPropertyErrorDetails
from pulumi.provider import ConstructResult, Provider
from pulumi.provider.server import main as serve_provider
from pulumi_kubernetes.provider import Provider as KubernetesProvider

from sandbox.cloud.eks_inputs import CONFLICT_INPUTS, VERSION_INPUTS, Inputs, list_of, mapping_of, refusals
from sandbox.cloud.kubeconfig import kubeconfig_of, read
from sandbox.cloud.store import StackFiles
from sandbox.cloud.types import EKS_TYPES

_CLUSTER_POLICY = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
_IGNORED_CHANGES = ("accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons")
"""Inputs that the real component never changes on a control plane (v4.3.0 nodejs/eks/cluster/cluster.ts)."""


class _AwsResource(pulumi.CustomResource):
    """Any AWS resource by its token, with the named outputs."""

    def __init__(
        self, token: str, name: str, props: dict[str, object], outputs: tuple[str, ...], opts: pulumi.ResourceOptions
    ) -> None:
        # The SDK returns only outputs that are named in the properties.
        super().__init__(token, name, {**dict.fromkeys(outputs), **props}, opts)

    def output(self, name: str) -> pulumi.Output[object]:
        """One output by its name on the wire."""
        return cast(pulumi.Output[object], getattr(self, name))


class EksProvider(Provider):
    """Constructs ``eks.Cluster``; its kubeconfig names the real control plane where there is one."""

    def __init__(self, version: str, kubeconfig: Path | None = None) -> None:
        super().__init__(version)
        self._kubeconfig = kubeconfig

    def construct(
        self, name: str, resource_type: str, inputs: Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        """The cluster with its role, add-ons and access entries; unknown inputs are an error."""
        if resource_type not in EKS_TYPES:
            raise ValueError(f"the stand-in does not know the type {resource_type}; it knows {', '.join(EKS_TYPES)}")
        problems = refusals(resource_type, inputs)
        if problems:
            details: list[InputPropertyErrorDetails] = [
                {"property_path": problem.property, "reason": problem.reason} for problem in problems
            ]
            raise InputPropertiesError(f"{resource_type} {name} is refused", details)
        return _Cluster(name, inputs, self._kubeconfig, options).result()


class _Cluster(pulumi.ComponentResource):
    def __init__(
        self, name: str, inputs: Inputs, real_kubeconfig: Path | None, options: pulumi.ResourceOptions | None
    ) -> None:
        super().__init__("eks:index:Cluster", name, {}, options)
        self._name, self._inputs, self._real_kubeconfig = name, inputs, real_kubeconfig
        self._child = pulumi.ResourceOptions(parent=self)
        self._cluster = self._control_plane(self._role())
        self._kubernetes_provider()
        self._addons()
        self._access_entries()

    def _role(self) -> _AwsResource:
        statement = {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}
        trust = {"Version": "2012-10-17", "Statement": [statement]}
        role = _AwsResource(
            "aws:iam/role:Role",
            f"{self._name}-eksRole-role",
            {"assumeRolePolicy": json.dumps(trust)},
            ("arn", "name"),
            self._child,
        )
        self._attachment = _AwsResource(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{self._name}-eksRole-policy",
            {"role": role.output("name"), "policyArn": _CLUSTER_POLICY},
            (),
            self._child,
        )
        return role

    def _control_plane(self, role: _AwsResource) -> _AwsResource:
        inputs = self._inputs
        subnets = [*list_of(inputs.get("publicSubnetIds")), *list_of(inputs.get("privateSubnetIds"))]
        network: dict[str, object] = {
            "subnetIds": subnets,
            "endpointPrivateAccess": inputs.get("endpointPrivateAccess", False),
            "endpointPublicAccess": inputs.get("endpointPublicAccess", True),
        }
        if inputs.get("publicAccessCidrs") is not None:
            network["publicAccessCidrs"] = inputs["publicAccessCidrs"]
        props: dict[str, object] = {
            "name": inputs.get("name"),
            "version": inputs.get("version"),
            "roleArn": role.output("arn"),
            "vpcConfig": network,
            "accessConfig": {
                "authenticationMode": inputs.get("authenticationMode"),
                "bootstrapClusterCreatorAdminPermissions": True,
            },
            "enabledClusterLogTypes": inputs.get("enabledClusterLogTypes"),
            "deletionProtection": inputs.get("deletionProtection"),
            "tags": {**mapping_of(inputs.get("tags")), **mapping_of(inputs.get("clusterTags"))} or None,
        }
        if inputs.get("encryptionConfigKeyArn") is not None:
            provider = {"keyArn": inputs["encryptionConfigKeyArn"]}
            props["encryptionConfig"] = {"provider": provider, "resources": ["secrets"]}
        if inputs.get("kubernetesServiceIpAddressRange") is not None:
            props["kubernetesNetworkConfig"] = {"serviceIpv4Cidr": inputs["kubernetesServiceIpAddressRange"]}
        return _AwsResource(
            "aws:eks/cluster:Cluster",
            f"{self._name}-eksCluster",
            props,
            ("arn", "endpoint", "certificateAuthority", "identities", "status"),
            pulumi.ResourceOptions(parent=self, depends_on=[self._attachment], ignore_changes=list(_IGNORED_CHANGES)),
        )

    def _kubernetes_provider(self) -> None:
        """The component's own Kubernetes provider, with the option's AWS profile, else that of the environment.

        The program's kubeconfig names no profile (pulumi-eks v4.3.0 nodejs/eks/cluster/cluster.ts, createCluster,
        createCore).
        """
        options = self._inputs.get("providerCredentialOpts")
        profile = os.environ.get("AWS_PROFILE") if options is None else mapping_of(options).get("profileName")
        kubeconfig = self._kubeconfig(None if profile is None else str(profile))
        KubernetesProvider(f"{self._name}-eks-k8s", kubeconfig=pulumi.Output.secret(kubeconfig), opts=self._child)

    def _kubeconfig(self, profile: str | None = None) -> pulumi.Output[str]:
        parts = [self._cluster.output(output_name) for output_name in ("arn", "endpoint", "certificateAuthority")]
        real_kubeconfig = self._real_kubeconfig
        return pulumi.Output.all(*parts).apply(
            lambda outputs: json.dumps(
                kubeconfig_of(*outputs, profile=profile) if real_kubeconfig is None else read(real_kubeconfig)
            )
        )

    def _addons(self) -> None:
        for addon, options in (
            ("vpc-cni", "vpcCniOptions"),
            ("kube-proxy", "kubeProxyAddonOptions"),
            ("coredns", "corednsAddonOptions"),
        ):
            option_values = mapping_of(self._inputs.get(options))
            if option_values.get("enabled") is False:
                continue
            props = {
                "clusterName": self._cluster.output("name"),
                "addonName": addon,
                "addonVersion": option_values[VERSION_INPUTS[options]],
                "configurationValues": _configuration(option_values),
                **{key: option_values.get(key, "OVERWRITE") for key in CONFLICT_INPUTS},
            }
            _AwsResource("aws:eks/addon:Addon", f"{self._name}-{addon}", props, (), self._child)

    def _access_entries(self) -> None:
        for entry, value in mapping_of(self._inputs.get("accessEntries")).items():
            access_entry = mapping_of(value)
            base = {"clusterName": self._cluster.output("name"), "principalArn": access_entry["principalArn"]}
            entry_resource = _AwsResource(
                "aws:eks/accessEntry:AccessEntry",
                f"{self._name}-{entry}",
                {
                    **base,
                    "kubernetesGroups": access_entry.get("kubernetesGroups"),
                    "type": access_entry.get("type", "STANDARD"),
                },
                (),
                self._child,
            )
            for policy, association in mapping_of(access_entry.get("accessPolicies")).items():
                _AwsResource(
                    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                    f"{self._name}-{entry}-{policy}",
                    {**base, **mapping_of(association)},
                    (),
                    pulumi.ResourceOptions(parent=self, depends_on=[entry_resource]),
                )

    def result(self) -> ConstructResult:
        """The component's outputs, under the names of the real component."""
        cluster = self._cluster
        kubeconfig = self._kubeconfig()
        group = cluster.output("vpcConfig").apply(lambda network: mapping_of(network).get("clusterSecurityGroupId"))
        issuer = cluster.output("identities").apply(_issuer)
        state: dict[str, object] = {
            "eksCluster": cluster,
            "kubeconfig": pulumi.Output.secret(kubeconfig.apply(json.loads)),
            "kubeconfigJson": pulumi.Output.secret(kubeconfig),
            "clusterSecurityGroupId": group,
            "nodeSecurityGroupId": group,
            "oidcIssuer": issuer,
        }
        self.register_outputs(state)
        return ConstructResult(self.urn, state)


def _configuration(options: Mapping[str, object]) -> str | None:
    """The network add-on's configuration, as the real component writes it from the options."""
    values: dict[str, object] = {}
    if options.get("enableNetworkPolicy"):
        values["enableNetworkPolicy"] = "true"
    if options.get("enablePrefixDelegation"):
        values["env"] = {"ENABLE_PREFIX_DELEGATION": "true"}
    return json.dumps(values) if values else None


def _issuer(identities: object) -> object:
    for identity in list_of(identities):
        for oidc in list_of(mapping_of(identity).get("oidcs")):
            return mapping_of(oidc).get("issuer")
    return None


def serve_eks(version: str, place: StackFiles, arguments: list[str]) -> None:
    """Serve until the engine ends the process; ``arguments`` are the engine's own."""
    sys.argv = [sys.argv[0], *arguments]  # the SDK reads the engine's address there
    kubeconfig = None if place.control_plane is None else place.control_plane / "kubeconfig"
    serve_provider(EksProvider(version, kubeconfig), arguments)
