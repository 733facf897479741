import pytest
from pydantic import ValidationError

from gpuplatform.accept import examine
from gpuplatform.settings.source import Plain
from tests.builders import merged, settings_object, some_settings


def test_settings_never_change_once_they_are_read() -> None:
    settings = some_settings()
    with pytest.raises(ValidationError):
        settings.environment = "other"
    with pytest.raises(ValidationError):
        settings.pools[0].efa = True


@pytest.mark.parametrize(
    ("overrides", "is_valid"),
    [
        ({"environment": "dev-2"}, True),
        ({"environment": "Dev"}, False),
        ({"environment": "x" * 64}, False),
        ({"region": "ap-northeast-2"}, False),  # the zones are another region's
        ({"region": "us east 1"}, False),
        ({"account_id": "11112222333"}, False),
        ({"tags": {"a": "x" * 256}}, True),
        ({"tags": {"a": "x" * 257}}, False),
        ({"cluster": {"service_cidr": "172.20.0.0/16"}}, True),
        ({"cluster": {"service_cidr": "172.20.0.1/16"}}, False),
        ({"cluster": {"service_cidr": "fd00::/108"}}, False),
        ({"cluster": {"service_cidr": "172.20.0.0/255.255.0.0"}}, False),
        ({"network": {"new": {"cidr": "10.0.0.0/0.0.255.255"}}}, False),
        ({"network": {"new": {"pod_cidr": "100.64.0.0"}}}, False),
        ({"cluster": {"endpoint": {"access": "public", "public_cidrs": ["203.0.113.0/24"]}}}, True),
        ({"cluster": {"endpoint": {"access": "public", "public_cidrs": ["203.0.113.0/255.255.255.0"]}}}, False),
        ({"cluster": {"creator_arn": "arn:aws:iam::111122223333:role/ci/platform-runner"}}, True),
        ({"cluster": {"creator_arn": "arn:aws:sts::111122223333:assumed-role/platform-runner/me"}}, False),
        ({"network": {"new": {"zones": [{"name": "us-east-1a", "id": "use1-az6"}, "us-east-1b"]}}}, True),
        ({"network": {"new": {"zones": [{"id": "use1-az6"}, "us-east-1b"]}}}, False),
        ({"network": {"new": {"zones": [1, "us-east-1a", "us-east-1b"]}}}, False),
        ({"tags": {"aws:x": "y"}}, False),
        ({"tags": {"AWS:x": "y"}}, False),
        ({"tags": {"team/aws:x": "y"}}, True),
        ({"network": {"new": {"interface_endpoints": ["ecr.api", "eks-auth"]}}}, True),
        ({"network": {"new": {"interface_endpoints": [""]}}}, False),
        ({"network": {"new": {"interface_endpoints": ["EC2"]}}}, False),
        ({"network": {"new": {"interface_endpoints": ["ec2", "ec2"]}}}, False),
    ],
    ids=str,
)
def test_each_kind_of_value_has_its_bounds(overrides: dict[str, Plain], is_valid: bool) -> None:
    assert (examine(merged(settings_object(), overrides)).settings is not None) == is_valid


@pytest.mark.parametrize(
    ("arn", "is_valid"),
    [
        ("arn:aws:iam::111122223333:role/admin", True),
        ("arn:aws-cn:iam::111122223333:user/me", True),
        ("arn:aws:iam::111122223333:root", False),
        ("arn:aws:iam::1111:role/admin", False),
        ("arn:aws:sts::111122223333:assumed-role/admin/me", False),
    ],
)
def test_an_access_entry_is_for_a_role_or_a_user(arn: str, is_valid: bool) -> None:
    entry: Plain = {"name": "admins", "principal_arn": arn, "level": "admin"}
    assert (examine(settings_object(cluster={"access_entries": [entry]})).settings is not None) == is_valid
