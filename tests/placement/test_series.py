"""What the real Karpenter exports of pools and nodes is no more than what is counted before there are any."""

from __future__ import annotations

import re
import urllib.request
from collections import Counter
from typing import Any

import pytest

from gpuplatform.accept import check_file
from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.render.monitoring.kept import kept
from gpuplatform.render.monitoring.stack import read_of_karpenter
from gpuplatform.settings.plan import plan
from sandbox.cluster import Cluster, items
from tests.figures import Figures
from tests.placement.conftest import ROOT

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

_SAMPLE = re.compile(r'^(\w+)\{(?:.*?,)?(name|nodepool)="([^"]*)"')


def exported(platform: Cluster, read: frozenset[str]) -> Counter[str]:
    """How many of the series that are read each NodePool and each NodeClaim has."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(platform.karpenter.metrics_url, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    found = (match for line in lines if (match := _SAMPLE.match(line)))
    return Counter(match[3] for match in found if match[1] in read)


def test_no_nodepool_and_no_node_brings_more_series_than_were_counted(platform: Cluster, figures: Figures) -> None:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    read = read_of_karpenter(settings)
    found = exported(platform, read)
    listed: Any = items(platform.plane.kubectl, "nodeclaims")
    claims = {str(each["metadata"]["name"]) for each in listed}
    planned = plan(settings.pools, settings.network.zones)
    of_node = kept(planned[0], read).per_node - len(counters()) * max(each.cards for each in planned[0].types)
    of_claims = {name: count for name, count in found.items() if name in claims}
    assert of_claims
    assert max(of_claims.values()) <= of_node
    for each in planned:
        assert 0 < found[each.name] <= kept(each, read).per_nodepool, each.name
    most = max(found[each.name] for each in planned)
    figures(f"real Karpenter: at most {most} series of a NodePool, {max(of_claims.values())} of a node")
