"""How a cluster is spoken to: the kubeconfig that the EKS component writes, and the one of a real control plane."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

import yaml


def kubeconfig_of(arn: object, endpoint: object, authority: object, profile: str | None = None) -> dict[str, object]:
    """Who speaks to the cluster: whoever the AWS client says, or the credentials of one profile."""
    name = str(arn)
    command = ["--region", name.split(":")[3], "eks", "get-token", "--cluster-name", name.rsplit("/", 1)[-1]]
    if profile is not None:
        command += ["--profile", profile]
    user = {"exec": {"apiVersion": "client.authentication.k8s.io/v1beta1", "command": "aws", "args": command}}
    server = {"server": endpoint, "certificate-authority-data": _data(authority)}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": server}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
        "users": [{"name": name, "user": user}],
    }


def _data(authority: object) -> object:
    return cast(Mapping[str, object], authority).get("data") if isinstance(authority, Mapping) else None


def read(kubeconfig: Path) -> object:
    """The kubeconfig of a real control plane."""
    return yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
