"""The access of a namespace's service account to S3: an IAM role for it alone, and faults of policies too long."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.faults import Fault
from gpuplatform.render.document import Document
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.tenants import Bucket, BucketAccess, Namespace
from gpuplatform.standard import names

_ACTIONS = {
    BucketAccess.READ: ("s3:GetObject",),
    BucketAccess.WRITE: ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"),
}
"""Actions on objects; on the bucket itself it is s3:ListBucket (Amazon S3 user guide, Mountpoint: IAM permissions)."""


@dataclass(frozen=True, slots=True)
class BucketIdentity:
    """A service account that assumes a role by Pod Identity, and the policy of the role."""

    cluster: str
    namespace: str
    service_account: str
    role_name: str
    policy: Document
    """The role's IAM policy."""


def bucket_identity(cluster: str, namespace: Namespace) -> BucketIdentity | None:
    """The identity of a namespace with buckets; None for a namespace without."""
    if not namespace.buckets:
        return None
    return BucketIdentity(
        cluster,
        namespace.name,
        namespace.service_account,
        names.workload_role(cluster, namespace.name),
        {
            "Version": "2012-10-17",
            "Statement": [statement for bucket in namespace.buckets for statement in _statements(bucket)],
        },
    )


def too_large(settings: PartialSettings) -> list[Fault]:
    """A fault for each policy that IAM would refuse because of its length."""
    faults: list[Fault] = []
    for tenant in settings.tenants:
        for namespace in tenant.namespaces:
            identity = bucket_identity("", namespace)
            length = len("".join(json.dumps(identity.policy).split())) if identity else 0
            if length > names.MAX_POLICY_CHARACTERS:
                faults.append(
                    Fault(
                        f"tenants[{tenant.name}].namespaces[{namespace.name}].buckets",
                        f"{len(namespace.buckets)} buckets, which make an IAM policy of {length:,} characters",
                        f"at most {names.MAX_POLICY_CHARACTERS:,}, white space not counted",
                        "name fewer buckets, use folders of fewer buckets, or divide them between namespaces",
                    )
                )
    return faults


def _statements(bucket: Bucket) -> Iterable[Document]:
    arn = f"arn:aws:s3:::{bucket.name}"
    listing: Document = {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": [arn]}
    if bucket.prefix:
        listing["Condition"] = {"StringLike": {"s3:prefix": [f"{bucket.prefix}*"]}}
    objects: Document = {
        "Effect": "Allow",
        "Action": list(_ACTIONS[bucket.access]),
        "Resource": [f"{arn}/{bucket.prefix}*"],
    }
    return [listing, objects]
