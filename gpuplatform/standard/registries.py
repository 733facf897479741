"""Where AWS keeps the images of its own add-ons and device plugins: one registry in each region.

The accounts are those of the EKS user guide (latest/ug/workloads/add-ons-images.adoc 1cc6ebb) and of eksctl
(pkg/apis/eksctl.io/v1alpha5/types.go 99984ad), which agree; ``ap-southeast-5`` is in eksctl's list alone.
"""

from __future__ import annotations

_COMMON_ACCOUNT = "602401143452"
"""Of every region that is not listed below: all that were there before accounts had to opt in to a region."""
_ACCOUNTS = {
    "af-south-1": "877085696533",
    "ap-east-1": "800184023465",
    "ap-east-2": "533267051163",
    "ap-south-2": "900889452093",
    "ap-southeast-3": "296578399912",
    "ap-southeast-4": "491585149902",
    "ap-southeast-5": "151610086707",
    "ap-southeast-6": "333609536671",
    "ap-southeast-7": "121268973566",
    "ca-west-1": "761377655185",
    "eu-central-2": "900612956339",
    "eu-south-1": "590381155156",
    "eu-south-2": "455263428931",
    "il-central-1": "066635153087",
    "me-central-1": "759879836304",
    "me-south-1": "558608220178",
    "mx-central-1": "730335286997",
}


def eks_registry(region: str) -> str:
    """The registry of a region in the ``aws`` partition. A region newer than the list gets the common account."""
    return f"{_ACCOUNTS.get(region, _COMMON_ACCOUNT)}.dkr.ecr.{region}.amazonaws.com"
