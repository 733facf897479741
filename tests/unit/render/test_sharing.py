import pytest

from gpuplatform.analysis.mig import file as mig_file
from gpuplatform.catalog.mig import geometry
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.source import Plain
from gpuplatform.standard.labels import LABEL_VALUE
from tests.builders import (
    STACKS,
    a_card,
    a_pool,
    a_shared_pool,
    a_slice_pool,
    a_static_pool,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, loaded, mapping_at, of_kind, text_at


def rendered(*pools: Plain, **others: Plain) -> Rendered:
    return render(some_settings(pools=list(pools), **others))


def layouts(stack: Rendered) -> dict[str, object]:
    text = text_at(of_kind(stack.documents, "ConfigMap")["mig-layouts"], "data", "config.yaml")
    return mapping_at(loaded(text), "mig-configs")


def plugin_configs(stack: Rendered) -> dict[str, object]:
    return mapping_at(of_kind(stack.documents, "ConfigMap")["device-plugin-sharing"], "data")


def test_a_layout_is_named_by_its_content_and_bound_to_the_devices_of_its_card() -> None:
    table = geometry("A100-80GB")
    assert table is not None
    configs = layouts(rendered(a_slice_pool()))
    assert list(configs) == ["all-disabled", "a100-80gb.1g.10gb-x7"]
    assert configs["a100-80gb.1g.10gb-x7"] == [
        {
            "device-filter": list(table.device_ids),
            "devices": "all",
            "mig-enabled": True,
            "mig-devices": {"1g.10gb": 7},
        }
    ]


def test_a_layout_keeps_the_profiles_plus_while_its_name_has_a_dot() -> None:
    configs = layouts(rendered(a_slice_pool(sharing={"mig": "1g.10gb+me"})))
    (entry,) = list_at(configs, "a100-80gb.1g.10gb.me-x1")
    assert entry["mig-devices"] == {"1g.10gb+me": 1}


# Corrections 1 and 5: what is written can be placed on the card, by the search and not by a sum of slices.
@pytest.mark.parametrize("stack", STACKS)
def test_every_layout_of_every_environment_can_be_placed(stack: str) -> None:
    config = of_kind(render(stack_settings(stack)).documents, "ConfigMap")["mig-layouts"]
    verdict = mig_file.judge(text_at(config, "data", "config.yaml"))
    assert verdict.faults == ()
    assert not any(entry.impossible_on for entry in verdict.entries)


# Corrections 2 and 3: each pool has one layout, and the same profile is another layout on another card.
def test_the_same_profile_on_two_cards_is_two_layouts() -> None:
    both: list[Plain] = [a_card("A100-40GB", ["p4d.24xlarge"]), a_card("A100-80GB", ["p4de.24xlarge"])]
    configs = layouts(rendered(a_slice_pool(cards=both)))
    amounts = {name: at(entry, 0, "mig-devices") for name, entry in configs.items() if name != "all-disabled"}
    assert amounts == {"a100-40gb.1g.10gb-x4": {"1g.10gb": 4}, "a100-80gb.1g.10gb-x7": {"1g.10gb": 7}}


@pytest.mark.parametrize("stack", STACKS)
def test_every_layout_that_a_node_is_told_to_wear_is_in_the_file(stack: str) -> None:
    stack_rendered = render(stack_settings(stack))
    labels = {
        str(label)
        for document in of_kind(stack_rendered.documents, "NodePool").values()
        if (metadata := mapping_at(document, "spec", "template").get("metadata"))
        and (label := mapping_at(metadata, "labels").get("nvidia.com/mig.config"))
    }
    assert labels <= set(layouts(stack_rendered))
    assert all(LABEL_VALUE.match(label_value) for label_value in labels)


# Correction 11: there is no default, so nothing is shared that was not told to.
def test_the_device_plugin_has_one_configuration_for_each_way_of_sharing_and_no_default() -> None:
    configs = plugin_configs(rendered(a_shared_pool(), a_pool(sharing={"mps": 8}), a_slice_pool(), a_static_pool()))
    assert list(configs) == ["mps-x8", "time-slicing-x4"]
    assert loaded(str(configs["time-slicing-x4"])) == {
        "version": "v1",
        "sharing": {
            "timeSlicing": {
                "renameByDefault": False,
                "failRequestsGreaterThanOne": True,
                "resources": [{"name": "nvidia.com/gpu", "replicas": 4}],
            }
        },
    }
    assert loaded(str(configs["mps-x8"])) == {
        "version": "v1",
        "sharing": {
            "mps": {"failRequestsGreaterThanOne": True, "resources": [{"name": "nvidia.com/gpu", "replicas": 8}]}
        },
    }


@pytest.mark.parametrize("stack", STACKS)
def test_every_way_of_sharing_that_a_node_is_told_is_in_the_map(stack: str) -> None:
    stack_rendered = render(stack_settings(stack))
    labels = {
        str(label)
        for document in of_kind(stack_rendered.documents, "NodePool").values()
        if (metadata := mapping_at(document, "spec", "template").get("metadata"))
        and (label := mapping_at(metadata, "labels").get("nvidia.com/device-plugin.config"))
    }
    assert labels == set(plugin_configs(stack_rendered))


def test_the_maps_are_there_even_when_nothing_is_shared_so_that_no_name_ever_changes() -> None:
    stack_rendered = rendered(a_pool())
    assert list(layouts(stack_rendered)) == ["all-disabled"]
    assert plugin_configs(stack_rendered) == {}


def test_another_number_is_another_key_so_that_no_key_ever_changes_its_meaning() -> None:
    four, eight = (rendered(a_shared_pool(sharing={"time_slicing": shares})) for shares in (4, 8))
    assert set(plugin_configs(four)).isdisjoint(plugin_configs(eight))
    small, large = (rendered(a_slice_pool(sharing={"mig": profile})) for profile in ("1g.10gb", "3g.40gb"))
    assert set(layouts(small)) & set(layouts(large)) == {"all-disabled"}


def test_what_running_nodes_still_wear_stays_in_the_maps() -> None:
    earlier: list[Plain] = [
        {"card": "A100-80GB", "sharing": {"mig": "3g.40gb"}},
        {"card": "T4-16GB", "sharing": {"time_slicing": 2}},
    ]
    stack_rendered = rendered(a_slice_pool(), a_shared_pool(), earlier_sharing=earlier)
    assert list(layouts(stack_rendered)) == ["all-disabled", "a100-80gb.1g.10gb-x7", "a100-80gb.3g.40gb-x2"]
    assert list(plugin_configs(stack_rendered)) == ["time-slicing-x2", "time-slicing-x4"]
