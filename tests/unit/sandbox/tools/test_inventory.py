from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.sandbox import sandbox
from sandbox.tools import inventory
from sandbox.tools.inventory import ROWS, Availability, Row, rows_of
from sandbox.tools.table import KUBE_APISERVER, TOOLS, Accepts, Tier


def names(*asked: str) -> list[str]:
    return [row.name for row in rows_of(asked)]


def test_a_tier_stands_for_all_that_it_needs() -> None:
    assert names("cluster") == [
        "kube-apiserver",
        "etcd",
        "kubectl",
        "helm",
        "karpenter-crds",
        "prometheus-crds",
        "keda-crds",
        "kueue-crds",
        "sarif-schema",
    ]


def test_names_and_tiers_mix_and_nothing_comes_twice() -> None:
    assert names("kwok", "etcd", "cluster").count("etcd") == 1
    assert names("kwok", "etcd") == ["etcd", "kwok"]


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    with pytest.raises(LookupError, match=r"'minikube'.*cluster.*kube-apiserver"):
        rows_of(("minikube", "etcd"))


def test_every_name_is_there_once() -> None:
    every = [row.name for row in ROWS] + list(Tier)
    assert len(every) == len(set(every))


def test_what_is_built_would_be_accepted_on_path_too() -> None:
    for tool in TOOLS:
        stamped = re.findall(r"[vV]ersion=v?([\d.]+)", " ".join(tool.build_flags))
        assert tool.accepts.fits(stamped[0] if stamped else tool.version), tool.name


def test_every_kubernetes_row_is_stamped_with_the_version_that_it_is() -> None:
    kubernetes = [tool for tool in TOOLS if tool.module == KUBE_APISERVER.module]
    assert len(kubernetes) == 4
    for tool in kubernetes:
        assert f"gitVersion={tool.version}" in tool.build_flags[0]
        assert tool.staging_version == tool.version.replace("v1.", "v0.")


@pytest.mark.parametrize(
    ("printed", "fits"),
    [("Kubernetes v1.35.0", True), ("Kubernetes v1.35.9", True), ("v1.36.0", False), ("v1.34.9", False), ("", False)],
)
def test_an_api_server_must_be_of_the_same_minor_version(printed: str, *, fits: bool) -> None:
    assert KUBE_APISERVER.accepts.fits(printed) is fits


def test_what_is_accepted_can_be_said() -> None:
    assert Accepts((1, 35, 0), below=(1, 36, 0)).in_words() == "1.35.0 or newer, below 1.36.0"


def test_the_list_says_where_each_is_or_how_it_is_had(monkeypatch: pytest.MonkeyPatch) -> None:
    def there(row: Row) -> Availability | None:
        return Availability(Path("/opt/etcd"), "3.6.5", "PATH") if row.name == "etcd" else None

    monkeypatch.setattr(inventory, "availability", there)
    result = CliRunner().invoke(sandbox, ["tools"])
    lines = {line.split()[0]: line for line in result.output.splitlines()}
    assert result.exit_code == 0
    assert {row.name for row in ROWS} <= lines.keys()
    assert "3.6.5      PATH: /opt/etcd" in lines["etcd"]
    assert "missing: `make tools` builds it in about 3.5 min" in lines["kube-apiserver"]
    assert "missing: `make tools` fetches it" in lines["karpenter-crds"]
    assert "missing: `make tools` builds it in about 1.5 min" in lines["kwok"]
