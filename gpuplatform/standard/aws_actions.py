"""AWS actions that only read and that AWS cannot limit to a resource: the only actions allowed on all resources."""

from __future__ import annotations

UNSCOPED_READS: dict[str, str] = {
    "iam:ListInstanceProfiles": "list_awsidentityandaccessmanagementiam.html",
    "pricing:GetProducts": "list_awspricelist.html",
}
"""Action to its page of the service authorization reference, where its column of resource types is empty or lists all
resources of the account (docs.aws.amazon.com/service-authorization/latest/reference). Karpenter's published policy for
v1.14.1 allows both the same way."""
