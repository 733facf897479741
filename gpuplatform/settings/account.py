"""What an AWS account has once, whichever stack of it makes that."""

from __future__ import annotations

import enum

from gpuplatform.settings.model import Model


class SpotRole(enum.StrEnum):
    """Who makes the account's service-linked role for EC2 Spot, AWSServiceRoleForEC2Spot."""

    CREATE = "create"  # this stack: one of the account; a destroy keeps the role, and the next `up` says present
    PRESENT = "present"  # somebody else made it


class Account(Model):
    """What all stacks of one account share: one makes it, the others say that it is there."""

    spot_service_linked_role: SpotRole | None = None
    """`create`: this stack makes AWSServiceRoleForEC2Spot and leaves it behind. `present`: the account has it."""
