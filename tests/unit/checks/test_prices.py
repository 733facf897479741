import pytest

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import settings_object


def _prices(*prices: tuple[str, float]) -> list[tuple[str, str, bool]]:
    overrides: list[Plain] = [
        {"instance_type": name, "usd_per_hour": usd, "source": "our contract, 2026-01-01"} for name, usd in prices
    ]
    loaded = examine(settings_object(cost={"prices": overrides}))
    return [(fault.path, fault.given, loaded.settings is None) for fault in loaded.faults]


def test_a_price_of_an_unknown_type_is_refused() -> None:
    assert _prices(("g6.xlargee", 1.0)) == [("cost.prices[g6.xlargee]", "g6.xlargee", True)]


def test_two_prices_of_one_type_are_refused() -> None:
    (fault, *others) = _prices(("p5e.48xlarge", 1.0), ("p5e.48xlarge", 2.0))
    assert fault == ("cost.prices[p5e.48xlarge]", "2 prices", True)
    assert all(path == "cost.prices[p5e.48xlarge]" for path, _, _ in others)


def test_a_price_that_replaces_a_list_price_is_said_with_both() -> None:
    ((path, given, refused),) = _prices(("g6.xlarge", 0.01))
    assert (path, refused) == ("cost.prices[g6.xlarge]", False)
    assert given == "$0.0100 an hour, in place of the list price $0.8048"


@pytest.mark.parametrize("usd", [0.8048])
def test_a_price_that_equals_the_list_price_is_not_worth_a_word(usd: float) -> None:
    assert _prices(("g6.xlarge", usd)) == []
