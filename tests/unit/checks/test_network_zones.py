from collections.abc import Callable

import pytest

from gpuplatform.accept import examine
from gpuplatform.faults import Fault, errors, warnings
from gpuplatform.settings.source import Plain
from gpuplatform.standard.zones import WITHOUT_CONTROL_PLANE
from tests.builders import ZONES, ZONES_WITH_IDS, settings_object, some_settings

SUBNETS = ("subnet-0123456789abcdef0", "subnet-0123456789abcdef1", "subnet-0123456789abcdef2")

Kind = Callable[..., Plain]


def new(*zones: Plain) -> Plain:
    return {"new": {"cidr": "10.0.0.0/16", "zones": list(zones)}}


def existing(*zones: Plain) -> Plain:
    subnets: list[Plain] = [{"id": subnet, "zone": zone} for subnet, zone in zip(SUBNETS, zones, strict=False)]
    return {"existing": {"vpc_id": "vpc-0123456789abcdef0", "private_subnets": subnets}}


both_kinds = pytest.mark.parametrize(
    ("kind", "path"), [(new, "network.new.zones"), (existing, "network.existing.private_subnets")]
)


def a_zone(name: str, id_: str) -> dict[str, Plain]:
    return {"name": name, "id": id_}


def faults(network: Plain, region: str = "us-east-1") -> tuple[Fault, ...]:
    raw = settings_object(region=region)
    raw["network"] = network
    return tuple(fault for fault in examine(raw).faults if fault.path.startswith("network"))


@both_kinds
@pytest.mark.parametrize("zone", ["eu-west-1a", "us-east-1", "us-east-1ab", "us-east-11", "us-east-2a", "a", ""])
def test_zones_are_of_the_region(kind: Kind, path: str, zone: str) -> None:
    (fault,) = errors(faults(kind(ZONES_WITH_IDS[0], zone)))
    assert (fault.path, fault.given) == (path, zone)


@both_kinds
@pytest.mark.parametrize(("region", "id_"), sorted(WITHOUT_CONTROL_PLANE.items()))
def test_a_zone_in_which_eks_makes_no_control_plane_is_refused_whatever_its_letter(
    kind: Kind, path: str, region: str, id_: str
) -> None:
    other = a_zone(f"{region}a", f"{id_[:-1]}1")
    (fault,) = faults(kind(other, a_zone(f"{region}b", id_)), region)
    assert (fault.path, fault.given) == (path, f"{region}b with the id {id_}")
    assert id_ in fault.allowed
    assert faults(kind(other, a_zone(f"{region}b", f"{id_[:-1]}4")), region) == ()


@both_kinds
def test_a_zone_without_its_id_is_a_warning_where_a_letter_may_hide_such_a_zone(kind: Kind, path: str) -> None:
    (fault,) = faults(kind(*ZONES))
    assert warnings([fault])
    assert (fault.path, fault.given) == (path, "us-east-1a, us-east-1b without an id")
    assert "use1-az3" in fault.allowed
    (fault,) = faults(kind(ZONES_WITH_IDS[0], {"name": ZONES[1]}))
    assert fault.given == "us-east-1b without an id"
    assert faults(kind("eu-west-1a", "eu-west-1b"), "eu-west-1") == ()


@both_kinds
def test_an_id_is_one_of_the_region(kind: Kind, path: str) -> None:
    (fault,) = faults(kind(ZONES_WITH_IDS[0], a_zone("us-east-1b", "use2-az1")))
    assert (fault.path, fault.given) == (path, "us-east-1b with the id use2-az1")
    assert "use1-az" in fault.allowed


@both_kinds
def test_one_id_is_not_two_zones_and_one_zone_has_not_two_ids(kind: Kind, path: str) -> None:
    (fault,) = faults(kind(a_zone("us-east-1a", "use1-az1"), a_zone("us-east-1b", "use1-az1")))
    assert (fault.path, fault.given) == (path, "us-east-1a and us-east-1b, both use1-az1")
    third = a_zone("us-east-1a", "use1-az4")
    zone_faults = faults(kind(*ZONES_WITH_IDS, third))
    assert {fault.path for fault in zone_faults} == {path}
    assert "us-east-1a, both use1-az6 and use1-az4" in [fault.given for fault in zone_faults]


def test_a_new_network_names_a_zone_once() -> None:
    (fault,) = faults(new(*ZONES_WITH_IDS, ZONES_WITH_IDS[0]))
    assert fault.given == "us-east-1a twice"


def test_a_malformed_id_is_said_once() -> None:
    (fault,) = faults(new(ZONES_WITH_IDS[0], a_zone("us-east-1b", "az1")))
    assert fault.path == "network.new.zones[us-east-1b].id"


@pytest.mark.parametrize("kind", [new, existing])
def test_with_ids_or_without_the_rest_of_the_program_reads_names(kind: Kind) -> None:
    for zones in (ZONES, ZONES_WITH_IDS):
        raw = settings_object()
        raw["network"] = kind(*zones)
        settings = examine(raw).settings
        assert settings is not None
        assert settings.network.zones == ZONES
    assert some_settings().network.zones == ZONES


def test_a_zone_of_another_region_is_one_fault_however_often_it_is_named() -> None:
    subnets: list[Plain] = [
        {"id": "subnet-0123456789abcdef0", "zone": "eu-west-1a"},
        {"id": "subnet-0123456789abcdef1", "zone": {"name": "eu-west-1a", "id": "euw1-az1"}},
        {"id": "subnet-0123456789abcdef2", "zone": {"name": "us-east-1b", "id": "use1-az4"}},
    ]
    raw = settings_object()
    raw["network"] = {"existing": {"vpc_id": "vpc-0123456789abcdef0", "private_subnets": subnets}}
    assert [fault.given for fault in errors(examine(raw).faults)] == ["eu-west-1a"]


@pytest.mark.parametrize("name", ["us-east-1A", "us-east-1é"])
def test_a_zone_s_letter_is_a_small_one_of_the_alphabet(name: str) -> None:
    raw = settings_object(network={"new": {"zones": [name, {"name": "us-east-1b", "id": "use1-az4"}]}})
    assert name in [fault.given for fault in errors(examine(raw).faults)]
