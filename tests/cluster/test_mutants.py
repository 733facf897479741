"""Mutants that the API server is expected to refuse instead of our rules: a real API server refuses them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from policies.subject import NAMESPACE, Plain, Subject
from sandbox.cloud.store import Properties
from sandbox.control_plane.api import Api
from sandbox.control_plane.control_plane import control_plane
from sandbox.control_plane.controllers import Commands
from sandbox.control_plane.crds import install_crds
from sandbox.errors import RefusedError
from sandbox.tools.module_files import CHART_CRDS, files_at_hand
from tests.figures import Figures
from tests.policies.mutants.corpus import Mutant, corpus
from tests.policies.mutants.sources import SOURCES, source
from tests.policies.mutants.table import Judge, shape_of
from tests.tiers import at_hand

_ADDRESS = (("metadata", "name"), ("metadata", "namespace"))
pytestmark = [pytest.mark.cluster, pytest.mark.xdist_group("cluster")]


def of_the_api_server() -> Iterator[Mutant]:
    """One mutant of each sort: kind, field and way. The three stacks have many mutants of the same sort."""
    seen: set[tuple[str, str, str, str]] = set()
    for name in SOURCES:
        for mutant in corpus(name)[0]:
            sort = (mutant.subject.kind, shape_of(mutant.path), mutant.way.value, repr(mutant.value))
            if mutant.expected is Judge.API_SERVER and sort not in seen:
                seen.add(sort)
                yield mutant


def whole(subject: Subject) -> Properties:
    """The object as it is applied."""
    kind: dict[str, Plain] = {"apiVersion": subject.api_version, "kind": subject.kind}
    return cast(Properties, kind | dict(subject.body))


@pytest.fixture
def api(commands: Commands, karpenter_crds: Path, tmp_path: Path) -> Iterator[Api]:
    """An API server of this test's own: the unbroken objects stay in it."""
    with control_plane(tmp_path, commands) as plane:
        install_crds(plane.api, karpenter_crds)
        for module_files in CHART_CRDS:
            install_crds(plane.api, at_hand("cluster", files_at_hand(module_files)))
        yield plane.api


def accepted(api: Api, document: Properties) -> bool:
    try:
        api.apply(document)
    except (RefusedError, KeyError, TypeError):
        return False
    return True


def test_what_is_left_to_the_api_server_it_refuses(api: Api, figures: Figures) -> None:
    spaces = [subject for name in SOURCES for subject in source(name).subjects if subject.is_a(NAMESPACE)]
    assert all(accepted(api, whole(space)) for space in spaces)
    mutants = tuple(of_the_api_server())
    unbroken = {id(mutant): accepted(api, whole(mutant.subject)) for mutant in mutants}
    # Mutants of the name or namespace are left out: they are other objects, which the server may accept.
    asked = [mutant for mutant in mutants if unbroken[id(mutant)] and mutant.path[:2] not in _ADDRESS]
    passed = [str(mutant) for mutant in asked if accepted(api, whole(mutant.broken))]

    assert passed == []
    assert len(asked) > 50
    kinds = {mutant.subject.kind for mutant in mutants if not unbroken[id(mutant)]}
    absent = ", ".join(sorted(kinds)) or "none"
    figures(f"mutants left to the API server: {len(asked)} sorts, all refused; kinds not served here: {absent}")
