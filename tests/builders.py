"""Settings for tests: valid by default; a test overrides the part that it is about."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Iterable
from pathlib import Path

from gpuplatform import accept
from gpuplatform.faults import Fault
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain

ROOT = Path(__file__).parents[1]
STACKS = ("dev", "prod", "staging")
"""The environments of the repository, each a ``Pulumi.<stack>.yaml``."""

ZONES = ("us-east-1a", "us-east-1b")
"""The zones of ``settings_object``, by name."""
ZONES_WITH_IDS: tuple[dict[str, Plain], ...] = (
    {"name": "us-east-1a", "id": "use1-az6"},
    {"name": "us-east-1b", "id": "use1-az1"},
)


def merged(base: dict[str, Plain], overrides: dict[str, Plain]) -> dict[str, Plain]:
    """A copy of the base with the overrides: mappings are merged, everything else is replaced."""
    result = copy.deepcopy(base)
    for key, value in overrides.items():
        below = result.get(key)
        if isinstance(below, dict) and isinstance(value, dict):
            result[key] = merged(below, value)
        else:
            result[key] = copy.deepcopy(value)
    return result


def a_pool(**overrides: Plain) -> dict[str, Plain]:
    """An elastic inference pool of L4 cards."""
    base: dict[str, Plain] = {
        "name": "serve",
        "purpose": "infer",
        "cards": [a_card()],
    }
    return merged(base, overrides)


def a_card(
    card: str = "L4-24GB", types: Iterable[str] = ("g6.xlarge",), markets: Iterable[dict[str, Plain]] | None = None
) -> dict[str, Plain]:
    """A card choice on one market."""
    return {
        "card": card,
        "instance_types": list(types),
        "markets": [a_market()] if markets is None else list(markets),
    }


def a_market(market: str = "on-demand", ceiling_cards: int | None = 8, **more: Plain) -> dict[str, Plain]:
    """A market with a ceiling; None leaves the ceiling out."""
    ceiling: dict[str, Plain] = {} if ceiling_cards is None else {"ceiling_cards": ceiling_cards}
    return {"market": market, **ceiling, **more}


def a_static_pool(**overrides: Plain) -> dict[str, Plain]:
    """One chief node with a whole H100."""
    base = a_pool(
        name="chief",
        purpose="train",
        role="chief",
        nodes=1,
        cards=[a_card("H100-80GB", ["p5.4xlarge"], [a_market(ceiling_cards=None)])],
    )
    return merged(base, overrides)


def a_slice_pool(**overrides: Plain) -> dict[str, Plain]:
    """Elastic workers on sevenths of an A100 with 80 GB."""
    base = a_pool(
        name="worker",
        purpose="train",
        cards=[a_card("A100-80GB", ["p4de.24xlarge"], [a_market(ceiling_cards=16)])],
        sharing={"mig": "1g.10gb"},
    )
    return merged(base, overrides)


def a_shared_pool(**overrides: Plain) -> dict[str, Plain]:
    """Notebooks, four on each T4."""
    base = a_pool(
        name="notebook",
        purpose="dev",
        cards=[a_card("T4-16GB", ["g4dn.xlarge"], [a_market("spot", 4)])],
        sharing={"time_slicing": 4},
    )
    return merged(base, overrides)


def a_namespace(**overrides: Plain) -> dict[str, Plain]:
    """A namespace that may use two whole cards."""
    base: dict[str, Plain] = {
        "name": "ml-serving",
        "environment": "production",
        "quota": {"nvidia.com/gpu": 2},
        "priorities": ["inference-critical"],
        "service_account": "server",
    }
    return merged(base, overrides)


def a_tenant(**overrides: Plain) -> dict[str, Plain]:
    """A team with one namespace."""
    base: dict[str, Plain] = {
        "name": "serving",
        "team": "platform",
        "groups": ["serving-team"],
        "namespaces": [a_namespace()],
    }
    return merged(base, overrides)


def settings_object(**overrides: Plain) -> dict[str, Plain]:
    """The smallest settings that are accepted without a warning, as plain data."""
    base: dict[str, Plain] = {
        "environment": "test",
        "account_id": "111122223333",
        "account": {"spot_service_linked_role": "present"},
        "region": "us-east-1",
        "cluster": {
            "name": "gpu-test",
            "creator_arn": "arn:aws:iam::111122223333:role/platform-runner",
            "access_entries": [
                {"name": "admins", "principal_arn": "arn:aws:iam::111122223333:role/admin", "level": "admin"},
                {
                    "name": "serving",
                    "principal_arn": "arn:aws:iam::111122223333:role/serving",
                    "level": "groups",
                    "groups": ["serving-team"],
                },
            ],
        },
        "network": {"new": {"cidr": "10.0.0.0/16", "zones": list(ZONES_WITH_IDS)}},
        "pools": [a_pool()],
        "cost": {"monthly_floor_limit_usd": 100_000, "monthly_budget_usd": 10_000_000},
    }
    return merged(base, overrides)


def some_settings(**overrides: Plain) -> Settings:
    """Accepted settings; the overrides are plain data."""
    return _accepted(json.dumps(settings_object(**overrides)))


@functools.cache
def _accepted(text: str) -> Settings:
    return accept.accepted(json.loads(text))


def stack_file(stack: str) -> Path:
    """The stack file of one of the repository's environments."""
    return ROOT / f"Pulumi.{stack}.yaml"


@functools.cache
def stack_settings(stack: str) -> Settings:
    """The accepted settings of one of the repository's environments."""
    loaded = accept.check_file(stack_file(stack))
    assert loaded.settings is not None, [str(fault) for fault in loaded.faults]
    return loaded.settings


def paths(faults: Iterable[Fault]) -> list[str]:
    """Where the faults are, in their order."""
    return [fault.path for fault in faults]
