"""The real Karpenter exports no more series of a NodePool and of a node than the plan counts beforehand."""

from __future__ import annotations

import re
import urllib.request
from collections import Counter
from typing import Any

import pytest

from gpuplatform.accept import check_file
from gpuplatform.catalog.dcgm_counters import counters
from gpuplatform.plan.node_pools import plan
from gpuplatform.render.monitoring.scraping import kept
from gpuplatform.render.monitoring.stack import read_of_karpenter
from sandbox.cluster import Cluster
from tests.figures import Figures
from tests.placement.conftest import ROOT

pytestmark = [pytest.mark.placement, pytest.mark.xdist_group("placement")]

_SAMPLE = re.compile(r'^(\w+)\{(?:.*?,)?(name|nodepool)="([^"]*)"')


def exported(platform: Cluster, read: frozenset[str]) -> Counter[str]:
    """The number of series of each NodePool and NodeClaim, among those that the monitoring reads."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(platform.karpenter.metrics_url, timeout=30) as answer:
        lines = answer.read().decode().splitlines()
    matches = (match for line in lines if (match := _SAMPLE.match(line)))
    return Counter(match[3] for match in matches if match[1] in read)


def test_no_nodepool_and_no_node_brings_more_series_than_were_counted(platform: Cluster, figures: Figures) -> None:
    settings = check_file(ROOT / "Pulumi.dev.yaml").settings
    assert settings is not None
    read = read_of_karpenter(settings)
    counts = exported(platform, read)
    listed: Any = platform.items("karpenter.sh/v1", "NodeClaim")
    claims = {str(claim["metadata"]["name"]) for claim in listed}
    planned = plan(settings.pools, settings.network.zones)
    of_node = kept(planned[0], read).per_node - len(counters()) * max(
        instance_type.cards for instance_type in planned[0].types
    )
    of_claims = {name: count for name, count in counts.items() if name in claims}
    assert of_claims
    assert max(of_claims.values()) <= of_node
    for node_pool in planned:
        assert 0 < counts[node_pool.name] <= kept(node_pool, read).per_nodepool, node_pool.name
    most = max(counts[node_pool.name] for node_pool in planned)
    figures(f"real Karpenter: at most {most} series of a NodePool, {max(of_claims.values())} of a node")
