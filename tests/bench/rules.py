"""The time of the rules over many objects: the pack over the engine's protocol, and `lint` compared with a peer."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import yaml
from google.protobuf.message import Message

from gpuplatform.accept import accepted
from gpuplatform.render.document import Document
from gpuplatform.render.stack import render
from sandbox import places
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import CONFTEST
from tests.bench.child import timed
from tests.bench.sizes import with_pools, with_tenants
from tests.bench.table import RUNS, middle, show
from tests.policies.analyzer import started_pack
from tests.policies.harness import resource_request, stack_request

OBJECTS = 1000
PACK_SECONDS, LINT_SECONDS = 2, 3
_PEER = Path(__file__).parent / "peer"
_LABELS = ("spec", "template", "metadata", "labels")


def objects() -> list[Document]:
    """Objects of a stack of many pools and teams: every kind in its proportion, no object twice."""
    sizes = itertools.count(OBJECTS // 20, OBJECTS // 20)
    for size in sizes:
        made = render(accepted({**with_pools(size), "tenants": with_tenants(size)["tenants"]})).documents
        if len(made) >= OBJECTS:
            return list(made[:: len(made) // OBJECTS][:OBJECTS])
    raise AssertionError("a larger stack has more objects")


def judged_by_the_pack() -> None:
    """Measure the checks of each resource and then of the whole stack, as the engine asks a running pack."""
    documents = objects()
    single, together = [resource_request(document) for document in documents], stack_request(documents)
    with started_pack() as pack:
        asks = cast("Mapping[str, Callable[[Message], Message]]", vars(pack.stub))

        def once() -> float:
            begun = time.perf_counter()
            for analyze_request in single:
                asks["Analyze"](analyze_request)
            asks["AnalyzeStack"](together)
            return time.perf_counter() - begun

        once()
        seconds = middle([once() for _ in range(RUNS)])
    show(
        f"The pack over {len(documents)} resources through the analyzer's protocol, median of {RUNS}",
        ["", "figure", "target"],
        [["seconds", f"{seconds:.2f}", f"< {PACK_SECONDS}"], ["ms a resource", f"{1000 * seconds / OBJECTS:.2f}", ""]],
    )


def linted(folder: Path, variables: Mapping[str, str]) -> None:
    """Measure `lint` over files of one object each: teams' workloads, and NodePools compared with the peer."""
    gpuplatform = str(Path(sys.executable).parent / "gpuplatform")

    def lint(among: Path) -> float:
        return timed([gpuplatform, "lint", str(among)], variables).seconds

    workloads = _written(folder / "workloads", _workloads())
    lint(workloads)
    show(
        f"gpuplatform lint over {OBJECTS} of the example workloads in a fresh process, median of {RUNS}",
        ["", "figure", "target"],
        [["wall s", f"{middle([lint(workloads) for _ in range(RUNS)]):.2f}", f"< {LINT_SECONDS}"]],
    )
    _beside_the_peer(_written(folder / "pools", _nodepools()), lint, variables)


def _beside_the_peer(pools: Path, lint: Callable[[Path], float], variables: Mapping[str, str]) -> None:
    conftest = at_hand(CONFTEST)
    if conftest is None:
        print("\nThe comparison with conftest is left out: python -m sandbox.tools bench builds conftest once")
        return
    command = [str(conftest.command), "test", "--no-color", "--policy", str(_PEER)]
    _judges(command)

    def ours() -> float:
        return timed([sys.executable, "-m", "tests.bench.peer.ours", str(pools)], variables).seconds

    def peer() -> float:
        return timed([*command, str(pools)], variables).seconds

    def one_round() -> tuple[float, float, float]:
        return ours(), peer(), lint(pools)

    one_round()
    runs = [one_round() for _ in range(RUNS)]
    labels, theirs, whole = (middle([run[side] for run in runs]) for side in range(3))
    show(
        f"{OBJECTS} NodePools, medians of {RUNS}, runs interleaved, start-up included",
        ["", "wall s", "ms an object", "ratio"],
        [
            _row("ours, only completeness of labels", labels, middle([run[0] / run[1] for run in runs])),
            _row(f"conftest {conftest.version}, the same", theirs, 1.0),
            _row("gpuplatform lint, every rule", whole, middle([run[2] / run[1] for run in runs])),
        ],
        ["target: ours no slower per object, which is a ratio of 1 or less"],
    )


def _row(what: str, seconds: float, ratio: float) -> list[str]:
    return [what, f"{seconds:.2f}", f"{1000 * seconds / OBJECTS:.2f}", f"{ratio:.2f}"]


def _judges(command: list[str]) -> None:
    """Check that the peer refuses a broken NodePool as our rule does. Raises SystemExit where it does not."""
    broken = yaml.safe_load(yaml.safe_dump(next(_nodepools())))
    labels: dict[str, str] = broken[_LABELS[0]][_LABELS[1]][_LABELS[2]][_LABELS[3]]
    del labels["gpu.model"]
    answer = subprocess.run([*command, "-"], input=yaml.safe_dump(broken), capture_output=True, text=True, check=False)
    if answer.returncode == 0 or "add the label gpu.model" not in answer.stdout:
        raise SystemExit(f"conftest does not refuse a broken NodePool: {answer.stdout}{answer.stderr}")


def _workloads() -> Iterator[Document]:
    """The objects of the examples, repeated in namespaces of their own."""
    files = sorted((places.PROJECT / "examples" / "workloads").glob("*.yaml"))
    made: list[Document] = [
        document for path in files for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
    ]
    for number in range(OBJECTS):
        document = made[number % len(made)]
        metadata = cast("dict[str, object]", document["metadata"])
        namespace = f"{metadata['namespace']}-{number // len(made)}"
        yield {**document, "metadata": {**metadata, "namespace": namespace}}


def _nodepools() -> Iterator[Document]:
    """GPU NodePools under names of their own."""
    made = [documents.node_pool for documents in render(accepted(with_pools(OBJECTS // 5))).node_pools]
    for number in range(OBJECTS):
        document = made[number % len(made)]
        yield {**document, "metadata": {"name": f"pool-{number}"}}


def _written(folder: Path, documents: Iterator[Document]) -> Path:
    """Write each document to a file; returns their folder."""
    folder.mkdir()
    for number, document in enumerate(documents):
        (folder / f"{number:04}.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return folder
