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

from sandbox.cloud.kubeconfig import kubeconfig_of, read
from sandbox.cloud.place import Place
from sandbox.cloud.strict import Problem, problems
from sandbox.cloud.types import EKS_TYPES
from sandbox.cloud.world import Properties

_CLUSTER_POLICY = "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"
_KNOWN = frozenset(
    {
        "accessEntries",
        "authenticationMode",
        "clusterTags",
        "corednsAddonOptions",
        "createInstanceRole",
        "createOidcProvider",
        "deletionProtection",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "kubeProxyAddonOptions",
        "kubernetesServiceIpAddressRange",
        "name",
        "privateSubnetIds",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "publicSubnetIds",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "tags",
        "version",
        "vpcCniOptions",
        "vpcId",
    }
)
"""Inputs that the stand-in acts on; any other would be silently lost, so it is an error."""

_CONFLICTS = ("resolveConflictsOnCreate", "resolveConflictsOnUpdate")
_ACTED_ON: Mapping[str, frozenset[str]] = {
    "vpcCniOptions": frozenset({"addonVersion", "enableNetworkPolicy", "enablePrefixDelegation", *_CONFLICTS}),
    "kubeProxyAddonOptions": frozenset({"enabled", "version", *_CONFLICTS}),
    "corednsAddonOptions": frozenset({"enabled", "version", *_CONFLICTS}),
    "providerCredentialOpts": frozenset({"profileName"}),
}
"""The same of the options that are objects."""
_PINS = {"vpcCniOptions": "addonVersion", "kubeProxyAddonOptions": "version", "corednsAddonOptions": "version"}

_IGNORED = ("accessConfig.bootstrapClusterCreatorAdminPermissions", "bootstrapSelfManagedAddons")
"""What the real component never changes on a control plane (v4.3.0 nodejs/eks/cluster/cluster.ts)."""

Inputs = Mapping[str, object]


def refusals(token: str, inputs: Inputs) -> list[Problem]:
    """Everything about a cluster's inputs that the real component or this stand-in cannot take."""
    found = problems(token, cast(Properties, inputs))
    lost = [*(key for key in inputs if key not in _KNOWN)]
    for options, acted_on in _ACTED_ON.items():
        given = _mapped(inputs.get(options))
        lost += [f"{options}.{key}" for key in given if key not in acted_on]
        if options in _PINS and given.get("enabled") is not False and not given.get(_PINS[options]):
            reason = "is not pinned, so every preview could move it"
            found.append(Problem(f"{options}.{_PINS[options]}", f"{options}.{_PINS[options]} {reason}"))
    known = {each.property for each in found}
    found += [
        Problem(key, f"the stand-in does not act on {key}, so it would be lost") for key in lost if key not in known
    ]
    for wanted in ("skipDefaultNodeGroup", "skipDefaultSecurityGroups"):
        if inputs.get(wanted) is not True:
            found.append(Problem(wanted, f"the stand-in makes no default groups: set {wanted} to true"))
    return found


class _Made(pulumi.CustomResource):
    """Any AWS resource by its token, with the outputs that are asked for."""

    def __init__(
        self, token: str, name: str, props: dict[str, object], outputs: tuple[str, ...], opts: pulumi.ResourceOptions
    ) -> None:
        # The SDK hands back what is named in the properties; the rest is dropped.
        super().__init__(token, name, {**dict.fromkeys(outputs), **props}, opts)

    def output(self, name: str) -> pulumi.Output[object]:
        """One output by its name on the wire."""
        return cast(pulumi.Output[object], getattr(self, name))


class EksProvider(Provider):
    """Constructs the one component that the platform uses; its kubeconfig names the real cluster where there is one."""

    def __init__(self, version: str, kubeconfig: Path | None = None) -> None:
        super().__init__(version)
        self._kubeconfig = kubeconfig

    def construct(
        self, name: str, resource_type: str, inputs: Inputs, options: pulumi.ResourceOptions | None = None
    ) -> ConstructResult:
        """The cluster with its role, add-ons and access entries; unknown inputs are an error."""
        if resource_type not in EKS_TYPES:
            raise ValueError(f"the stand-in does not know the type {resource_type}; it knows {', '.join(EKS_TYPES)}")
        refused = refusals(resource_type, inputs)
        if refused:
            faults: list[InputPropertyErrorDetails] = [
                {"property_path": each.property, "reason": each.reason} for each in refused
            ]
            raise InputPropertiesError(f"{resource_type} {name} is refused", faults)
        return _Cluster(name, inputs, self._kubeconfig, options).result()


class _Cluster(pulumi.ComponentResource):
    def __init__(self, name: str, inputs: Inputs, known: Path | None, options: pulumi.ResourceOptions | None) -> None:
        super().__init__("eks:index:Cluster", name, {}, options)
        self._name, self._inputs, self._known = name, inputs, known
        self._child = pulumi.ResourceOptions(parent=self)
        self._cluster = self._control_plane(self._role())
        self._own_provider()
        self._addons()
        self._access_entries()

    def _role(self) -> _Made:
        allowed = {"Effect": "Allow", "Principal": {"Service": "eks.amazonaws.com"}, "Action": "sts:AssumeRole"}
        trust = {"Version": "2012-10-17", "Statement": [allowed]}
        role = _Made(
            "aws:iam/role:Role",
            f"{self._name}-eksRole-role",
            {"assumeRolePolicy": json.dumps(trust)},
            ("arn", "name"),
            self._child,
        )
        self._attachment = _Made(
            "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
            f"{self._name}-eksRole-policy",
            {"role": role.output("name"), "policyArn": _CLUSTER_POLICY},
            (),
            self._child,
        )
        return role

    def _control_plane(self, role: _Made) -> _Made:
        given = self._inputs
        subnets = [*_listed(given.get("publicSubnetIds")), *_listed(given.get("privateSubnetIds"))]
        network: dict[str, object] = {
            "subnetIds": subnets,
            "endpointPrivateAccess": given.get("endpointPrivateAccess", False),
            "endpointPublicAccess": given.get("endpointPublicAccess", True),
        }
        if given.get("publicAccessCidrs") is not None:
            network["publicAccessCidrs"] = given["publicAccessCidrs"]
        props: dict[str, object] = {
            "name": given.get("name"),
            "version": given.get("version"),
            "roleArn": role.output("arn"),
            "vpcConfig": network,
            "accessConfig": {
                "authenticationMode": given.get("authenticationMode"),
                "bootstrapClusterCreatorAdminPermissions": True,
            },
            "enabledClusterLogTypes": given.get("enabledClusterLogTypes"),
            "deletionProtection": given.get("deletionProtection"),
            "tags": {**_mapped(given.get("tags")), **_mapped(given.get("clusterTags"))} or None,
        }
        if given.get("encryptionConfigKeyArn") is not None:
            provider = {"keyArn": given["encryptionConfigKeyArn"]}
            props["encryptionConfig"] = {"provider": provider, "resources": ["secrets"]}
        if given.get("kubernetesServiceIpAddressRange") is not None:
            props["kubernetesNetworkConfig"] = {"serviceIpv4Cidr": given["kubernetesServiceIpAddressRange"]}
        return _Made(
            "aws:eks/cluster:Cluster",
            f"{self._name}-eksCluster",
            props,
            ("arn", "endpoint", "certificateAuthority", "identities", "status"),
            pulumi.ResourceOptions(parent=self, depends_on=[self._attachment], ignore_changes=list(_IGNORED)),
        )

    def _own_provider(self) -> None:
        """The component's way into the cluster, by the profile of the option or else of whoever runs the engine.

        The program's kubeconfig has none (pulumi-eks v4.3.0 nodejs/eks/cluster/cluster.ts, createCluster, createCore).
        """
        options = self._inputs.get("providerCredentialOpts")
        profile = os.environ.get("AWS_PROFILE") if options is None else _mapped(options).get("profileName")
        kubeconfig = self._kubeconfig(None if profile is None else str(profile))
        KubernetesProvider(f"{self._name}-eks-k8s", kubeconfig=pulumi.Output.secret(kubeconfig), opts=self._child)

    def _kubeconfig(self, profile: str | None = None) -> pulumi.Output[str]:
        parts = [self._cluster.output(each) for each in ("arn", "endpoint", "certificateAuthority")]
        known = self._known
        return pulumi.Output.all(*parts).apply(
            lambda told: json.dumps(kubeconfig_of(*told, profile=profile) if known is None else read(known))
        )

    def _addons(self) -> None:
        for addon, options in (
            ("vpc-cni", "vpcCniOptions"),
            ("kube-proxy", "kubeProxyAddonOptions"),
            ("coredns", "corednsAddonOptions"),
        ):
            given = _mapped(self._inputs.get(options))
            if given.get("enabled") is False:
                continue
            props = {
                "clusterName": self._cluster.output("name"),
                "addonName": addon,
                "addonVersion": given[_PINS[options]],
                "configurationValues": _configuration(given),
                **{key: given.get(key, "OVERWRITE") for key in _CONFLICTS},
            }
            _Made("aws:eks/addon:Addon", f"{self._name}-{addon}", props, (), self._child)

    def _access_entries(self) -> None:
        for entry, value in _mapped(self._inputs.get("accessEntries")).items():
            given = _mapped(value)
            base = {"clusterName": self._cluster.output("name"), "principalArn": given["principalArn"]}
            made = _Made(
                "aws:eks/accessEntry:AccessEntry",
                f"{self._name}-{entry}",
                {**base, "kubernetesGroups": given.get("kubernetesGroups"), "type": given.get("type", "STANDARD")},
                (),
                self._child,
            )
            for policy, association in _mapped(given.get("accessPolicies")).items():
                _Made(
                    "aws:eks/accessPolicyAssociation:AccessPolicyAssociation",
                    f"{self._name}-{entry}-{policy}",
                    {**base, **_mapped(association)},
                    (),
                    pulumi.ResourceOptions(parent=self, depends_on=[made]),
                )

    def result(self) -> ConstructResult:
        """The component's outputs, under the names of the real one."""
        cluster = self._cluster
        kubeconfig = self._kubeconfig()
        group = cluster.output("vpcConfig").apply(lambda network: _mapped(network).get("clusterSecurityGroupId"))
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


def _listed(value: object) -> list[object]:
    return list(cast(list[object], value)) if isinstance(value, list | tuple) else []


def _mapped(value: object) -> dict[str, object]:
    return dict(cast(Mapping[str, object], value)) if isinstance(value, Mapping) else {}


def _issuer(identities: object) -> object:
    for identity in _listed(identities):
        for oidc in _listed(_mapped(identity).get("oidcs")):
            return _mapped(oidc).get("issuer")
    return None


def serve_eks(version: str, place: Place, arguments: list[str]) -> None:
    """Serve until the engine ends the process; ``arguments`` are the engine's own."""
    sys.argv = [sys.argv[0], *arguments]  # the SDK reads the engine's address there
    kubeconfig = None if place.control_plane is None else place.control_plane / "kubeconfig"
    serve_provider(EksProvider(version, kubeconfig), arguments)
