"""Changes that the official Kubernetes provider makes in place, and objects that a change or a destroy leaves."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from policies.admission.scopes import SCOPES
from sandbox.cloud.store import Store
from sandbox.engine.run import EngineResult, Verb, platform, run
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

OTHER_LAYOUT = (
    ("sharing: {mig: 1g.10gb}", "sharing: {mig: 2g.20gb}"),
    ("nvidia.com/mig-1g.10gb: 112", "nvidia.com/mig-2g.20gb: 48"),
    ("    cpu_pools:", "    earlier_sharing:\n      - {card: A100-80GB, sharing: {mig: 1g.10gb}}\n\n    cpu_pools:"),
)
QUEUED = ("          - name: ml-training\n", "          - name: ml-training\n            scheduling: queued\n")
FOR_QUEUES = ("      nodes: 3\n", "      nodes: 4\n")
"""Enough system nodes for Kueue as well."""
WARN = ("admission: deny", "admission: warn")
BINDING = ":ValidatingAdmissionPolicyBinding::"

Edit = tuple[str, str]
Runner = Callable[..., EngineResult]


@pytest.fixture
def engine(engine_cli: PulumiCli, tmp_path: Path) -> Runner:
    """Runs a verb on the dev stack with parts of its text replaced, in a state folder of the test's own."""
    del engine_cli

    def runner(verb: Verb, *edits: Edit) -> EngineResult:
        text = (PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text, old
            text = text.replace(old, new)
        stack_file = tmp_path / "Pulumi.dev.yaml"
        stack_file.write_text(text, encoding="utf-8")
        out = io.StringIO()
        outcome = run(replace(platform(verb, "dev", stack_file, out), state=tmp_path / "dev"))
        assert outcome.ok, out.getvalue()
        return outcome

    return runner


def test_another_mig_layout_changes_config_maps_in_place(engine: Runner) -> None:
    engine(Verb.UP)
    journal = engine(Verb.UP, *OTHER_LAYOUT).journal
    maps = [(event.operation, event.urn.rsplit("::", 1)[-1]) for event in journal if ":ConfigMap::" in event.urn]
    changed = {name for operation, name in maps if operation == "update"}
    assert any(name.endswith("-mig-layouts") for name in changed), maps
    assert any(name.endswith("-gpu-platform-admission") for name in changed), maps
    assert not [name for operation, name in maps if operation == "delete"]


def test_admission_is_loosened_and_tightened_without_a_moment_without_it(engine: Runner, tmp_path: Path) -> None:
    engine(Verb.UP)
    for edits in ((WARN,), ()):
        engine(Verb.PREVIEW, *edits)
        engine(Verb.UP, *edits)
    journal = Store(tmp_path / "dev" / "world.db").journal()
    bindings = [event for event in journal if BINDING in event.urn]
    assert {event.operation for event in bindings} == {"create", "delete"}, "the API server would merge the modes"
    standing: Counter[str] = Counter()
    for event in bindings:
        policy = event.urn.rsplit("::", 1)[-1].rsplit("-", 1)[0]
        standing[policy] += 1 if event.operation == "create" else -1
        assert standing[policy] > 0, f"{policy} is not bound after {event}"
    assert len(standing) == len(SCOPES)
    assert set(standing.values()) == {1}


def test_a_destroyed_stack_does_not_uninstall_what_teams_objects_need_to_go(engine: Runner) -> None:
    engine(Verb.UP, QUEUED, FOR_QUEUES)
    journal = engine(Verb.DOWN, QUEUED, FOR_QUEUES).journal
    gone = [event.urn for event in journal if event.operation == "delete"]
    (cluster,) = (place for place, urn in enumerate(gone) if ":eks/cluster:Cluster::" in urn)
    for ending in ("::queues-kueue", "::monitoring-keda", "-namespace-kueue-system", "-namespace-keda"):
        (place,) = (place for place, urn in enumerate(gone) if urn.endswith(ending))
        assert place > cluster, f"{ending} goes with the cluster, and not before"
    (team,) = (place for place, urn in enumerate(gone) if urn.endswith("-namespace-ml-training"))
    assert team < cluster
