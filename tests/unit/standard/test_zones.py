import pytest

from gpuplatform.standard.zones import WITHOUT_CONTROL_PLANE, zone_id_prefix


@pytest.mark.parametrize(
    ("region", "prefix"),
    [
        ("af-south-1", "afs1-az"),
        ("ap-east-1", "ape1-az"),
        ("ap-northeast-2", "apne2-az"),
        ("ap-south-1", "aps1-az"),
        ("ap-southeast-3", "apse3-az"),
        ("ca-central-1", "cac1-az"),
        ("cn-north-1", "cnn1-az"),
        ("cn-northwest-1", "cnnw1-az"),
        ("eu-central-2", "euc2-az"),
        ("eu-west-3", "euw3-az"),
        ("me-south-1", "mes1-az"),
        ("sa-east-1", "sae1-az"),
        ("us-east-1", "use1-az"),
        ("us-gov-east-1", "usge1-az"),
        ("us-gov-west-1", "usgw1-az"),
    ],
)
def test_zone_ids_begin_with_the_region_in_short(region: str, prefix: str) -> None:
    assert zone_id_prefix(region) == prefix


@pytest.mark.parametrize("region", ["us-iso-east-1", "nowhere", "", "-"])
def test_of_a_region_with_other_words_nothing_is_said(region: str) -> None:
    assert zone_id_prefix(region) is None


def test_the_zones_without_control_planes_are_of_their_regions() -> None:
    for region, zone in WITHOUT_CONTROL_PLANE.items():
        assert zone.startswith(str(zone_id_prefix(region)))
