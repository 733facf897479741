from typing import cast

from gpuplatform.catalog.mig import geometries
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.bring_up.layout import layout_text
from gpuplatform.render.sharing import mig_config_map
from gpuplatform.settings.pools import Pool
from gpuplatform.settings.source import Plain
from tests.builders import ZONES, a_card, a_market, a_slice_pool, some_settings
from tests.unit.render.reading import list_at, loaded, mapping_at, text_at


def pool_of(*cards: tuple[str, str], profile: str) -> Pool:
    choices: Plain = [a_card(model, [type_], [a_market(ceiling_cards=16)]) for model, type_ in cards]
    (pool,) = some_settings(pools=[a_slice_pool(cards=choices, sharing={"mig": profile})]).pools
    return pool


P4D, P4DE, P5 = ("A100-40GB", "p4d.24xlarge"), ("A100-80GB", "p4de.24xlarge"), ("H100-80GB", "p5.48xlarge")


def test_a_line_says_profile_id_count_and_device_ids() -> None:
    assert layout_text(pool_of(P4DE, profile="3g.40gb")).splitlines()[1:] == [
        "3g.40gb 9 2 0x20B210DE,0x20B510DE,0x20F310DE,0x20F510DE"
    ]


def test_one_profile_name_is_another_id_and_count_on_another_card() -> None:
    lines = layout_text(pool_of(P4D, P4DE, P5, profile="1g.10gb")).splitlines()[1:]
    assert [line.split()[:3] for line in lines] == [
        ["1g.10gb", "15", "4"],
        ["1g.10gb", "19", "7"],
        ["1g.10gb", "19", "7"],
    ]


def test_the_operator_finds_on_each_card_what_its_own_layout_says() -> None:
    pool = pool_of(P4D, P4DE, P5, profile="1g.10gb")
    planned = plan((pool,), ZONES)
    layouts = loaded(text_at(mig_config_map(planned, ()), "data", "config.yaml"))
    of_script = {
        device: {fields[0]: int(fields[2])}
        for fields in map(str.split, layout_text(pool).splitlines()[1:])
        for device in fields[3].split(",")
    }
    of_operator: dict[str, dict[str, object]] = {}
    for key in mapping_at(layouts, "mig-configs"):
        for entry in list_at(layouts, "mig-configs", key):
            devices = cast("list[str]", entry.get("device-filter", []))
            of_operator |= dict.fromkeys(devices, mapping_at(entry, "mig-devices") if devices else {})
    assert of_script == of_operator


def test_every_card_that_can_be_cut_can_be_told_from_the_others() -> None:
    ids = [device.lower() for geometry in geometries().values() for device in geometry.device_ids]
    assert all(geometry.device_ids for geometry in geometries().values())
    assert len(ids) == len(set(ids))
