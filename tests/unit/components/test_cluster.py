from __future__ import annotations

import functools
import json

import pytest

from gpuplatform.settings.source import Plain
from gpuplatform.standard import versions
from tests.builders import STACKS, stack_settings
from tests.recorder import KUBECONFIG, Recording, Registered, record
from tests.unit.components.builders import cluster, full_settings

SUPPORTED = versions.KUBERNETES_SUPPORTED


def made(**cluster_settings: Plain) -> Recording:
    settings = full_settings(cluster=cluster_settings)
    return record(lambda: cluster("cl", settings))


@functools.cache
def usual() -> Recording:
    """The cluster with default settings, made once: tests only read it."""
    return made()


def control_plane(recording: Recording) -> Registered:
    (eks_cluster,) = recording.of("eks:index:Cluster")
    return eks_cluster


def test_a_private_endpoint_passes_no_public_cidrs() -> None:
    plane = control_plane(made(endpoint={"access": "private"}))
    assert plane.inputs["endpointPrivateAccess"] is True
    assert plane.inputs["endpointPublicAccess"] is False
    assert "publicAccessCidrs" not in plane.inputs


def test_a_public_endpoint_is_open_to_the_named_cidrs_alone() -> None:
    plane = control_plane(made(endpoint={"access": "public", "public_cidrs": ["203.0.113.0/24"]}))
    assert plane.inputs["endpointPublicAccess"] is True
    assert plane.inputs["publicAccessCidrs"] == ["203.0.113.0/24"]


@pytest.mark.parametrize("stack", STACKS)
def test_prod_is_protected_from_deletion_and_private(stack: str) -> None:
    settings = stack_settings(stack)
    plane = control_plane(record(lambda: cluster("cl", settings)))
    assert plane.inputs["deletionProtection"] is (stack == "prod")
    assert plane.inputs["endpointPublicAccess"] is (stack != "prod")


def test_the_control_plane_encrypts_secrets_and_logs_to_a_group_that_stands_before_it() -> None:
    recording = usual()
    plane, logs = control_plane(recording), recording.named("cl-logs")
    assert plane.inputs["encryptionConfigKeyArn"] == "arn:aws:recorded::111122223333:cl-secrets"
    assert recording.named("cl-secrets", "Key").inputs["enableKeyRotation"] is True
    assert logs.inputs["name"] == "/aws/eks/gpu-test/cluster"
    assert logs.urn in plane.depends_on


def test_nobody_but_the_named_principals_gets_in() -> None:
    plane = control_plane(usual())
    assert plane.inputs["authenticationMode"] == "API"
    entries = plane.inputs["accessEntries"]
    assert isinstance(entries, dict)
    assert set(entries) == {"admins", "serving"}  # pyright: ignore[reportUnknownArgumentType]
    assert plane.at("accessEntries", "admins", "accessPolicies", "admin", "accessScope") == {"type": "cluster"}
    assert str(plane.at("accessEntries", "admins", "accessPolicies", "admin", "policyArn")).endswith(
        "/AmazonEKSClusterAdminPolicy"
    )


def test_no_default_node_group_security_group_or_role_is_usual() -> None:
    plane = control_plane(usual())
    assert plane.inputs["skipDefaultNodeGroup"] is True
    assert plane.inputs["skipDefaultSecurityGroups"] is True
    assert plane.inputs["createInstanceRole"] is False


@pytest.mark.parametrize("version", SUPPORTED)
def test_every_add_on_is_pinned_to_the_version_of_its_kubernetes(version: str) -> None:
    recording = made(version=version)
    plane, pins = control_plane(recording), versions.addons(version)
    assert plane.inputs["version"] == version
    assert plane.at("vpcCniOptions", "addonVersion") == pins["vpc-cni"].version
    assert plane.at("kubeProxyAddonOptions", "version") == pins["kube-proxy"].version
    versions_of_addons = {
        str(registered.inputs["addonName"]): registered.inputs["addonVersion"] for registered in recording.of("Addon")
    }
    assert versions_of_addons == {name: pins[name].version for name in versions_of_addons}
    assert {*versions_of_addons, "vpc-cni", "kube-proxy"} == set(pins)


def test_add_ons_that_need_a_node_wait_for_the_system_nodes() -> None:
    recording = usual()
    nodes = recording.named("cl-system", "NodeGroup")
    for registered in recording.of("Addon"):
        assert nodes.urn in registered.depends_on, registered.name


@pytest.mark.parametrize(
    ("addon", "path"), [("coredns", ()), ("metrics-server", ()), ("aws-ebs-csi-driver", ("controller",))]
)
def test_an_add_ons_controller_stands_on_system_nodes_and_nowhere_else(addon: str, path: tuple[str, ...]) -> None:
    recording = usual()
    values = json.loads(str(recording.named(f"cl-{addon}").inputs["configurationValues"]))
    for key in path:
        values = values.pop(key)
    nodes = recording.named("cl-system", "NodeGroup")
    (taint,) = _list(nodes.inputs["taints"])
    assert values == {
        "nodeSelector": nodes.inputs["labels"],
        "tolerations": [{"key": taint["key"], "operator": "Exists"}],
    }


@pytest.mark.parametrize("version", SUPPORTED)
def test_system_nodes_are_of_the_clusters_version_and_of_a_pinned_image(version: str) -> None:
    nodes = made(version=version).named("cl-system", "NodeGroup")
    assert nodes.inputs["version"] == version
    assert nodes.inputs["releaseVersion"] == versions.node_release(version).version


def test_system_nodes_wait_for_the_whole_control_plane_with_its_network_add_on() -> None:
    recording = usual()
    assert control_plane(recording).urn in recording.named("cl-system", "NodeGroup").depends_on


def test_system_nodes_choose_no_whole_name_so_that_others_can_stand_beside_them() -> None:
    nodes = usual().named("cl-system", "NodeGroup")
    assert "nodeGroupName" not in nodes.inputs
    assert nodes.inputs["nodeGroupNamePrefix"] == "system-"


def test_what_ec2_makes_of_the_system_nodes_carries_the_stacks_tags_and_a_name() -> None:
    settings = full_settings(tags={"project": "p"})
    template = record(lambda: cluster("cl", settings)).named("cl-system", "LaunchTemplate")
    tags = {"project": "p", "environment": "test", "Name": "gpu-test-system"}
    assert template.inputs["tagSpecifications"] == [
        {"resourceType": kind, "tags": tags} for kind in ("instance", "volume", "network-interface")
    ]


def test_the_kubeconfig_is_bound_to_no_profile_of_whoever_runs_the_engine() -> None:
    assert control_plane(usual()).inputs["providerCredentialOpts"] == {}


@pytest.mark.parametrize("protected", [True, False])
def test_the_engine_protects_the_control_plane_where_eks_does_and_none_of_its_other_parts(protected: bool) -> None:
    plane = control_plane(made(deletion_protection=protected))
    assert bool(plane.transforms) is protected
    assert not plane.request.protect


def test_system_nodes_are_tainted_encrypted_and_keep_metadata_to_themselves() -> None:
    recording = usual()
    nodes, template = recording.named("cl-system", "NodeGroup"), recording.named("cl-system", "LaunchTemplate")
    (taint,) = _list(nodes.inputs["taints"])
    assert taint["effect"] == "NO_SCHEDULE"
    (device,) = _list(template.inputs["blockDeviceMappings"])
    ebs = device["ebs"]
    assert isinstance(ebs, dict)
    assert (ebs["encrypted"], ebs["volumeType"]) == ("true", "gp3")
    assert template.at("metadataOptions", "httpTokens") == "required"
    assert template.at("metadataOptions", "httpPutResponseHopLimit") == 1


def test_the_role_of_the_system_nodes_is_whole_before_the_first_node() -> None:
    recording = usual()
    attachments = {
        registered.urn
        for registered in recording.of("RolePolicyAttachment")
        if registered.name.startswith("cl-system-")
    }
    assert len(attachments) == 4
    assert attachments <= recording.named("cl-system", "NodeGroup").depends_on


def test_the_clusters_api_is_spoken_to_by_a_provider_that_a_new_kubeconfig_does_not_replace() -> None:
    provider = usual().named("cl-kubernetes")
    assert provider.inputs["kubeconfig"] == KUBECONFIG
    assert provider.inputs["clusterIdentifier"] == "arn:aws:eks:us-east-1:111122223333:cluster/gpu-test"
    assert provider.inputs["enableServerSideApply"] == "true"
    assert provider.inputs["enableConfigMapMutable"] == "true", "what reads a ConfigMap is never without it"


def _list(value: object) -> list[dict[str, object]]:
    assert isinstance(value, list)
    return value  # pyright: ignore[reportUnknownVariableType]
