from __future__ import annotations

import pytest

from gpuplatform.catalog.service_prices import HOURS_PER_MONTH, PricedService, gp3_usd_per_hour, service_prices


def test_every_service_has_one_price_with_a_source() -> None:
    assert set(service_prices()) == set(PricedService)
    for service_price in service_prices().values():
        assert service_price.usd_per_hour > 0
        assert service_price.source


def test_what_nobody_vouches_for_says_so() -> None:
    unverified = [service_price for service_price in service_prices().values() if not service_price.verified]
    assert all("no dated public copy" in service_price.source for service_price in unverified)


def test_a_volume_pays_for_what_is_above_its_baseline_alone() -> None:
    assert gp3_usd_per_hour(100) * HOURS_PER_MONTH == pytest.approx(8.0)
    assert gp3_usd_per_hour(100, 1000, 50) == gp3_usd_per_hour(100)
    assert gp3_usd_per_hour(500, 16000, 1000) * HOURS_PER_MONTH == pytest.approx(40 + 65 + 35)
