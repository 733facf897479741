from __future__ import annotations

import functools

import pytest

from gpuplatform.standard import keys
from tests.recorder import Recording, Registered, record
from tests.unit.components.builders import GIVEN, full_settings, node_pools

AWAITED = ("NodePool", "EC2NodeClass")
SETTINGS = full_settings()


@functools.cache
def made() -> Recording:
    return record(lambda: node_pools("po", SETTINGS))


def urns(resources: list[Registered]) -> set[str]:
    return {resource.urn for resource in resources}


def test_a_pool_waits_for_its_own_node_class_and_overlay_and_for_no_other_pools() -> None:
    recording = made()
    classes, overlays = recording.of("EC2NodeClass"), recording.of("NodeOverlay")
    assert len(classes) > 1
    assert overlays
    for pool in recording.of("NodePool"):
        name = pool.at("metadata", "name")
        used = pool.at("spec", "template", "spec", "nodeClassRef", "name")
        awaited = [registered for registered in classes if registered.at("metadata", "name") == used]
        awaited += [overlay for overlay in overlays if overlay.at("metadata", "name") == name]
        assert pool.depends_on & urns([*classes, *overlays]) == urns(awaited), pool.name


@pytest.mark.parametrize("kind", AWAITED)
def test_what_says_when_it_is_ready_is_awaited_and_its_deletion_has_an_end(kind: str) -> None:
    objects = made().of(kind)
    assert objects
    for registered in objects:
        assert registered.at("metadata", "annotations", keys.PULUMI_WAIT_FOR) == "condition=Ready"
        assert registered.request.customTimeouts.delete == "30m"


def test_an_overlay_is_not_awaited() -> None:
    for registered in made().of("NodeOverlay"):
        assert registered.at("metadata", "annotations") is None
        assert registered.request.customTimeouts.delete == ""


def test_everything_is_made_through_the_clusters_own_provider() -> None:
    recording = made()
    provider = recording.named(GIVEN).urn
    objects = [resource for resource in recording.resources if resource.type.startswith("kubernetes:")]
    assert {registered.request.provider.rsplit("::", 1)[0] for registered in objects} == {provider}


def test_the_documents_are_registered_as_they_were_rendered() -> None:
    pools = made().of("NodePool")
    assert [pool.name for pool in pools] == [f"po-nodepool-{pool.at('metadata', 'name')}" for pool in pools]
    assert all(pool.inputs["apiVersion"] == "karpenter.sh/v1" for pool in pools)
