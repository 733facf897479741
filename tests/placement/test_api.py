"""The requests of the Kubernetes stand-in to a real API server, and how it handles the answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import cast

import pytest

from gpuplatform.render.document import kubernetes_object
from gpuplatform.render.monitoring.values import DEFINITIONS_CHART, definition_values
from gpuplatform.standard.versions import CHARTS
from sandbox.cloud.cluster import ClusterService
from sandbox.cloud.store import Properties, Store
from sandbox.control_plane.api import Api
from sandbox.control_plane.control_plane import ControlPlane
from sandbox.errors import RefusedError
from sandbox.tools.module_files import PROMETHEUS_CRDS, files_at_hand
from tests.tiers import at_hand

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

URN = "urn:pulumi:dev::gpu-platform::kubernetes:core/v1:ConfigMap::guide"
TOKEN = "kubernetes:core/v1:ConfigMap"


def config_map(name: str = "guide", **data: str) -> Properties:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": dict(data)}


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.fixture
def api(control: ControlPlane, stop: threading.Event) -> Iterator[Api]:
    with closing(Api(control.kubeconfig.read_text(encoding="utf-8"), stop)) as made:
        yield made


@pytest.fixture
def service(control: ControlPlane, api: Api, tmp_path: Path) -> Iterator[ClusterService]:
    yield ClusterService.of(Store(tmp_path / "world.db"), api, control.folder)
    control.api.delete_all([config_map()], 60)


def test_what_is_made_is_there_and_what_is_deleted_is_gone(service: ClusterService, api: Api) -> None:
    entry = service.create(URN, TOKEN, config_map(one="1"))
    place = api.place(config_map())
    assert str(place) == "ConfigMap default/guide"
    live = api.read(place)
    assert live is not None
    assert live["data"] == {"one": "1"}
    assert service.world.find(TOKEN, "default/guide") is not None
    service.delete(entry)
    assert api.read(place) is None
    assert service.world.find(TOKEN, "default/guide") is None


def test_what_is_no_longer_said_is_taken_away(service: ClusterService, api: Api) -> None:
    entry = service.create(URN, TOKEN, config_map(one="1", two="2"))
    service.update(entry, config_map(two="2"))
    live = api.read(api.place(config_map()))
    assert live is not None
    assert live["data"] == {"two": "2"}


def test_an_object_that_somebody_else_made_is_not_taken_over(service: ClusterService, control: ControlPlane) -> None:
    control.api.put(config_map())
    with pytest.raises(RefusedError, match='ConfigMap "guide" already exists'):
        service.create(URN, TOKEN, config_map(one="1"))


def test_an_object_that_an_interrupted_run_left_is_gone_on_with(service: ClusterService, api: Api) -> None:
    api.apply(config_map(one="1"))
    assert service.create(URN, TOKEN, config_map(one="1")).id == "default/guide"


def test_a_field_that_somebody_else_changed_is_a_conflict(service: ClusterService, control: ControlPlane) -> None:
    entry = service.create(URN, TOKEN, config_map(one="1"))
    control.api.put(config_map(one="2"))
    with pytest.raises(RefusedError, match="conflict"):
        service.update(entry, config_map(one="3"))


def test_a_kind_that_the_server_does_not_know_and_a_misspelt_field_are_said(api: Api) -> None:
    unknown: Properties = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": {"name": "a"}}
    with pytest.raises(RefusedError, match='no matches for kind "ClusterQueue"'):
        api.place(unknown)
    with pytest.raises(RefusedError, match=r"\.dta: field not declared in schema"):
        api.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "guide"}, "dta": {}})


def test_a_wait_ends_when_the_engine_is_told_to_stop(api: Api, stop: threading.Event) -> None:
    stop.set()
    with pytest.raises(RefusedError, match="interrupted"):
        api.wait(lambda: False, 60)


def test_a_server_that_is_away_is_said_with_its_address(stop: threading.Event, control: ControlPlane) -> None:
    elsewhere = control.kubeconfig.read_text(encoding="utf-8").replace(control.access.url, "https://127.0.0.1:1")
    stop.set()
    with pytest.raises(RefusedError, match="interrupted while waiting for the API server"):
        Api(elsewhere, stop).place(config_map())


def test_definitions_outlast_a_release_that_keeps_them_and_no_other(service: ClusterService, api: Api) -> None:
    at_hand("placement", files_at_hand(PROMETHEUS_CRDS))
    chart = CHARTS[DEFINITIONS_CHART]
    inputs: Properties = {
        "name": chart.name,
        "chart": chart.name,
        "version": chart.pin.version,
        "namespace": chart.namespace,
        "takeOwnership": True,
    }
    kind = "CustomResourceDefinition"
    name = "servicemonitors.monitoring.coreos.com"
    definition = api.place(kubernetes_object("apiextensions.k8s.io/v1", kind, name))
    left: list[bool] = []
    for values in (definition_values(), {}):
        entry = service.create(URN, "kubernetes:helm.sh/v3:Release", {**inputs, "values": cast(Properties, values)})
        service.delete(entry)
        left.append(api.read(definition) is not None)
    assert left == [True, False]
