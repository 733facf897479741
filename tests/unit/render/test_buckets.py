import pytest

from gpuplatform.render.buckets import BucketIdentity, bucket_identity
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_namespace, a_tenant, some_settings, stack_settings
from tests.unit.render.reading import at, list_at


def identity(*buckets: Plain) -> BucketIdentity | None:
    (tenant,) = some_settings(tenants=[a_tenant(namespaces=[a_namespace(buckets=list(buckets))])]).tenants
    return bucket_identity("gpu-dev", tenant.namespaces[0])


def statements(*buckets: Plain) -> list[dict[str, object]]:
    made = identity(*buckets)
    assert made is not None
    return [dict(statement) for statement in list_at(made.policy, "Statement")]


def test_a_namespace_without_buckets_is_nobody_in_aws() -> None:
    assert identity() is None


def test_the_role_is_for_one_account_of_one_namespace() -> None:
    made = identity({"name": "models", "access": "read"})
    assert made is not None
    assert (made.cluster, made.namespace, made.service_account) == ("gpu-dev", "ml-serving", "server")
    assert made.role_name == "gpu-dev-ns-ml-serving"


def test_a_reader_lists_and_reads_one_bucket() -> None:
    assert statements({"name": "models", "access": "read"}) == [
        {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": ["arn:aws:s3:::models"]},
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::models/*"]},
    ]


def test_a_writer_of_a_part_reaches_nothing_beside_it() -> None:
    listing, objects = statements({"name": "runs", "prefix": "checkpoints/", "access": "write"})
    assert at(listing, "Condition") == {"StringLike": {"s3:prefix": ["checkpoints/*"]}}
    assert objects["Resource"] == ["arn:aws:s3:::runs/checkpoints/*"]
    assert objects["Action"] == ["s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"]


@pytest.mark.parametrize("stack", STACKS)
def test_no_bucket_of_an_environment_is_written_by_two_namespaces(stack: str) -> None:
    written = [
        (bucket.name, bucket.prefix)
        for tenant in stack_settings(stack).tenants
        for namespace in tenant.namespaces
        for bucket in namespace.buckets
        if bucket.access.value == "write"
    ]
    assert written
    assert len(written) == len(set(written))
