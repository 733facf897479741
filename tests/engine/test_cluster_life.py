"""A cluster's life cycle on the real engine: upgrades, new nodes, deletion protection. The cluster stays empty."""

from __future__ import annotations

import io
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.cloud.store import Store
from sandbox.engine.environment import Workspace
from sandbox.engine.run import EngineResult, Verb, platform, run
from sandbox.errors import SandboxError
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
STACK = "prod"
pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("cluster-life")]

Change = Callable[[dict[str, Any]], None]
Runner = Callable[..., tuple[EngineResult, str]]


@pytest.fixture
def world(tmp_path: Path) -> Store:
    """The resources that the stand-ins have made."""
    return Store(tmp_path / STACK / "world.db")


@pytest.fixture
def engine(engine_cli: PulumiCli, tmp_path: Path) -> Runner:
    """Runs a verb on prod up to its cluster, with changed settings; returns the result and the output."""
    del engine_cli

    def runner(verb: Verb, change: Change = lambda _: None) -> tuple[EngineResult, str]:
        whole = yaml.safe_load((PROJECT / f"Pulumi.{STACK}.yaml").read_text(encoding="utf-8"))
        settings = whole["config"]["gpu-platform:settings"]
        settings["cluster"]["contents"] = "deferred"
        change(settings)
        stack_file = tmp_path / f"Pulumi.{STACK}.yaml"
        stack_file.write_text(yaml.safe_dump(whole), encoding="utf-8")
        out = io.StringIO()
        request = platform(verb, STACK, stack_file, out)
        return run(replace(request, state=tmp_path / STACK)), out.getvalue()

    return runner


def unprotected(settings: dict[str, Any]) -> None:
    settings["cluster"]["deletion_protection"] = False


def at_1_34(settings: dict[str, Any]) -> None:
    settings["cluster"]["version"] = "1.34"


def on_other_machines(settings: dict[str, Any]) -> None:
    settings["system_nodes"] = {"instance_types": ["m7i.xlarge"]}


def on_larger_disks(settings: dict[str, Any]) -> None:
    settings["system_nodes"] = {"root_volume_gib": 80}


def events(world: Store, operation: str) -> list[str]:
    """The types and names of the resources of an operation, in order."""
    urns = [event.urn.rsplit("$", 1)[-1] for event in world.journal() if event.operation == operation]
    return [urn.rpartition("/")[2] for urn in urns]


def destroyed_by_hand(cli: PulumiCli, state: Path) -> subprocess.CompletedProcess[str]:
    """``pulumi destroy``, without the checks of our own commands."""
    workspace = Workspace(STACK, state, cli)
    return subprocess.run(
        [str(cli.command), "destroy", "--yes", "--non-interactive", "--stack", STACK],
        cwd=workspace.work_dir,
        env={**os.environ, **workspace.variables()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def test_nodes_follow_the_network_add_on_and_are_upgraded_after_the_control_plane(engine: Runner, world: Store) -> None:
    up, printed = engine(Verb.UP, at_1_34)
    assert up.ok, printed
    made = events(world, "create")
    assert made.index("addon:Addon::cluster-eks-vpc-cni") < made.index("nodeGroup:NodeGroup::cluster-system")

    upgraded, printed = engine(Verb.UP)
    assert upgraded.ok, printed
    changed = events(world, "update")
    assert changed.index("cluster:Cluster::cluster-eks-eksCluster") < changed.index(
        "nodeGroup:NodeGroup::cluster-system"
    )
    (group,) = world.of_kind("aws:eks/nodeGroup:NodeGroup")
    assert group.inputs["version"] == "1.35"
    assert str(group.inputs["releaseVersion"]).startswith("1.35.")


@pytest.mark.parametrize(
    ("change", "types"), [(on_other_machines, ["m7i.xlarge"]), (on_larger_disks, ["m7i.large"])], ids=["type", "disk"]
)
def test_changed_system_nodes_stand_before_the_old_ones_go(
    engine: Runner, world: Store, change: Change, types: list[str]
) -> None:
    assert engine(Verb.UP)[0].ok
    (before,) = world.of_kind("aws:eks/nodeGroup:NodeGroup")
    up, printed = engine(Verb.UP, change)
    assert up.ok, printed
    (after,) = world.of_kind("aws:eks/nodeGroup:NodeGroup")
    assert after.inputs["instanceTypes"] == types
    assert after.id != before.id
    group = before.urn
    assert [event.operation for event in world.journal() if event.urn == group] == ["create", "create", "delete"]


def test_the_profile_of_whoever_runs_the_engine_is_no_part_of_the_stack(
    engine: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    assert engine(Verb.UP)[0].ok
    monkeypatch.setenv("AWS_PROFILE", "somebody")
    again, printed = engine(Verb.UP)
    assert again.ok, printed
    assert set(again.changes) == {"same"}


def test_a_protected_cluster_is_refused_whole_before_anything_goes_and_its_settings_still_change(
    engine: Runner, engine_cli: PulumiCli, world: Store, tmp_path: Path
) -> None:
    def without_its_last_principal(settings: dict[str, Any]) -> None:
        settings["cluster"]["access_entries"].pop()

    assert engine(Verb.UP)[0].ok
    changed, printed = engine(Verb.UP, without_its_last_principal)
    assert changed.ok, printed

    everything = world.everything()
    with pytest.raises(SandboxError, match=r"deletion_protection: false in Pulumi\.prod\.yaml"):
        engine(Verb.DOWN)
    refused = destroyed_by_hand(engine_cli, tmp_path / STACK)
    assert refused.returncode != 0
    assert "cluster-eks-eksCluster" in refused.stdout
    assert "protect" in refused.stdout
    assert world.everything() == everything

    assert engine(Verb.UP, unprotected)[0].ok
    down, printed = engine(Verb.DOWN, unprotected)
    assert down.ok, printed
