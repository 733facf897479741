"""Every example is admitted by the policies and its namespace's queue, and lands on the pool that it names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from gpuplatform.accept import accepted
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.plan import teams
from gpuplatform.render.document import Document
from gpuplatform.render.queues.values import CHART
from gpuplatform.render.stack import render
from gpuplatform.settings.settings import AdmissionMode, Settings
from gpuplatform.settings.source import SETTINGS_KEY
from gpuplatform.standard.labels import Role
from policies.admission.documents import admission_documents
from sandbox.cluster import Cluster, ClusterCommands, Pod, cluster, items
from sandbox.offerings import ec2_of
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
    match = _WHERE.match(path.read_text(encoding="utf-8"))
    return (frozenset(match[1].split(", ")), match[2]) if match else None


OF_STACK = {
    stack: sorted(path for path in EXAMPLES.rglob("*.yaml") if (where := landing(path)) and where[1] == stack)
    for stack in ("dev", "prod")
}


def queued(stack: str) -> Settings:
    """The stack with its training namespace queued."""
    plain = yaml.safe_load(stack_file(stack).read_text(encoding="utf-8"))["config"][SETTINGS_KEY]
    for tenant in plain["tenants"]:
        for namespace in tenant["namespaces"]:
            if namespace["name"] == "ml-training":
                namespace["scheduling"] = "queued"
    plain["system_nodes"]["nodes"] = 4  # enough for Kueue as well
    return accepted(plain)


def test_every_workload_says_where_it_lands() -> None:
    declared = {path for paths in OF_STACK.values() for path in paths}
    assert set((EXAMPLES / "workloads").glob("*.yaml")) <= declared
    assert len(declared) >= 10


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
            kinds_of=(*rendered.documents, *(document for path in OF_STACK[stack] for document in documents(path))),
        ) as running,
        training_operator(running.plane, operator.command, manifests),
    ):
        running.apply_stack(rendered)
        running.apply(admission_documents(stack_view(settings), AdmissionMode.DENY))
        assert running.settle() == ()
        yield stack, settings, running


def test_every_example_is_accepted_and_lands_on_the_pool_that_it_names(
    guarded: tuple[str, Settings, Cluster], figures: Figures
) -> None:
    stack, settings, on = guarded
    on.apply(documents(EXAMPLES / "storage" / "classes.yaml"))
    for path in OF_STACK[stack]:
        before = {(pod.namespace, pod.name) for pod in on.pods()}
        on.apply(documents(path))
        until(lambda before=before: (new_pods := made(on, before)) != [] and on.settle() == () and placed(new_pods))
        pods = made(on, before)
        pool_of = {node.name: node.nodepool for node in on.nodes()}
        named = sorted((pool.name for pool in settings.pools), key=len, reverse=True)
        landed = {next(name for name in named if pool_of[str(pod.node)].startswith(name)) for pod in pods}
        where = landing(path)
        assert where is not None
        assert landed == where[0], path
        assert all(chiefs_alone(pods, pool_of, settings)), path
        waits = {space for space in queued_namespaces(settings) if any(pod.namespace == space for pod in pods)}
        assert {space for space in waits if not admitted(on, space)} == set(), f"{path} went past the queue"
        figures(f"{path.relative_to(EXAMPLES)}: {len(pods)} pods on {', '.join(sorted(landed))}")
        gone = on.plane.kubectl("delete", "--ignore-not-found", "--grace-period=0", "--force", "-f", str(path))
        assert gone.ok, gone.err


def chiefs_alone(pods: list[Pod], pool_of: Mapping[str, str], settings: Settings) -> Iterator[bool]:
    """For each pod of the training operator: whether it is on a pool of chiefs exactly when it is a chief."""
    chiefs = tuple(pool.name for pool in settings.pools if pool.role is Role.CHIEF)
    for pod in pods:
        part = pod.labels.get("training.kubeflow.org/replica-type")
        if part is not None:
            yield pool_of[str(pod.node)].startswith(chiefs) == (part == "chief")


def queued_namespaces(settings: Settings) -> set[str]:
    return {namespace.name for tenant in settings.tenants for namespace in teams.queued(tenant)}


def admitted(on: Cluster, namespace: str) -> bool:
    """Whether Kueue has admitted every workload of a namespace, and there is at least one."""
    workloads = items(on.plane.kubectl, WORKLOADS, "-n", namespace)
    conditions = [cast(Any, workload)["status"]["conditions"] for workload in workloads]
    return workloads != [] and all(
        any((condition["type"], condition["status"]) == ("Admitted", "True") for condition in of_workload)
        for of_workload in conditions
    )


def made(on: Cluster, before: set[tuple[str, str]]) -> list[Pod]:
    return [pod for pod in on.pods() if (pod.namespace, pod.name) not in before]


def placed(pods: list[Pod]) -> bool:
    return all(pod.node for pod in pods)


def documents(path: Path) -> list[Document]:
    return [cast(Document, document) for document in yaml.safe_load_all(path.read_text(encoding="utf-8")) if document]
