"""The rules by number of objects: the pack over the engine's protocol, `lint` as a command, a peer beside it."""

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
    """So many of what a stack of many pools and teams makes: every kind in its share, none twice."""
    sizes = itertools.count(OBJECTS // 20, OBJECTS // 20)
    for size in sizes:
        made = render(accepted({**with_pools(size), "tenants": with_tenants(size)["tenants"]})).documents
        if len(made) >= OBJECTS:
            return list(made[:: len(made) // OBJECTS][:OBJECTS])
    raise AssertionError("a larger stack has more objects")


def judged_by_the_pack() -> None:
    """Each resource and then all together, as the engine asks, of a pack that has started."""
    documents = objects()
    single, together = [resource_request(each) for each in documents], stack_request(documents)
    with started_pack() as pack:
        asks = cast("Mapping[str, Callable[[Message], Message]]", vars(pack.stub))

        def once() -> float:
            begun = time.perf_counter()
            for each in single:
                asks["Analyze"](each)
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
    """`lint` over files of one object each: workloads of teams, and NodePools beside the peer."""
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
    found = at_hand(CONFTEST)
    if found is None:
        print("\nThe peer is left out: python -m sandbox.tools bench builds it, once")
        return
    command = [str(found.command), "test", "--no-color", "--policy", str(_PEER)]
    _judges(command)

    def ours() -> float:
        return timed([sys.executable, "-m", "tests.bench.peer.ours", str(pools)], variables).seconds

    def peer() -> float:
        return timed([*command, str(pools)], variables).seconds

    def each_once() -> tuple[float, float, float]:
        return ours(), peer(), lint(pools)

    each_once()
    runs = [each_once() for _ in range(RUNS)]
    labels, theirs, whole = (middle([run[side] for run in runs]) for side in range(3))
    show(
        f"{OBJECTS} NodePools, medians of {RUNS}, runs interleaved, start-up included",
        ["", "wall s", "ms an object", "ratio"],
        [
            _row("ours, completeness of labels alone", labels, middle([run[0] / run[1] for run in runs])),
            _row(f"conftest {found.version}, the same", theirs, 1.0),
            _row("gpuplatform lint, every rule", whole, middle([run[2] / run[1] for run in runs])),
        ],
        ["target: ours no slower per object, which is a ratio of 1 or less"],
    )


def _row(what: str, seconds: float, ratio: float) -> list[str]:
    return [what, f"{seconds:.2f}", f"{1000 * seconds / OBJECTS:.2f}", f"{ratio:.2f}"]


def _judges(command: list[str]) -> None:
    """The peer's rules refuse what ours would, or the comparison is with nothing; SystemExit where they do not."""
    broken = yaml.safe_load(yaml.safe_dump(next(_nodepools())))
    labels: dict[str, str] = broken[_LABELS[0]][_LABELS[1]][_LABELS[2]][_LABELS[3]]
    del labels["gpu.model"]
    said = subprocess.run([*command, "-"], input=yaml.safe_dump(broken), capture_output=True, text=True, check=False)
    if said.returncode == 0 or "add the label gpu.model" not in said.stdout:
        raise SystemExit(f"the peer does not judge: {said.stdout}{said.stderr}")


def _workloads() -> Iterator[Document]:
    """So many objects of the examples, again and again, each time in namespaces of their own."""
    files = sorted((places.PROJECT / "examples" / "workloads").glob("*.yaml"))
    made: list[Document] = [each for path in files for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))]
    for number in range(OBJECTS):
        document = made[number % len(made)]
        metadata = cast("dict[str, object]", document["metadata"])
        namespace = f"{metadata['namespace']}-{number // len(made)}"
        yield {**document, "metadata": {**metadata, "namespace": namespace}}


def _nodepools() -> Iterator[Document]:
    """So many GPU NodePools under names of their own."""
    made = render(accepted(with_pools(OBJECTS // 5))).node_pools
    for number in range(OBJECTS):
        document = made[number % len(made)]
        yield {**document, "metadata": {"name": f"pool-{number}"}}


def _written(folder: Path, documents: Iterator[Document]) -> Path:
    """A file each; the folder."""
    folder.mkdir()
    for number, document in enumerate(documents):
        (folder / f"{number:04}.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return folder
