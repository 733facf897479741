import ipaddress
import itertools

from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.plan.subnets import MAX_ZONES, ZoneSubnets, subnets

ZONES = ("us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d")


@st.composite
def networks(draw: st.DrawFn, smallest: int = 20) -> str:
    prefix = draw(st.integers(16, smallest))
    return str(ipaddress.IPv4Network((draw(st.integers(0, 2**prefix - 1)) << (32 - prefix), prefix)))


def inside(zone_subnets: tuple[ZoneSubnets, ...]) -> list[ipaddress.IPv4Network]:
    return [ipaddress.IPv4Network(cidr) for zone in zone_subnets for cidr in (zone.private, zone.public)]


@given(networks(), st.integers(2, MAX_ZONES))
def test_every_subnet_is_inside_the_vpc_and_none_overlaps_another(cidr: str, count: int) -> None:
    zone_subnets = inside(subnets(cidr, ZONES[:count]))
    assert len(zone_subnets) == 2 * count
    assert all(subnet.subnet_of(ipaddress.IPv4Network(cidr)) for subnet in zone_subnets)
    assert not any(first.overlaps(second) for first, second in itertools.combinations(zone_subnets, 2))


@given(networks(), networks(), st.integers(2, MAX_ZONES - 1))
def test_adding_a_zone_moves_no_other_zone(cidr: str, pod_cidr: str, count: int) -> None:
    assert subnets(cidr, ZONES[: count + 1], pod_cidr)[:count] == subnets(cidr, ZONES[:count], pod_cidr)


@given(networks(), st.integers(2, MAX_ZONES))
def test_pods_have_subnets_of_their_own_network(pod_cidr: str, count: int) -> None:
    pods = [ipaddress.IPv4Network(subnet.pods or "") for subnet in subnets("10.0.0.0/16", ZONES[:count], pod_cidr)]
    assert all(pod.subnet_of(ipaddress.IPv4Network(pod_cidr)) for pod in pods)
    assert not any(first.overlaps(second) for first, second in itertools.combinations(pods, 2))


def test_without_a_secondary_network_pods_have_none() -> None:
    assert [subnet.pods for subnet in subnets("10.0.0.0/16", ZONES)] == [None] * 4


def test_the_addresses_of_a_16_over_three_zones() -> None:
    assert [(subnet.zone, subnet.private, subnet.public) for subnet in subnets("10.20.0.0/16", ZONES[:3])] == [
        ("us-east-1a", "10.20.0.0/19", "10.20.224.0/21"),
        ("us-east-1b", "10.20.32.0/19", "10.20.232.0/21"),
        ("us-east-1c", "10.20.64.0/19", "10.20.240.0/21"),
    ]


@given(networks())
def test_a_zone_has_room_for_nodes_in_the_smallest_vpc_too(cidr: str) -> None:
    assert all(ipaddress.IPv4Network(subnet.private).num_addresses >= 512 for subnet in subnets(cidr, ZONES))
