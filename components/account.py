"""The AWS account and region that everything is made in."""

from __future__ import annotations

import pulumi
import pulumi_eks as eks
from pulumi_aws.provider import Provider

from gpuplatform.settings.settings import Settings


def providers(settings: Settings) -> list[pulumi.ProviderResource]:
    """AWS, bound to the settings' account, with the stack's tags on everything; and EKS, which works through it.

    Both are explicit, so that they start side by side and no default provider is made with other settings.
    """
    tags = {**settings.stack_tags, "managed-by": "pulumi"}
    aws = Provider(
        "aws",
        region=settings.region,
        allowed_account_ids=[settings.account_id],
        default_tags={"tags": tags},
    )
    return [aws, eks.Provider("eks")]
