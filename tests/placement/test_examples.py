"""Every example is accepted with admission on, goes through the queue of its namespace, and lands where it says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from gpuplatform.accept import accepted
from gpuplatform.proofs.capture.stack import stack_view
from gpuplatform.render.document import Document
from gpuplatform.render.dra import template_name
from gpuplatform.render.queues.values import CHART
from gpuplatform.render.stack import render
from gpuplatform.settings import teams
from gpuplatform.settings.admission import AdmissionMode
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import SETTINGS_KEY
from gpuplatform.standard.labels import Role
from policies.admission.documents import admission_documents
from sandbox.cluster import Cluster, ClusterCommands, Pod, cluster, items
from sandbox.market import ec2_of
from sandbox.tools.acquire import at_hand as tool_at_hand
from sandbox.tools.module_files import TRAINING_OPERATOR_MANIFESTS, files_at_hand
from sandbox.tools.table import TRAINING_OPERATOR
from tests.builders import ROOT, stack_file
from tests.figures import Figures
from tests.placement.test_queues import WORKLOADS, until
from tests.placement.training_operator import training_operator
from tests.tiers import at_hand

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

EXAMPLES = ROOT / "examples"
_WHERE = re.compile(r"# pools?: ([a-z, -]+) \(stack (dev|prod)\)\n")


def landing(path: Path) -> tuple[frozenset[str], str] | None:
    """The pools and the stack that an example's first line names."""
    found = _WHERE.match(path.read_text(encoding="utf-8"))
    return (frozenset(found[1].split(", ")), found[2]) if found else None


OF_STACK = {
    stack: sorted(path for path in EXAMPLES.rglob("*.yaml") if (where := landing(path)) and where[1] == stack)
    for stack in ("dev", "prod")
}


def queued(stack: str) -> Settings:
    """The stack with its training queued, where it is not."""
    plain = yaml.safe_load(stack_file(stack).read_text(encoding="utf-8"))["config"][SETTINGS_KEY]
    for tenant in plain["tenants"]:
        for namespace in tenant["namespaces"]:
            if namespace["name"] == "ml-training":
                namespace["scheduling"] = "queued"
    plain["system_nodes"]["nodes"] = 4  # what carries Kueue as well
    return accepted(plain)


def test_every_workload_says_where_it_lands() -> None:
    said = {path for paths in OF_STACK.values() for path in paths}
    assert set((EXAMPLES / "workloads").glob("*.yaml")) <= said
    assert len(said) >= 10


@pytest.fixture(params=["dev", "prod"])
def guarded(
    request: pytest.FixtureRequest, cluster_commands: ClusterCommands, tmp_path: Path
) -> Iterator[tuple[str, Settings, Cluster]]:
    """A stack with Kueue, the training operator, and every admission policy on deny."""
    stack = str(request.param)
    settings = queued(stack)
    rendered = render(settings)
    operator = at_hand("placement", tool_at_hand(TRAINING_OPERATOR))
    manifests = at_hand("placement", files_at_hand(TRAINING_OPERATOR_MANIFESTS))
    with (
        cluster(
            tmp_path,
            cluster_commands,
            ec2_of(settings),
            rendered.karpenter_values,
            rendered.kueue_values[CHART],
            kinds_of=(*rendered.documents, *(each for path in OF_STACK[stack] for each in documents(path))),
        ) as running,
        training_operator(running.plane, operator.command, manifests),
    ):
        running.apply_stack(rendered)
        running.apply(admission_documents(stack_view(settings, template_name), AdmissionMode.DENY))
        assert running.settle() == ()
        yield stack, settings, running


def test_every_example_is_accepted_and_lands_on_the_pool_that_it_names(
    guarded: tuple[str, Settings, Cluster], figures: Figures
) -> None:
    stack, settings, on = guarded
    on.apply(documents(EXAMPLES / "storage" / "classes.yaml"))
    for path in OF_STACK[stack]:
        before = {(each.namespace, each.name) for each in on.pods()}
        on.apply(documents(path))
        until(lambda before=before: (found := made(on, before)) != [] and on.settle() == () and placed(found))
        pods = made(on, before)
        pool_of = {each.name: each.nodepool for each in on.nodes()}
        named = sorted((each.name for each in settings.pools), key=len, reverse=True)
        landed = {next(name for name in named if pool_of[str(each.node)].startswith(name)) for each in pods}
        where = landing(path)
        assert where is not None
        assert landed == where[0], path
        assert all(chiefs_alone(pods, pool_of, settings)), path
        waits = {space for space in queued_namespaces(settings) if any(each.namespace == space for each in pods)}
        assert {space for space in waits if not admitted(on, space)} == set(), f"{path} went past the queue"
        figures(f"{path.relative_to(EXAMPLES)}: {len(pods)} pods on {', '.join(sorted(landed))}")
        gone = on.plane.kubectl("delete", "--ignore-not-found", "--grace-period=0", "--force", "-f", str(path))
        assert gone.ok, gone.err


def chiefs_alone(pods: list[Pod], pool_of: Mapping[str, str], settings: Settings) -> Iterator[bool]:
    """Of each pod to which the training operator gave a part: whether exactly a chief is on a pool of chiefs."""
    chiefs = tuple(each.name for each in settings.pools if each.role is Role.CHIEF)
    for each in pods:
        part = each.labels.get("training.kubeflow.org/replica-type")
        if part is not None:
            yield pool_of[str(each.node)].startswith(chiefs) == (part == "chief")


def queued_namespaces(settings: Settings) -> set[str]:
    return {each.name for tenant in settings.tenants for each in teams.queued(tenant)}


def admitted(on: Cluster, namespace: str) -> bool:
    """Whether Kueue let in everything that is there, and something is."""
    found = items(on.plane.kubectl, WORKLOADS, "-n", namespace)
    conditions = [cast(Any, each)["status"]["conditions"] for each in found]
    return found != [] and all(
        any((it["type"], it["status"]) == ("Admitted", "True") for it in each) for each in conditions
    )


def made(on: Cluster, before: set[tuple[str, str]]) -> list[Pod]:
    return [each for each in on.pods() if (each.namespace, each.name) not in before]


def placed(pods: list[Pod]) -> bool:
    return all(each.node for each in pods)


def documents(path: Path) -> list[Document]:
    return [cast(Document, each) for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]
