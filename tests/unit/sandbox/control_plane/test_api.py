"""How answers of an API server are understood, and when it is asked again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from gpuplatform.render.document import kubernetes_object
from sandbox.control_plane.api import Api
from sandbox.errors import RefusedError
from tests.unit.sandbox.control_plane.api_server import ApiServer, api_server

PATH = "/api/v1/namespaces/default/configmaps/guide"
GUIDE = kubernetes_object("v1", "ConfigMap", "guide", data={"one": "1"})


@pytest.fixture
def server() -> Iterator[ApiServer]:
    with api_server() as running:
        yield running


@pytest.fixture
def api(server: ApiServer) -> Iterator[Api]:
    with closing(Api(server.kubeconfig())) as made:
        yield made


def test_an_object_is_applied_read_and_removed_by_its_document(server: ApiServer, api: Api) -> None:
    api.apply(GUIDE)
    place = api.place(GUIDE)
    assert str(place) == "ConfigMap default/guide"
    assert (api.read(place) or {})["data"] == {"one": "1"}
    api.delete(place, 5)
    assert api.read(place) is None
    api.remove(place)  # once more is no error
    applied = next(query for method, path, query in server.asked if (method, path) == ("PATCH", PATH))
    assert applied == {"fieldManager": "pulumi-kubernetes"}
    assert {"propagationPolicy": "Foreground"} in [query for _, _, query in server.asked]


def test_the_sandbox_takes_fields_over_and_a_dry_run_is_asked_for(server: ApiServer, api: Api) -> None:
    api.put(GUIDE, dry_run=True)
    assert server.asked[-1] == ("PATCH", PATH, {"fieldManager": "gpu-platform", "force": "true", "dryRun": "All"})


def test_the_items_of_a_list_are_documents_of_their_kind(server: ApiServer, api: Api) -> None:
    api.put(GUIDE)
    (item,) = api.items("v1", "ConfigMap", "default", labels={"a": "b", "c": None}, fields={"metadata.name": "guide"})
    assert (item["apiVersion"], item["kind"]) == ("v1", "ConfigMap")
    query = {"labelSelector": "a=b,c", "fieldSelector": "metadata.name=guide"}
    assert server.asked[-1] == ("GET", "/api/v1/namespaces/default/configmaps", query)


def test_a_kind_that_the_server_does_not_know_is_refused_and_asked_for_anew(server: ApiServer, api: Api) -> None:
    for version, kind in (("v1", "Guide"), ("kueue.x-k8s.io/v1beta2", "Workload")):
        assert not api.serves(version, kind)
        with pytest.raises(RefusedError, match=f'no matches for kind "{kind}" in version "{version}"'):
            api.items(version, kind)
    before = len(server.asked)
    assert not api.serves("v1", "Guide")
    assert len(server.asked) == before + 1


def test_every_refusal_is_told_and_the_other_documents_are_applied(server: ApiServer, api: Api) -> None:
    api.serves("v1", "ConfigMap")
    server.refuse(422, 'ConfigMap "one" is invalid')
    server.refuse(404, 'namespaces "nowhere" not found')
    with pytest.raises(RefusedError) as refused:
        api.put_all([GUIDE, GUIDE, GUIDE])
    assert refused.value.messages == ('ConfigMap "one" is invalid', 'namespaces "nowhere" not found')
    assert list(server.objects) == [PATH]


def test_a_busy_server_is_asked_again(server: ApiServer, api: Api) -> None:
    api.put(GUIDE)
    server.instead += [(503, "text/plain", b"starting"), (429, "text/plain", b"too many requests")]
    assert api.read(api.place(GUIDE)) is not None


def test_a_server_that_is_away_is_named_once_for_many_documents(
    server: ApiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.control_plane.api._PATIENCE_SECONDS", 0.3)
    elsewhere = server.kubeconfig().replace(str(server.server_port), "1")
    with closing(Api(elsewhere)) as away, pytest.raises(RefusedError) as refused:
        away.put_all([GUIDE, GUIDE])
    assert len(refused.value.messages) == 1
    assert "the API server does not answer at http://127.0.0.1:1" in str(refused.value)


def test_a_cancelled_wait_ends(server: ApiServer) -> None:
    stop = threading.Event()
    stop.set()
    with closing(Api(server.kubeconfig(), stop)) as api, pytest.raises(RefusedError, match="interrupted"):
        api.wait(lambda: False, 60)


def test_an_object_that_stays_is_named_with_its_finalizers(server: ApiServer, api: Api) -> None:
    held = kubernetes_object("v1", "ConfigMap", "held")
    held["metadata"] = {"name": "held", "finalizers": ["example.org/held"]}
    api.put(held)
    server.refuse(200, "accepted, and the object stays")
    with pytest.raises(RefusedError, match=r"ConfigMap default/held is not gone .* finalizers: \['example.org/held'\]"):
        api.delete(api.place(held), 0.1)


@pytest.mark.slow  # hundreds of requests
def test_threads_share_one_client(server: ApiServer, api: Api) -> None:
    documents = [kubernetes_object("v1", "ConfigMap", f"guide-{number}") for number in range(16)]
    with ThreadPoolExecutor(16) as threads:
        made = list(threads.map(api.put, documents))
    assert len(made) == len(server.objects) == 16
    assert len({api.place(one).resource for one in documents}) == 1


def test_the_proxies_of_the_environment_are_not_used(server: ApiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with closing(Api(server.kubeconfig())) as api:
        assert api.serves("v1", "ConfigMap")
        assert api.put(GUIDE)
