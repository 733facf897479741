"""How another team's program reads this platform: a StackReference, typed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pulumi

from gpuplatform.outputs import OUTPUT_NAME, PlatformOutputs, parse


def read_platform(stack: str, opts: pulumi.ResourceOptions | None = None) -> pulumi.Output[PlatformOutputs]:
    """The published document of a stack such as ``organization/gpu-platform/prod``.

    Ends the program with one message if the stack does not publish a document that this reader understands.
    """
    reference = pulumi.StackReference(stack, opts=opts)
    return cast(pulumi.Output[object], reference.get_output(OUTPUT_NAME)).apply(lambda plain: _parsed(stack, plain))


def _parsed(stack: str, plain: object) -> PlatformOutputs:
    if not isinstance(plain, Mapping):
        raise pulumi.RunError(
            f"the stack {stack} publishes no output {OUTPUT_NAME!r}: is it up, and is it this platform?"
        )
    outputs, faults = parse(cast(Mapping[str, object], plain), f"{stack}: {OUTPUT_NAME}")
    if outputs is None:
        raise pulumi.RunError("\n".join(str(fault) for fault in faults))
    return outputs
