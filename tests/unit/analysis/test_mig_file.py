import csv
import textwrap
from pathlib import Path

import pytest
import yaml

from gpuplatform.analysis.mig.file import FileVerdict, judge
from gpuplatform.catalog.mig import geometries
from gpuplatform.faults import Fault, Severity, errors

DEFAULTS = Path(__file__).with_name("mig_operator_defaults.csv")
"""The layouts that GPU operator v26.7.0 ships (assets/state-mig-manager/0400_configmap.yaml), read 2026-11-21."""


def config(body: str, name: str = "custom") -> str:
    return f"version: v1\nmig-configs:\n  {name}:\n{textwrap.indent(textwrap.dedent(body), '  ')}"


def entry(mig_devices: str, devices: str = "all", device_filter: str = "", enabled: str = "true") -> str:
    first = f"- device-filter: {device_filter}\n  devices: {devices}" if device_filter else f"- devices: {devices}"
    return f"{first}\n  mig-enabled: {enabled}\n  mig-devices: {mig_devices}\n"


def only(verdict: FileVerdict) -> Fault:
    (fault,) = verdict.faults
    return fault


def test_the_guides_file_is_refused_because_four_pairs_need_eight_slices_and_each_config_leaves_half_the_node() -> None:
    text = textwrap.dedent("""
        version: v1
        mig-configs:
          inference-7:
          - devices: [0, 1, 2, 3]
            mig-enabled: true
            mig-devices: {"1g.5gb": 7}
          training-4:
          - devices: [4, 5, 6, 7]
            mig-enabled: true
            mig-devices: {"2g.10gb": 4}
    """)
    faults = {fault.path: fault for fault in judge(text).faults}
    assert set(faults) == {
        "mig-configs.training-4[0].mig-devices",
        "mig-configs.inference-7",
        "mig-configs.training-4",
    }
    assert "needs 8 of 7 compute slices; 3 is the most" in faults["mig-configs.training-4[0].mig-devices"].allowed
    assert faults["mig-configs.inference-7"].given == "no entry for devices 4, 5, 6, 7 of 8"
    assert "a node has one configuration only" in faults["mig-configs.inference-7"].allowed
    assert "one pool for each configuration" in faults["mig-configs.training-4"].change


def test_one_configuration_that_splits_the_devices_of_a_node_is_legal() -> None:
    text = config(entry('{"1g.5gb": 7}', "[0,1,2,3]") + entry('{"2g.10gb": 3}', "[4,5,6,7]"))
    verdict = judge(text)
    assert verdict.faults == ()
    assert [verdict_of_entry.legal_on for verdict_of_entry in verdict.entries] == [("A100-40GB",), ("A100-40GB",)]


def operator_defaults() -> str:
    configs: dict[str, list[dict[str, object]]] = {}
    with DEFAULTS.open(encoding="utf-8") as text:
        for row in csv.DictReader(text):
            entry_of_row: dict[str, object] = {"devices": "all", "mig-enabled": row["mig_enabled"] == "true"}
            pairs = [pair.split("=") for pair in row["layout"].split()]
            entry_of_row["mig-devices"] = {name: int(count) for name, count in pairs}
            if row["device_ids"]:
                entry_of_row["device-filter"] = row["device_ids"].split()
            configs.setdefault(row["configuration"], []).append(entry_of_row)
    return yaml.safe_dump({"version": "v1", "mig-configs": configs})


def test_every_layout_the_operator_ships_is_legal_on_the_cards_it_is_for() -> None:
    verdict = judge(operator_defaults())
    assert errors(verdict.faults) == []
    assert len(verdict.entries) == 94
    unproven = {fault.path for fault in verdict.faults}
    assert unproven == {f"mig-configs.all-{name}[0].mig-devices" for name in ("3g.95gb", "4g.95gb", "7g.189gb")}
    filtered = [
        verdict_of_entry
        for verdict_of_entry in verdict.entries
        if verdict_of_entry.layout and "balanced" in verdict_of_entry.path
    ]
    assert len(filtered) == 12
    assert all(verdict_of_entry.legal_on and not verdict_of_entry.impossible_on for verdict_of_entry in filtered)


def test_an_unfiltered_entry_says_on_which_cards_it_is_legal_and_on_which_it_is_not() -> None:
    (verdict_of_entry,) = judge(config(entry('{"1g.10gb": 7}'))).entries
    assert verdict_of_entry.legal_on == ("A100-80GB", "H100-80GB")
    assert verdict_of_entry.impossible_on == ("A100-40GB",)


def test_an_unfiltered_entry_is_judged_on_the_card_that_is_named() -> None:
    verdict = judge(config(entry('{"1g.10gb": 7}')), geometries()["A100-40GB"])
    assert only(verdict).path == "mig-configs.custom[0].mig-devices"
    assert "4 is the most" in only(verdict).allowed


def test_a_filtered_entry_is_judged_on_the_cards_of_its_ids_whatever_card_is_named() -> None:
    verdict = judge(config(entry('{"1g.10gb": 7}', device_filter="'0x20B010DE'")), geometries()["A100-80GB"])
    assert "1g.10gb" in next(f.given for f in verdict.faults)
    assert verdict.entries[0].impossible_on == ("A100-40GB",)


def test_one_illegal_card_of_a_filter_is_one_fault_that_says_where_the_layout_is_legal() -> None:
    verdict = judge(config(entry('{"1g.10gb": 7}', device_filter='["0x20B210DE", "0x20B010DE"]')))
    fault = only(verdict)
    assert fault.given.endswith("on A100-40GB")
    assert fault.allowed.endswith("legal on A100-80GB")


def test_a_filter_with_lower_case_letters_and_a_subsystem_still_finds_its_card() -> None:
    verdict = judge(config(entry('{"1g.18gb": 7}', device_filter='"0x233510de:0x18be10de"')))
    assert verdict.faults == ()
    assert verdict.entries[0].legal_on == ("H200-141GB",)


def test_an_id_without_quotes_is_a_number_to_yaml_and_to_the_operator() -> None:
    fault = only(judge(config(entry("{}", device_filter="0x20B010DE"))))
    assert fault.path == "mig-configs.custom[0].device-filter"
    assert "without them YAML reads a number" in fault.change


def test_an_id_that_no_known_card_has_is_said_and_not_refused() -> None:
    fault = only(judge(config(entry('{"1g.10gb": 7}', device_filter="'0x1EB810DE'"))))
    assert fault.severity is Severity.WARNING
    assert fault.given == "0x1EB810DE"


def test_entries_filtered_for_different_cards_may_cover_the_same_devices() -> None:
    text = config(
        entry('{"1g.10gb": 7}', device_filter="'0x20B210DE'") + entry('{"1g.10gb": 4}', device_filter="'0x20B010DE'")
    )
    assert judge(text).faults == ()


def test_an_unfiltered_entry_beside_a_filtered_one_covers_that_cards_devices_twice() -> None:
    text = config(entry('{"1g.10gb": 7}', device_filter="'0x20B210DE'") + entry("{}", enabled="false"))
    assert "already covered by mig-configs.custom[0]" in only(judge(text)).given


def test_a_profile_that_no_card_has_is_refused() -> None:
    assert only(judge(config(entry('{"1g.11gb": 1}')))).allowed == "no card has 1g.11gb"


def test_profiles_of_two_cards_in_one_entry_are_refused() -> None:
    assert "at once" in only(judge(config(entry('{"1g.5gb": 1, "1g.6gb": 1}')))).allowed


def test_a_profile_of_a_card_without_published_placements_is_said_and_not_refused() -> None:
    fault = only(judge(config(entry('{"1g.16gb+gfx": 2}'))))
    assert fault.severity is Severity.WARNING
    assert "RTX-PRO-4500-32GB" in fault.given


def test_the_number_of_devices_of_a_node_can_be_another() -> None:
    text = config(entry('{"1g.6gb": 4}', "[0, 1, 2, 3]"))
    assert judge(text, devices_per_node=4).faults == ()
    assert "devices 4, 5, 6, 7 of 8" in only(judge(text)).given


def test_a_configmap_is_judged_by_the_configuration_inside_it() -> None:
    inner = config(entry('{"2g.10gb": 4}'))
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "ConfigMap", "data": {"config.yaml": inner}})
    assert only(judge(text)).path == "mig-configs.custom[0].mig-devices"
    assert "without config.yaml" in only(judge("kind: ConfigMap\ndata: {}")).given


@pytest.mark.parametrize(
    ("text", "path", "named"),
    [
        ("", "configuration", "an empty file"),
        ("# nothing but words\n", "configuration", "nothing"),
        ("just words", "configuration", "just words"),
        ("[1, 2", "configuration", "at line 1"),
        ("a: 1\n---\nb: 2\n", "configuration", "but found another document at line 2"),
        ("version: v1\nversion: v1\n", "configuration", "'version' is duplicated at line 2"),
        ("\0\0", "configuration", "special characters"),
        ("[" * 5000, "configuration", ""),
        (config(entry("{}")).replace("v1", "v2"), "version", "v2"),
        (config(entry("{}")).replace("v1", "1"), "version", "1"),
        (config(entry("{}")) + "nodes: 3\n", "nodes", "nodes"),
        ("version: v1\n", "mig-configs", "nothing"),
        ("version: v1\nmig-configs: {}\n", "mig-configs", "{}"),
        ("version: v1\nmig-configs: {a: []}\n", "mig-configs.a", "[]"),
        ("version: v1\nmig-configs: {a: [all]}\n", "mig-configs.a[0]", "all"),
        (config("- mig-enabled: false\n"), "mig-configs.custom[0].devices", "nothing"),
        (config("- devices: all\n"), "mig-configs.custom[0].mig-enabled", "nothing"),
        (config("- devices: all\n  mig-enabled: 1\n"), "mig-configs.custom[0].mig-enabled", "1"),
        (config("- devices: all\n  mig-enabled: true\n"), "mig-configs.custom[0].mig-devices", "nothing"),
        (config(entry('{"1g.5gb": 7}', enabled="false")), "mig-configs.custom[0].mig-devices", "1g.5gb"),
        (config(entry("[1g.5gb]")), "mig-configs.custom[0].mig-devices", "['1g.5gb']"),
        (config(entry("{}") + "  mig-mode: on\n"), "mig-configs.custom[0].mig-mode", "mig-mode"),
        (config(entry("{}", "some")), "mig-configs.custom[0].devices", "some"),
        (config(entry("{}", "[]")), "mig-configs.custom[0].devices", "[]"),
        (config(entry("{}", "[0, true]")), "mig-configs.custom[0].devices", "[0, True]"),
        (config(entry("{}", f"[0x{'f' * 9000}]")), "mig-configs.custom[0].devices", ""),
        (
            config(entry(f"{{? 0x{'f' * 9000} : 7}}")),
            "mig-configs.custom[0].mig-devices[a number that is too large]",
            "",
        ),
        (config(entry("{}", device_filter="A100")), "mig-configs.custom[0].device-filter", "A100"),
        (config(entry("{}", device_filter="[]")), "mig-configs.custom[0].device-filter", "an empty list"),
        (config(entry('{"1g.5g": 7}')), "mig-configs.custom[0].mig-devices[1g.5g]", "1g.5g"),
        (config(entry('{"1g.5gb.me": 1}')), "mig-configs.custom[0].mig-devices[1g.5gb.me]", "1g.5gb.me"),
        (config(entry('{"1g.5gb": -1}')), "mig-configs.custom[0].mig-devices[1g.5gb]", "-1"),
        (config(entry('{"1g.5gb": seven}')), "mig-configs.custom[0].mig-devices[1g.5gb]", "seven"),
        (config(entry('{"1g.5gb": 0}')), "mig-configs.custom[0].mig-devices", "every count is 0"),
    ],
)
def test_a_file_that_breaks_the_format_gets_one_fault_at_its_place(text: str, path: str, named: str) -> None:
    fault = only(judge(text))
    assert fault.path == path
    assert named in fault.given
    assert len(fault.given) < 300


def test_a_file_of_nested_references_is_never_spelled_out() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    text = "version: v1\n" + "\n".join(lines) + "\nmig-configs: *a11\n"
    assert all(len(str(fault)) < 400 for fault in judge(text).faults)


def test_mig_on_without_instances_is_legal() -> None:
    assert judge(config(entry("{}"))).faults == ()


def test_every_fault_of_a_file_is_said_at_once() -> None:
    text = config(entry('{"2g.10gb": 4}') + entry('{"nonsense": 1}') + entry("{}", "some"))
    assert len(judge(text).faults) == 3
