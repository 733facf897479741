from __future__ import annotations

from gpuplatform.render.stack import render
from gpuplatform.standard import versions
from tests.builders import ZONES, a_card, a_pool, a_static_pool, some_settings
from tests.recorder import Registered, record
from tests.unit.components.builders import full_settings, node_groups


def test_a_stack_without_managed_node_groups_makes_no_role_for_them() -> None:
    settings = some_settings()
    (root,) = record(lambda: node_groups("st", settings)).resources
    assert root.name == "st"


def test_a_group_keeps_its_number_of_nodes_in_its_zone_with_the_standards_taints() -> None:
    settings = full_settings()
    recording = record(lambda: node_groups("st", settings))
    (group,) = recording.of("NodeGroup")
    assert group.at("scalingConfig") == {"desiredSize": 1, "minSize": 1, "maxSize": 2}
    assert group.inputs["subnetIds"] == [f"subnet-0123456789abcde{ZONES[0][-1]}"]
    assert group.inputs["taints"]
    assert {registered.urn for registered in recording.of("RolePolicyAttachment")} <= group.depends_on


def test_a_group_is_of_the_clusters_version_and_of_a_pinned_image() -> None:
    settings = full_settings(cluster={"version": "1.34"})
    (group,) = record(lambda: node_groups("st", settings)).of("NodeGroup")
    assert group.inputs["version"] == "1.34"
    assert group.inputs["releaseVersion"] == versions.node_release("1.34").version


def test_a_group_of_other_types_is_another_resource_under_another_name() -> None:
    def group(instance_type: str) -> Registered:
        card = a_card("H100-80GB", [instance_type], [{"market": "on-demand"}])
        pool = a_static_pool(provisioner="managed-node-group", cards=[card])
        settings = full_settings(pools=[a_pool(), pool])
        (made,) = record(lambda: node_groups("st", settings)).of("NodeGroup")
        return made

    first, other = group("p5.4xlarge"), group("p5.48xlarge")
    assert first.inputs["nodeGroupName"] != other.inputs["nodeGroupName"]
    assert first.urn != other.urn, "the provider would delete a chosen name before it makes the next"


def test_what_ec2_makes_of_it_carries_the_stacks_tags_its_pool_and_a_name() -> None:
    settings = full_settings(tags={"project": "p"})
    recording = record(lambda: node_groups("st", settings))
    (template,), (group,) = recording.of("LaunchTemplate"), recording.of("NodeGroup")
    name = f"gpu-test-{group.inputs['nodeGroupName']}"
    tags = {"project": "p", "environment": "test", "gpu-platform/pool": "chief", "Name": name}
    assert template.inputs["tagSpecifications"] == [
        {"resourceType": kind, "tags": tags} for kind in ("instance", "volume", "network-interface")
    ]


def test_its_volume_is_encrypted_and_metadata_stays_on_the_node() -> None:
    settings = full_settings()
    (template,) = record(lambda: node_groups("st", settings)).of("LaunchTemplate")
    devices = template.inputs["blockDeviceMappings"]
    assert isinstance(devices, list)
    assert devices[0]["ebs"]["encrypted"] == "true"
    assert template.at("metadataOptions", "httpPutResponseHopLimit") == 1


def test_what_the_rules_judge_is_what_is_made() -> None:
    settings = full_settings()
    (group,) = render(settings).node_groups
    (made,) = record(lambda: node_groups("groups", settings)).of("NodeGroup")
    judged = group.as_inputs()
    assert {key: made.at(key) for key in judged} == judged
