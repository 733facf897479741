from __future__ import annotations

from tests.builders import ZONES, some_settings
from tests.recorder import record
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
    assert {each.urn for each in recording.of("RolePolicyAttachment")} <= group.depends_on


def test_its_volume_is_encrypted_and_metadata_stays_on_the_node() -> None:
    settings = full_settings()
    (template,) = record(lambda: node_groups("st", settings)).of("LaunchTemplate")
    devices = template.inputs["blockDeviceMappings"]
    assert isinstance(devices, list)
    assert devices[0]["ebs"]["encrypted"] == "true"
    assert template.at("metadataOptions", "httpPutResponseHopLimit") == 1
