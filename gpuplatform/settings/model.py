"""The base class of the settings models, and the types of values that several models use."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from gpuplatform.standard import names


class Model(BaseModel):
    """Part of the settings: frozen, and an unknown key is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


def _cidr(text: str) -> str:
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError as error:
        raise ValueError(f"not an IPv4 network: {error}") from None
    if text != str(network):
        # Python also accepts masks and single addresses; Kubernetes and AWS do not.
        raise ValueError(f"an IPv4 network with its prefix length, such as {network}")
    return text


Name = Annotated[str, Field(pattern=names.DNS_LABEL.pattern, max_length=names.MAX_LABEL_VALUE)]
"""A DNS label: lower case letters, digits and hyphens."""

PoolName = Annotated[str, Field(pattern=names.DNS_LABEL.pattern, max_length=names.MAX_POOL_NAME)]
"""A DNS label short enough to begin a NodePool's name."""

Cidr = Annotated[str, AfterValidator(_cidr)]
"""An IPv4 network such as 10.0.0.0/16, its host bits zero."""

Arn = Annotated[str, Field(pattern=r"^arn:aws[a-z-]*:iam::\d{12}:(role|user)/.+$")]
"""An IAM role or user."""

Group = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]
"""A Kubernetes group; Kubernetes and EKS take any name that is not empty."""

LabelValue = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$")]
"""A Kubernetes label value."""

BucketName = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")]
"""An S3 bucket (Amazon S3 user guide, bucket naming rules): 3 to 63 lower case letters, digits, dots and hyphens."""
