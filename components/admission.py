"""Admission: the rules as the API server enforces them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi

from components.handles import ClusterHandle
from components.kubernetes import register
from gpuplatform.render.document import Document, kind_of, name_of

_POLICY = "ValidatingAdmissionPolicy"
_BINDING = "ValidatingAdmissionPolicyBinding"


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmissionArgs:
    """The inputs of Admission."""

    cluster: ClusterHandle
    documents: Sequence[Document]
    """The ConfigMap that the policies read, the policies, and for each a binding named after it and the mode."""


class Admission(pulumi.ComponentResource):
    """The ValidatingAdmissionPolicies, after the ConfigMap that they read, and then the bindings that activate them.

    The ConfigMap of an earlier release can lack keys that these policies read, so it is written before the policies.
    """

    policies: tuple[str, ...]

    def __init__(self, name: str, args: AdmissionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Admission", name, None, opts)
        provider = args.cluster.kubernetes
        bindings = [document for document in args.documents if kind_of(document) == _BINDING]
        policies = [document for document in args.documents if kind_of(document) == _POLICY]
        others = [document for document in args.documents if kind_of(document) not in (_POLICY, _BINDING)]
        read = [register(self, name, document, provider) for document in others]
        judged_by = [register(self, name, document, provider, read) for document in policies]
        for binding in bindings:
            register(self, name, binding, provider, [*read, *judged_by])
        self.policies = tuple(map(name_of, policies))
        self.register_outputs({"policies": list(self.policies)})
