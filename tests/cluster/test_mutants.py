"""Mutants that no rule of ours is expected to notice, because the API server does: shown to a real one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from policies.kinds import NAMESPACE
from policies.subject import Plain, Subject
from sandbox.cloud.api import Api
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.world import Properties
from sandbox.control_plane.commands import Commands
from sandbox.control_plane.control_plane import control_plane
from sandbox.control_plane.crds import install_crds
from sandbox.tools.module_files import CHART_CRDS, files_at_hand
from tests.figures import Figures
from tests.policies.mutants.corpus import Mutant, corpus
from tests.policies.mutants.sources import SOURCES, source
from tests.policies.mutants.table import Judge, shape_of
from tests.tiers import at_hand

_ADDRESS = (("metadata", "name"), ("metadata", "namespace"))
pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]


def of_the_api_server() -> Iterator[Mutant]:
    """One of each sort: kind, field, way; three stacks break the same field of many objects."""
    seen: set[tuple[str, str, str, str]] = set()
    for name in SOURCES:
        for each in corpus(name)[0]:
            sort = (each.subject.kind, shape_of(each.path), each.way.value, repr(each.value))
            if each.expected is Judge.API_SERVER and sort not in seen:
                seen.add(sort)
                yield each


def whole(subject: Subject) -> Properties:
    """The object as it is applied."""
    kind: dict[str, Plain] = {"apiVersion": subject.api_version, "kind": subject.kind}
    return cast(Properties, kind | dict(subject.body))


@pytest.fixture
def api(commands: Commands, karpenter_crds: Path, tmp_path: Path) -> Iterator[Api]:
    """An API server of this test's own: the unbroken objects stay in it."""
    with control_plane(tmp_path, commands) as plane:
        install_crds(plane.kubectl, karpenter_crds)
        for each in CHART_CRDS:
            install_crds(plane.kubectl, at_hand("cluster", files_at_hand(each)))
        yield Api(plane.kubeconfig.read_text(encoding="utf-8"), threading.Event())


def accepted(api: Api, document: Properties) -> bool:
    try:
        api.apply(document)
    except (RefusedError, KeyError, TypeError):
        return False
    return True


def test_what_is_left_to_the_api_server_it_refuses(api: Api, figures: Figures) -> None:
    spaces = [each for name in SOURCES for each in source(name).subjects if each.is_a(NAMESPACE)]
    assert all(accepted(api, whole(each)) for each in spaces)
    mutants = tuple(of_the_api_server())
    unbroken = {id(each): accepted(api, whole(each.subject)) for each in mutants}
    # Under another name or in another namespace it is another object, whatever the server says.
    asked = [each for each in mutants if unbroken[id(each)] and each.path[:2] not in _ADDRESS]
    passed = [str(each) for each in asked if accepted(api, whole(each.broken))]

    assert passed == []
    assert len(asked) > 50
    kinds = {each.subject.kind for each in mutants if not unbroken[id(each)]}
    absent = ", ".join(sorted(kinds)) or "none"
    figures(f"mutants left to the API server: {len(asked)} sorts, all refused; kinds not served here: {absent}")
