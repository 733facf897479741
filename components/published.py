"""What this stack published when it was last brought up: its own outputs, read before anything is made.

The engine answers a call with the outputs of a stack, and its backend gives them while an update of that very stack
runs: nothing where the stack was never up, the last update's where it was (pulumi v3.259.0,
pkg/resource/deploy/builtins.go, ``readStackReference``; pkg/backend/diy/state.go and pkg/backend/httpstate/state.go,
``getSnapshotStackOutputs``). A StackReference asks the same, but is a resource: it would stand in the state and in
every preview, and its outputs come only after other resources have begun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pulumi

from gpuplatform.faults import Fault
from gpuplatform.outputs import OUTPUT_NAME, parse

READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"
"""The engine's own function, which the SDKs for Node.js have called since StackReferences are there."""


def last_published() -> Mapping[str, object]:
    """The platform's document as the running stack tells it; empty before the first `up`.

    Ends the program with pulumi.RunError where the outputs cannot be read: labels that nobody compared might change.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    try:
        answer = cast("Mapping[str, object]", pulumi.runtime.invoke(READ_OUTPUTS, {"name": stack}).value)
    except Exception as error:  # the SDK raises no narrower class (3.272.0, runtime/invoke.py)
        allowed = "the outputs of its last `up`, or none before the first"
        raise _refusal(Fault(stack, str(error), allowed, "see that `pulumi stack output` works, and go on")) from None
    published = cast("Mapping[str, object]", answer["outputs"]).get(OUTPUT_NAME)
    if published is None:
        return {}
    if not isinstance(published, Mapping):
        allowed = "the document of this platform"
        raise _refusal(Fault(f"{stack}: {OUTPUT_NAME}", repr(published), allowed, "give this stack another name"))
    outputs, faults = parse(cast("Mapping[str, object]", published), f"{stack}: {OUTPUT_NAME}")
    if outputs is None:
        raise _refusal(*faults)
    return outputs.as_plain()


def _refusal(*faults: Fault) -> pulumi.RunError:
    lines = ["what this stack published cannot be compared with what it is to be, and nothing was made"]
    return pulumi.RunError("\n".join([*lines, *map(str, faults)]))
