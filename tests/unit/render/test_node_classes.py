import email
import re

import pytest

from gpuplatform import accept
from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    ZONES,
    a_card,
    a_market,
    a_pool,
    a_static_pool,
    settings_object,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at, of_kind


def node_class(pool: dict[str, Plain], **others: Plain) -> dict[str, object]:
    documents = of_kind(render(some_settings(pools=[pool], **others)).documents, "EC2NodeClass")
    return mapping_at(documents[str(pool["name"])], "spec")


def every_node_class() -> list[tuple[str, dict[str, object]]]:
    return [
        (f"{stack}/{name}", mapping_at(document, "spec"))
        for stack in STACKS
        for name, document in of_kind(render(stack_settings(stack)).documents, "EC2NodeClass").items()
    ]


NODE_CLASSES = every_node_class()
IDS = [name for name, _ in NODE_CLASSES]
each_node_class = pytest.mark.parametrize("spec", [spec for _, spec in NODE_CLASSES], ids=IDS)


# Correction 17: two hops would hand every pod the node's role.
@each_node_class
def test_pods_cannot_reach_the_metadata_service(spec: dict[str, object]) -> None:
    options = mapping_at(spec, "metadataOptions")
    assert (options["httpTokens"], options["httpPutResponseHopLimit"]) == ("required", 1)
    assert options["httpProtocolIPv6"] == "disabled"


# Correction 18: `@latest` would replace training nodes at every release of the image.
@each_node_class
def test_the_image_is_an_alias_pinned_to_a_release(spec: dict[str, object]) -> None:
    (term,) = list_at(spec, "amiSelectorTerms")
    assert set(term) == {"alias"}
    assert re.fullmatch(r"al2023@v20\d{6}", str(term["alias"]))


@each_node_class
def test_every_volume_is_encrypted_gp3_and_goes_with_its_node(spec: dict[str, object]) -> None:
    (mapping,) = list_at(spec, "blockDeviceMappings")
    volume = mapping_at(mapping, "ebs")
    assert (volume["encrypted"], volume["volumeType"], volume["deleteOnTermination"]) == (True, "gp3", True)
    assert (mapping["deviceName"], mapping["rootVolume"]) == ("/dev/xvda", True)


@each_node_class
def test_tags_are_none_that_karpenter_keeps_to_itself(spec: dict[str, object]) -> None:
    restricted = (
        "eks:eks-cluster-name",
        "kubernetes.io/cluster",
        "karpenter.sh/nodepool",
        "karpenter.sh/nodeclaim",
        "karpenter.k8s.aws/ec2nodeclass",
    )
    tags = mapping_at(spec, "tags")
    assert {"environment", "project", "owner"} <= set(tags)
    assert not any(key.startswith(restricted) for key in tags)


@each_node_class
def test_subnets_and_security_groups_are_found_by_the_clusters_discovery_tag(spec: dict[str, object]) -> None:
    (subnets,) = list_at(spec, "subnetSelectorTerms")
    assert spec["securityGroupSelectorTerms"] == [subnets]
    (key,) = mapping_at(subnets, "tags")
    assert key == "karpenter.sh/discovery"


def test_subnets_of_an_existing_network_are_named_by_id_for_every_kind_of_pool() -> None:
    # The discovery tag has one value a subnet: two clusters on one network would overwrite each other's.
    ids = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"]
    subnets: list[Plain] = [{"id": identity, "zone": zone} for identity, zone in zip(ids, ZONES, strict=True)]
    raw = settings_object(cpu_pools=[{"name": "cpu", "instance_types": ["m7i.large"], "ceiling_vcpus": 16}])
    raw["network"] = {"existing": {"vpc_id": "vpc-0123456789abcdef0", "private_subnets": subnets}}
    node_classes = of_kind(render(accept.accepted(raw)).documents, "EC2NodeClass")
    assert set(node_classes) == {"serve", "cpu"}
    for document in node_classes.values():
        spec = mapping_at(document, "spec")
        assert spec["subnetSelectorTerms"] == [{"id": identity} for identity in ids]
        assert spec["securityGroupSelectorTerms"] == [{"tags": {"karpenter.sh/discovery": "gpu-test"}}]


@pytest.mark.parametrize(
    ("purpose", "size", "iops", "throughput"),
    [("infer", "200Gi", 6000, 250), ("dev", "200Gi", 6000, 250), ("train", "500Gi", 16000, 1000)],
)
def test_the_root_volume_is_the_purposes(purpose: str, size: str, iops: int, throughput: int) -> None:
    volume = mapping_at(node_class(a_pool(purpose=purpose)), "blockDeviceMappings", 0, "ebs")
    assert (volume["volumeSize"], volume["iops"], volume["throughput"]) == (size, iops, throughput)


def test_a_pool_may_choose_its_own_root_volume_in_part() -> None:
    pool = a_pool(node_class={"root_volume_gib": 1000})
    volume = mapping_at(node_class(pool), "blockDeviceMappings", 0, "ebs")
    assert (volume["volumeSize"], volume["iops"]) == ("1000Gi", 6000)


def test_a_pool_on_reservations_names_each_once() -> None:
    ids = ["cr-0123456789abcdef0", "cr-0123456789abcdef1"]
    reserved = a_market("reserved", 8, reservation_ids=[*ids])
    pool = a_pool(cards=[a_card(markets=[reserved]), a_card("T4-16GB", ["g4dn.xlarge"], [reserved])])
    assert node_class(pool)["capacityReservationSelectorTerms"] == [{"id": identity} for identity in ids]
    assert "capacityReservationSelectorTerms" not in node_class(a_pool())


def test_a_placement_group_is_named_where_the_pool_names_one() -> None:
    assert node_class(a_pool(placement_group="close"))["placementGroupSelector"] == {"name": "close"}
    assert "placementGroupSelector" not in node_class(a_pool())


BUDGET: dict[str, Plain] = {"monthly_floor_limit_usd": 1_000_000, "monthly_budget_usd": 10_000_000}


def static_efa(instance_type: str) -> list[dict[str, object]]:
    card = instance_types()[instance_type].card or ""
    pool = a_static_pool(cards=[a_card(card, [instance_type], [a_market(ceiling_cards=None)])], efa=True)
    return list_at(node_class(pool, cost=BUDGET), "networkInterfaces")


# A static node has no pods behind it that ask for EFA, so its class has to; the two rules are the CRD's.
@pytest.mark.parametrize(
    "instance_type", ["p5.4xlarge", "p4d.24xlarge", "p5.48xlarge", "p6-b200.48xlarge", "p6-b300.48xlarge", "g6.8xlarge"]
)
def test_the_interfaces_of_a_static_efa_pool_keep_to_the_api_servers_rules(instance_type: str) -> None:
    interfaces = static_efa(instance_type)
    places = [(interface["networkCardIndex"], interface["deviceIndex"]) for interface in interfaces]
    assert {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"} in interfaces
    assert len(places) == len(set(places))
    efa_cards = [interface["networkCardIndex"] for interface in interfaces if interface["interfaceType"] == "efa-only"]
    assert len(efa_cards) == len(set(efa_cards)) == instance_types()[instance_type].efa_interfaces
    assert len(interfaces) <= 150


def test_an_efa_interface_is_the_second_device_of_its_card_beside_the_primary_one() -> None:
    efa = [interface for interface in static_efa("p5.48xlarge") if interface["interfaceType"] == "efa-only"]
    assert [(interface["networkCardIndex"], interface["deviceIndex"]) for interface in efa] == [
        (card, 1) for card in range(32)
    ]


def test_a_p6_b300_has_efa_on_cards_1_to_16_and_none_on_card_0_whether_static_or_elastic() -> None:
    elastic = a_pool(cards=[a_card("B300-269GB", ["p6-b300.48xlarge"])], efa=True)
    for interfaces in (static_efa("p6-b300.48xlarge"), list_at(node_class(elastic), "networkInterfaces")):
        efa = [interface for interface in interfaces if interface["interfaceType"] == "efa-only"]
        assert [(interface["networkCardIndex"], interface["deviceIndex"]) for interface in efa] == [
            (card, 0) for card in range(1, 17)
        ]


def test_an_elastic_efa_pool_gets_its_interfaces_from_its_pods() -> None:
    elastic = a_pool(cards=[a_card("H100-80GB", ["p5.48xlarge"])], efa=True)
    assert "networkInterfaces" not in node_class(elastic)
    assert "networkInterfaces" not in node_class(a_static_pool())


def test_user_data_carries_the_pools_node_config_and_script() -> None:
    pool = a_pool(node_class={"node_config": "kind: NodeConfig\n", "shell": "#!/bin/sh\ntrue\n"})
    message = email.message_from_string(str(node_class(pool)["userData"]))
    assert [part.get_content_type() for part in message.walk()][1:] == [
        "application/node.eks.aws",
        "text/x-shellscript",
        "text/x-shellscript",
    ]


def test_a_node_is_told_before_anything_else_that_no_container_takes_cards_by_a_variable() -> None:
    message = email.message_from_string(str(node_class(a_pool(node_class={"shell": "#!/bin/sh\ntrue\n"}))["userData"]))
    first, _ = (part.get_payload() for part in message.walk() if part.get_content_type() == "text/x-shellscript")
    assert "--set accept-nvidia-visible-devices-envvar-when-unprivileged=false" in str(first)


def test_nodes_take_the_clusters_node_role() -> None:
    assert at(node_class(a_pool()), "role") == "gpu-test-karpenter-node"
    assert "instanceProfile" not in node_class(a_pool())
