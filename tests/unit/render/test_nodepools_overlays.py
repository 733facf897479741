import pytest

from gpuplatform.catalog.instance_types import instance_type
from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import (
    STACKS,
    a_card,
    a_market,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at, of_kind


def overlays(*pools: Plain) -> dict[str, dict[str, object]]:
    documents = of_kind(render(some_settings(pools=list(pools))).documents, "NodeOverlay")
    return {name: mapping_at(document, "spec") for name, document in documents.items()}


def test_slices_are_added_and_whole_cards_hidden() -> None:
    assert overlays(a_slice_pool()) == {
        "worker-a100-80gb-on-demand": {
            "requirements": [
                {"key": "karpenter.sh/nodepool", "operator": "In", "values": ["worker-a100-80gb-on-demand"]}
            ],
            "capacity": {"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "56"},
        }
    }


def test_shares_replace_the_number_of_cards() -> None:
    assert overlays(a_shared_pool())["notebook-t4-16gb-spot"]["capacity"] == {"nvidia.com/gpu": "4"}


def test_whole_cards_need_no_overlay() -> None:
    assert overlays(a_pool(), a_static_pool()) == {}


def test_a_pool_with_nodes_of_several_sizes_has_an_overlay_for_each() -> None:
    card = a_card("T4-16GB", ["g4dn.xlarge", "g4dn.2xlarge", "g4dn.12xlarge"], [a_market("spot", 16)])
    by_name = overlays(a_shared_pool(cards=[card]))
    assert {name: overlay["capacity"] for name, overlay in by_name.items()} == {
        "notebook-t4-16gb-spot-1-cards": {"nvidia.com/gpu": "4"},
        "notebook-t4-16gb-spot-4-cards": {"nvidia.com/gpu": "16"},
    }
    assert list_at(by_name["notebook-t4-16gb-spot-4-cards"], "requirements")[1] == {
        "key": "node.kubernetes.io/instance-type",
        "operator": "In",
        "values": ["g4dn.12xlarge"],
    }


@pytest.mark.parametrize("stack", STACKS)
def test_every_overlay_is_scoped_to_one_nodepool_and_touches_only_what_it_may(stack: str) -> None:
    documents = render(stack_settings(stack)).documents
    nodepools = of_kind(documents, "NodePool")
    for name, document in of_kind(documents, "NodeOverlay").items():
        scope = list_at(document, "spec", "requirements")[0]
        assert (scope["key"], scope["operator"]) == ("karpenter.sh/nodepool", "In")
        (nodepool,) = [str(name_of_pool) for name_of_pool in list_at(scope, "values")]
        assert nodepool in nodepools, name
        assert not {"cpu", "memory", "ephemeral-storage", "pods"} & set(mapping_at(document, "spec", "capacity"))


# No label lies from the first day: what the operator makes of a node's cards is what the autoscaler is told.
@pytest.mark.parametrize("stack", STACKS)
def test_layout_overlay_label_and_limit_agree(stack: str) -> None:
    documents = render(stack_settings(stack)).documents
    overlay_of = of_kind(documents, "NodeOverlay")
    for name, document in of_kind(documents, "NodePool").items():
        metadata = mapping_at(document, "spec", "template").get("metadata")
        if metadata is None or at(metadata, "labels", "gpu.mig") != "enabled":
            continue
        labels = mapping_at(metadata, "labels")
        resource = f"nvidia.com/mig-{labels['gpu.mig.profile']}"
        per_card = int(str(labels["nvidia.com/mig.config"]).rpartition("-x")[2])
        types = list_at(document, "spec", "template", "spec", "requirements", 0, "values")
        (cards,) = {node.cards for type_name in types if (node := instance_type(str(type_name)))}
        assert at(overlay_of[name], "spec", "capacity", resource) == str(cards * per_card)
        limits = mapping_at(document, "spec", "limits")
        assert set(limits) in ({resource}, {"nodes"})
        if resource in limits:
            assert int(str(limits[resource])) % per_card == 0
