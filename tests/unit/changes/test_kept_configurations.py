"""The effects of a change on running nodes, and the configurations that they keep."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import cast

import pytest
import yaml
from click.testing import CliRunner

from cli.main import main
from gpuplatform.accept import check
from gpuplatform.changes.comparison import Change, compare, stack_of
from gpuplatform.changes.effect import Effect, Fate, Thing
from gpuplatform.render.document import as_yaml, file_names
from gpuplatform.render.stack import render
from gpuplatform.settings import source
from gpuplatform.settings.settings import Settings
from tests.builders import a_namespace, a_tenant, some_settings

PROJECT = Path(__file__).parents[3]
GOLDEN = PROJECT / "tests" / "golden" / "layout-change.diff"

Plain = dict[str, object]


def settings(*edits: tuple[str, str]) -> Settings:
    """The dev stack with parts of its text replaced."""
    text = (PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    for old, new in edits:
        assert old in text, old
        text = text.replace(old, new)
    raw, faults = source.parse(text, "dev")
    assert faults == []
    loaded = check(raw)
    assert loaded.settings is not None, loaded.faults
    return loaded.settings


def change(was: Settings, now: Settings) -> Change:
    """What changing the settings does."""
    return compare(stack_of(was), stack_of(now))


def replaced(was: Settings, now: Settings) -> tuple[Effect, ...]:
    """The NodePools whose nodes drift."""
    return change(was, now).of(Thing.NODEPOOL, Fate.REPLACED)


KEEP = ("    cpu_pools:", "    earlier_sharing:\n      - {card: A100-80GB, sharing: {mig: 1g.10gb}}\n\n    cpu_pools:")
OTHER_LAYOUT = ("sharing: {mig: 1g.10gb}", "sharing: {mig: 2g.20gb}")
OTHER_QUOTA = ("nvidia.com/mig-1g.10gb: 112", "nvidia.com/mig-2g.20gb: 48")
OTHER_SHARES = ("sharing: {time_slicing: 4}", "sharing: {time_slicing: 8}")


def texts(of: Settings) -> dict[str, str]:
    return {name: as_yaml(document) for name, document in file_names(render(of).documents).items()}


def config_map(of: Settings, name: str) -> dict[str, str]:
    (document,) = (
        operator_config
        for operator_config in render(of).operator_configs
        if cast(Plain, operator_config["metadata"])["name"] == name
    )
    return cast(dict[str, str], document["data"])


def layouts(of: Settings) -> Plain:
    return cast(Plain, yaml.safe_load(config_map(of, "mig-layouts")["config.yaml"])["mig-configs"])


def test_nothing_changes_nothing() -> None:
    same = change(settings(), settings())
    assert (same.effects, same.contract, same.lost, same.faults, same.unknown) == ((), (), (), (), ())


def test_a_changed_layout_replaces_exactly_the_pools_nodes_in_its_own_window() -> None:
    (worker,) = replaced(settings(), settings(OTHER_LAYOUT, OTHER_QUOTA, KEEP))
    assert worker.name == "worker-a100-80gb-on-demand"
    assert worker.when == "Sat, Sun 02:00 to 08:00 (Asia/Seoul), 1 at once"
    assert any("a100-80gb.1g.10gb-x7 becomes a100-80gb.2g.20gb-x3" in reason for reason in worker.reasons)


def test_a_chief_is_replaced_only_in_its_window() -> None:
    (chief,) = replaced(
        settings(),
        settings(
            ("sharing: {mig: 3g.40gb}", "sharing: {mig: 4g.40gb}"),
            ("nvidia.com/mig-3g.40gb: 2", "nvidia.com/mig-4g.40gb: 1"),
        ),
    )
    assert chief.name.startswith("chief-")
    assert chief.when == "Sun 02:00 to 06:00 (Asia/Seoul), 1 at once"


@pytest.mark.parametrize(
    ("edits", "key", "line"),
    [
        ((OTHER_LAYOUT, OTHER_QUOTA), "a100-80gb.1g.10gb-x7", "{card: A100-80GB, sharing: {mig: 1g.10gb}}"),
        ((OTHER_SHARES,), "time-slicing-x4", "{card: T4-16GB, sharing: {time_slicing: 4}}"),
    ],
)
def test_a_configuration_that_running_nodes_wear_is_not_dropped(
    edits: tuple[tuple[str, str], ...], key: str, line: str
) -> None:
    (fault,) = change(settings(), settings(*edits)).faults
    assert fault.path == "earlier_sharing"
    assert key in fault.given
    assert line in fault.change


def test_old_nodes_find_their_layout_byte_for_byte_as_it_was() -> None:
    before, after = settings(), settings(OTHER_LAYOUT, OTHER_QUOTA, KEEP)
    old, new = layouts(before), layouts(after)
    assert set(new) == {*old, "a100-80gb.2g.20gb-x3"}
    for key, layout in old.items():
        assert yaml.safe_dump(new[key]) == yaml.safe_dump(layout), key


def test_old_nodes_find_their_shares_byte_for_byte_as_they_were() -> None:
    keep = (
        "    cpu_pools:",
        "    earlier_sharing:\n      - {card: T4-16GB, sharing: {time_slicing: 4}}\n\n    cpu_pools:",
    )
    old = config_map(settings(), "device-plugin-sharing")
    new = config_map(settings(OTHER_SHARES, keep), "device-plugin-sharing")
    assert set(new) == {"time-slicing-x4", "time-slicing-x8"}
    assert new["time-slicing-x4"] == old["time-slicing-x4"]


def test_the_two_config_maps_are_there_under_their_names_even_when_nothing_is_shared() -> None:
    whole = settings(
        ("sharing: {time_slicing: 4}", "sharing: exclusive"),
        ("nvidia.com/gpu: 24}\n            priorities: [exp", "nvidia.com/gpu: 6}\n            priorities: [exp"),
    )
    assert config_map(whole, "device-plugin-sharing") == {}


def test_a_removed_pool_is_said_to_lose_its_nodes_at_once() -> None:
    before = settings()
    after = before.model_copy(update={"pools": tuple(pool for pool in before.pools if pool.name != "train")})
    gone = change(before, after).of(Thing.NODEPOOL, Fate.GONE)
    assert [effect.name for effect in gone] == ["train-a100-40gb-on-demand"]


def test_a_layout_change_moves_one_config_map_label_overlay_limit_and_quota_and_nothing_else(
    request: pytest.FixtureRequest,
) -> None:
    """The golden diff: what a reader of a pull request sees of a changed layout."""
    old, new = texts(settings()), texts(settings(OTHER_LAYOUT, OTHER_QUOTA, KEEP))
    assert set(old) == set(new)
    lines: list[str] = []
    for name in sorted(old):
        before, after = old[name].splitlines(), new[name].splitlines()
        lines += difflib.unified_diff(before, after, name, name, lineterm="", n=1)
    text = "\n".join(lines) + "\n"
    if request.config.getoption("--snapshot-update"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")
    changed = {line.removeprefix("--- ") for line in lines if line.startswith("--- ")}
    assert changed == {
        "configmap.gpu-operator.mig-layouts.yaml",
        "configmap.kube-system.gpu-node-labels-guide.yaml",
        "nodeoverlay.worker-a100-80gb-on-demand.yaml",
        "nodepool.worker-a100-80gb-on-demand.yaml",
        "prometheusrule.monitoring.gpu-platform.yaml",  # what a node is to advertise, and when a ceiling is near
        "resourcequota.ml-notebook.ml-notebook-cards.yaml",
        "resourcequota.ml-serving.ml-serving-cards.yaml",
        "resourcequota.ml-training.ml-training-cards.yaml",
    }


def test_a_namespace_that_leaves_the_queue_is_named() -> None:
    space = a_namespace(quota={"nvidia.com/gpu": 2})
    teams = [a_tenant(namespaces=[space | {"scheduling": kind}]) for kind in ("queued", "serving")]
    was, now = (some_settings(tenants=[team]) for team in teams)
    assert (change(was, now).unqueued, change(now, was).unqueued) == (("ml-serving",), ())


def test_check_warns_of_it(tmp_path: Path) -> None:
    text = (PROJECT / "Pulumi.prod.yaml").read_text(encoding="utf-8")
    queue = "        queue: {weight: 3, borrow: {nvidia.com/gpu: 26}}\n"
    assert queue in text
    now = tmp_path / "Pulumi.prod.yaml"
    now.write_text(text.replace(queue, "").replace("scheduling: queued", "scheduling: serving"), encoding="utf-8")
    shown = CliRunner().invoke(main, ["check", "--settings", str(now), "--was", str(PROJECT / "Pulumi.prod.yaml")])
    assert shown.exit_code == 0, shown.output
    assert "namespace ml-training loses its queue" in shown.output
