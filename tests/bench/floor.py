"""The floor: the least work of the engine for a number of resources, which are flat and made without logic."""

from __future__ import annotations

import pulumi

BESIDE = 3
"""The stack itself and the two providers, which count as resources too."""
_AWS_EVERY = 3
"""Every third resource is a log group, which is about the share of AWS resources in the platform."""


def floor(resources: int) -> None:
    """Register a number of resources in total, on the AWS and the Kubernetes stand-in."""
    aws = pulumi.ProviderResource("aws", "aws", {"region": "us-east-1"})
    on_aws = pulumi.ResourceOptions(provider=aws)
    names = [f"plain-{number}" for number in range(resources - BESIDE)]
    groups = {name: _log_group(name, on_aws) for name in names[::_AWS_EVERY]}
    # As in a platform that is not up yet, the kubeconfig is unknown in a preview.
    kubeconfig = groups[names[0]].id
    kubernetes = pulumi.ProviderResource("kubernetes", "kubernetes", {"kubeconfig": kubeconfig})
    on_kubernetes = pulumi.ResourceOptions(provider=kubernetes)
    for name in names:
        if name not in groups:
            _config_map(name, on_kubernetes)


def _log_group(name: str, options: pulumi.ResourceOptions) -> pulumi.CustomResource:
    return pulumi.CustomResource("aws:cloudwatch/logGroup:LogGroup", name, {"name": f"/{name}"}, options)


def _config_map(name: str, options: pulumi.ResourceOptions) -> pulumi.CustomResource:
    metadata = {"name": name, "namespace": "kube-system"}
    inputs: dict[str, object] = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"key": "value"},
    }
    return pulumi.CustomResource("kubernetes:core/v1:ConfigMap", name, inputs, options)
