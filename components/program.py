"""What the program does outside its components: settings, providers, outputs, and the outputs of the last `up`.

The engine's function answers with the outputs of a stack while an update of that very stack runs: those of its last
update, and nothing before the first (pulumi v3.259.0, pkg/resource/deploy/builtins.go, ``readStackReference``;
pkg/backend/diy/state.go and pkg/backend/httpstate/state.go, ``getSnapshotStackOutputs``). A StackReference asks the
same, but it is a resource: it would be in the state and in every preview, and its outputs come only after other
resources have begun.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import pulumi
import pulumi_eks as eks
from pulumi_aws.provider import Provider

from components.handles import ClusterHandle
from gpuplatform.accept import RefusedError, accepted
from gpuplatform.faults import Fault
from gpuplatform.outputs import ENDPOINT, OUTPUT_NAME, describe, parse
from gpuplatform.settings.settings import Settings

READ_OUTPUTS = "pulumi:pulumi:readStackOutputs"
"""The engine's own function, which the Node.js SDK calls for StackReferences."""
_PROJECT = "gpu-platform"


def settings_of_stack() -> Settings:
    """The settings in ``gpu-platform:settings``; refused settings end the program with a report and create nothing."""
    raw = cast(object, pulumi.Config(_PROJECT).get_object("settings"))
    try:
        return accepted(raw)
    except RefusedError as refused:
        raise pulumi.RunError(str(refused)) from None


def providers(settings: Settings) -> list[pulumi.ProviderResource]:
    """AWS, bound to the settings' account, with the stack's tags on every resource; and EKS, which uses it.

    Both are explicit, so that they start in parallel and no default provider with other settings is created.
    """
    tags = {**settings.stack_tags, "managed-by": "pulumi"}
    aws = Provider(
        "aws",
        region=settings.region,
        allowed_account_ids=[settings.account_id],
        default_tags={"tags": tags},
    )
    return [aws, eks.Provider("eks")]


def publish(settings: Settings, cluster: ClusterHandle) -> None:
    """Export the platform's document, and the kubeconfig as a secret of its own."""
    # Only the endpoint is unknown before the update: a preview and its policies see all other fields.
    document = describe(settings, "").as_plain() | {ENDPOINT: cluster.endpoint}
    pulumi.export(OUTPUT_NAME, document)
    pulumi.export("kubeconfig", cluster.kubeconfig)


def last_published() -> Mapping[str, object]:
    """The document that the running stack has published; empty before the first `up`.

    Ends the program with pulumi.RunError if the outputs cannot be read: otherwise fixed labels could change unchecked.
    """
    stack = f"{pulumi.get_organization()}/{pulumi.get_project()}/{pulumi.get_stack()}"
    try:
        answer = cast("Mapping[str, object]", pulumi.runtime.invoke(READ_OUTPUTS, {"name": stack}).value)
    except Exception as error:  # the SDK raises no narrower class (3.272.0, runtime/invoke.py)
        allowed = "the outputs of its last `up`, or none before the first"
        raise _refusal(Fault(stack, str(error), allowed, "make `pulumi stack output` work, and run again")) from None
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
