"""The AWS account and region that everything is made in."""

from __future__ import annotations

import pulumi
from pulumi_aws.provider import Provider

from gpuplatform.settings.settings import Settings


def aws_provider(settings: Settings) -> Provider:
    """A provider bound to the settings' account, that puts the stack's tags on everything."""
    tags = {**settings.tags, "environment": settings.environment, "managed-by": "pulumi"}
    return Provider(
        "aws",
        region=settings.region,
        allowed_account_ids=[settings.account_id],
        default_tags={"tags": tags},
        opts=pulumi.ResourceOptions(),
    )
