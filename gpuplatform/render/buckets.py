"""What a namespace's service account may do in S3: an IAM role for it alone (Q10)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

from gpuplatform.faults import Fault
from gpuplatform.render.document import Document
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.tenants import Bucket, BucketAccess, Namespace
from gpuplatform.standard import names

_ACTIONS = {
    BucketAccess.READ: ("s3:GetObject",),
    BucketAccess.WRITE: ("s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload"),
}
"""On objects; on the bucket itself s3:ListBucket (Amazon S3 user guide, Mountpoint: IAM permissions)."""


@dataclass(frozen=True, slots=True)
class BucketIdentity:
    """Who takes a role by Pod Identity, and what the role may do."""

    cluster: str
    namespace: str
    service_account: str
    role_name: str
    policy: Document
    """The role's IAM policy."""


def bucket_identity(cluster: str, namespace: Namespace) -> BucketIdentity | None:
    """The identity of a namespace that reaches buckets; None for one that reaches none."""
    if not namespace.buckets:
        return None
    return BucketIdentity(
        cluster,
        namespace.name,
        namespace.service_account,
        names.workload_role(cluster, namespace.name),
        {"Version": "2012-10-17", "Statement": [each for bucket in namespace.buckets for each in _statements(bucket)]},
    )


def too_large(draft: Draft) -> list[Fault]:
    """Policies that IAM would refuse for their length."""
    faults: list[Fault] = []
    for tenant in draft.tenants:
        for each in tenant.namespaces:
            identity = bucket_identity("", each)
            length = len("".join(json.dumps(identity.policy).split())) if identity else 0
            if length > names.MAX_POLICY_CHARACTERS:
                faults.append(
                    Fault(
                        f"tenants[{tenant.name}].namespaces[{each.name}].buckets",
                        f"{len(each.buckets)} buckets, which make an IAM policy of {length:,} characters",
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
