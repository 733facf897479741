import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from gpuplatform.standard import versions
from gpuplatform.standard.versions import KUBERNETES_SUPPORTED, Pin

ROOT = Path(__file__).parents[3]
SOURCE = Path(versions.__file__).read_text()
EVERY_PIN = {pin for minor in KUBERNETES_SUPPORTED for pin in versions.all_pins(minor)}
ADDONS = {
    "vpc-cni",
    "kube-proxy",
    "coredns",
    "eks-pod-identity-agent",
    "aws-ebs-csi-driver",
    "eks-node-monitoring-agent",
    "metrics-server",
}


def renovate_pattern() -> re.Pattern[str]:
    """The expression that Renovate looks for, in Python's spelling of named groups."""
    block = re.search(r"matchStrings: \[\s*(\".*\"),\s*\]", (ROOT / "renovate.json5").read_text())
    assert block is not None
    pattern: object = json.loads(block.group(1))
    assert isinstance(pattern, str)
    return re.compile(pattern.replace("(?<", "(?P<"))


@pytest.mark.parametrize("pin", sorted(EVERY_PIN, key=repr), ids=lambda pin: f"{pin.name}-{pin.version}")
def test_every_pin_names_a_public_source_with_its_date(pin: Pin) -> None:
    assert re.search(r"\b2026-\d\d-\d\d\b", pin.source)
    assert "/" in pin.source or not pin.verified


@pytest.mark.parametrize("pin", sorted(EVERY_PIN, key=repr), ids=lambda pin: f"{pin.name}-{pin.version}")
def test_a_pin_is_one_exact_version_and_follows_no_moving_tag(pin: Pin) -> None:
    assert re.fullmatch(r"v?\d+(\.\d+)*(-eksbuild\.\d+|-\d{8})?", pin.version)


def test_renovate_finds_every_pin_by_the_comment_in_front_of_it() -> None:
    matched = [match["currentValue"] for match in renovate_pattern().finditer(SOURCE)]
    written = re.findall(r"[=:] Pin\(", SOURCE)
    assert len(matched) == len(written)
    assert set(matched) == {pin.version for pin in EVERY_PIN} - {
        versions.node_release(minor).version for minor in KUBERNETES_SUPPORTED
    }


@pytest.mark.parametrize("minor", KUBERNETES_SUPPORTED)
def test_managed_nodes_start_from_the_image_release_that_karpenters_start_from(minor: str) -> None:
    kubelet, date = versions.node_release(minor).version.split("-")
    assert kubelet.startswith(f"{minor}.")
    assert f"v{date}" == versions.AL2023_IMAGE.version
    assert versions.node_release(minor) in versions.all_pins(minor)


def test_a_minor_without_a_node_image_is_refused_with_those_that_have_one() -> None:
    with pytest.raises(LookupError, match=r"1\.32.*1\.33, 1\.34, 1\.35, 1\.36"):
        versions.node_release("1.32")


def test_renovate_asks_for_an_add_on_by_its_name_and_the_minor_it_is_for() -> None:
    asked = {
        (match["depName"], match["currentValue"]): match["kubernetes"]
        for match in renovate_pattern().finditer(SOURCE)
        if match["datasource"] == "aws-eks-addon"
    }
    assert {name for name, _ in asked} == ADDONS
    assert all(version.startswith(f"v{minor}.") for (name, version), minor in asked.items() if name == "kube-proxy")


def test_renovate_asks_the_repository_that_the_chart_is_installed_from() -> None:
    asked: dict[str, str] = {}
    for match in renovate_pattern().finditer(SOURCE):
        if match["datasource"] == "helm":
            asked[match["depName"]] = match["registryUrl"]
        if match["datasource"] == "docker":
            asked[match["depName"].rsplit("/")[-1]] = f"oci://{match['depName']}"
    installed = {chart.name: chart.repository for chart in versions.CHARTS.values() if chart.name != "karpenter-crd"}
    assert asked == installed


@pytest.mark.parametrize("minor", KUBERNETES_SUPPORTED)
def test_every_supported_minor_has_every_add_on_under_its_own_name(minor: str) -> None:
    pinned = versions.addons(minor)
    assert set(pinned) == ADDONS
    assert all(name == pin.name for name, pin in pinned.items())
    assert pinned["kube-proxy"].version.startswith(f"v{minor}.")


def test_a_minor_that_is_not_supported_is_refused_with_those_that_are() -> None:
    with pytest.raises(LookupError, match=r"1\.32.*1\.33, 1\.34, 1\.35, 1\.36"):
        versions.addons("1.32")


def test_the_minor_a_stack_gets_by_default_is_a_supported_one() -> None:
    assert versions.KUBERNETES.version in KUBERNETES_SUPPORTED


def test_karpenter_and_its_crds_are_the_same_version() -> None:
    assert versions.CHARTS["karpenter"].pin is versions.CHARTS["karpenter-crd"].pin


def test_every_chart_is_had_over_https_or_oci_and_an_oci_address_ends_in_the_chart() -> None:
    for chart in versions.CHARTS.values():
        assert chart.repository.startswith(("https://", "oci://"))
        assert chart.repository.startswith("https://") or chart.repository.endswith(f"/{chart.name}")


def test_a_pin_appears_once_among_all_pins() -> None:
    names = [pin.name for pin in versions.all_pins()]
    assert len(names) == len(set(names))


def test_unverified_lists_exactly_what_is_marked() -> None:
    assert [pin.name for pin in versions.unverified()] == ["eks-node-monitoring-agent"]
    for minor in KUBERNETES_SUPPORTED:
        marked = {pin for pin in versions.all_pins(minor) if not pin.verified}
        assert set(versions.unverified(minor)) == marked


def test_a_version_named_for_one_minor_is_unverified_on_another() -> None:
    named = versions.addons("1.35")["metrics-server"]
    elsewhere = versions.addons("1.34")["metrics-server"]
    assert named.verified
    assert not elsewhere.verified
    assert "1.34" in elsewhere.source
    assert replace(elsewhere, source=named.source, verified=True) == named
