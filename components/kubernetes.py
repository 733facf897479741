"""One helper that registers a rendered document, and one that installs a pinned chart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import pulumi
from pulumi_kubernetes.provider import Provider

from gpuplatform.render.document import kind_of, name_of, namespace_of
from gpuplatform.standard import keys
from gpuplatform.standard.versions import CHARTS

_AWAITED_KINDS = frozenset({"NodePool", "EC2NodeClass"})
"""Custom resources with a ready condition, which the provider waits for."""
_RELEASE = "kubernetes:helm.sh/v3:Release"
_DRAIN_TIMEOUT = "30m"
"""A NodePool is deleted when its nodes are drained. A drain that takes longer is left to a person."""
_RELEASE_TIMEOUT_SECONDS = 900
_STAY = frozenset({"kueue", "keda"})
"""Charts that a destroy does not uninstall: they are deleted with the cluster, and work until its nodes are deleted.

Kueue's uninstallation does not end: while helm deletes its ClusterRoles, the controller that aggregates two of them
applies them again (charts/kueue/templates/rbac/batch_*_role.yaml, v0.19.2; kubernetes v1.35.4,
pkg/controller/clusterroleaggregation), so that helm never finishes. The controller of each chart must run until the
end: only it removes the finalizers from the objects that teams made of its kinds, and without it their namespaces stay.
"""
_NAMESPACES_THAT_STAY = frozenset(CHARTS[chart].namespace for chart in _STAY)


def register(
    owner: pulumi.Resource,
    prefix: str,
    document: Mapping[str, object],
    provider: Provider,
    depends_on: Sequence[pulumi.Resource] = (),
) -> pulumi.Resource:
    """Register one rendered object as a child of ``owner``, under ``prefix`` and its kind and name."""
    kind, namespace = kind_of(document), namespace_of(document)
    name = "-".join(filter(None, (prefix, kind.lower(), namespace, name_of(document))))
    props = dict(document)
    waits = kind in _AWAITED_KINDS
    stays = kind == "Namespace" and name_of(document) in _NAMESPACES_THAT_STAY
    if waits:
        metadata = cast(Mapping[str, object], document["metadata"])
        props["metadata"] = {**metadata, "annotations": {keys.PULUMI_WAIT_FOR: "condition=Ready"}}
    return pulumi.CustomResource(
        _token(str(document["apiVersion"]), kind),
        name,
        props,
        pulumi.ResourceOptions(
            parent=owner,
            provider=provider,
            depends_on=list(depends_on),
            deleted_with=provider if stays else None,
            custom_timeouts=pulumi.CustomTimeouts(delete=_DRAIN_TIMEOUT) if waits else None,
        ),
    )


def install(
    owner: pulumi.Resource,
    name: str,
    chart: str,
    values: Mapping[str, object],
    provider: Provider,
    depends_on: Sequence[pulumi.Resource] = (),
    *,
    skip_crds: bool = False,
    take_ownership: bool = False,
) -> pulumi.Resource:
    """Install a pinned chart as a real Helm release, so that its hooks run; ``chart`` is its name in the standard.

    ``skip_crds`` leaves out the chart's ``crds`` folder; definitions among its templates are still created.
    ``take_ownership`` lets the release adopt existing objects that belong to no release, or to another release.
    The release is registered by its type, as documents are: importing the SDK's class would take half a second.
    """
    pinned = CHARTS[chart]
    in_registry = pinned.repository.startswith("oci://")
    inputs: dict[str, object] = {
        "name": chart,
        "chart": pinned.repository if in_registry else chart,
        "version": pinned.pin.version,
        "namespace": pinned.namespace,
        "values": dict(values),
        "skipCrds": skip_crds,
        "atomic": True,
        "timeout": _RELEASE_TIMEOUT_SECONDS,
    }
    if not in_registry:
        inputs["repositoryOpts"] = {"repo": pinned.repository}
    if take_ownership:
        inputs["takeOwnership"] = True
    options = pulumi.ResourceOptions(
        parent=owner,
        provider=provider,
        depends_on=list(depends_on),
        # The provider is deleted together with the cluster.
        deleted_with=provider if chart in _STAY else None,
    )
    return pulumi.CustomResource(_RELEASE, name, inputs, options)


def _token(api_version: str, kind: str) -> str:
    """The engine's type of a Kubernetes object, such as ``kubernetes:core/v1:Namespace``."""
    return f"kubernetes:{api_version if '/' in api_version else f'core/{api_version}'}:{kind}"
