"""Admission: the rules as the API server enforces them (L5)."""

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
    """What the cluster's own judgement is made from."""

    cluster: ClusterHandle
    documents: Sequence[Document]
    """What the policies read, the policies, and one binding for each, named by it and the mode."""


class Admission(pulumi.ComponentResource):
    """ValidatingAdmissionPolicies after what they read, and the bindings that set them to work.

    An earlier release's ConfigMap lacks what this one's policies read, so it is written before they are.
    """

    policies: tuple[str, ...]

    def __init__(self, name: str, args: AdmissionArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-platform:index:Admission", name, None, opts)
        provider = args.cluster.kubernetes
        bindings = [each for each in args.documents if kind_of(each) == _BINDING]
        policies = [each for each in args.documents if kind_of(each) == _POLICY]
        others = [each for each in args.documents if kind_of(each) not in (_POLICY, _BINDING)]
        read = [register(self, name, document, provider) for document in others]
        judged_by = [register(self, name, document, provider, read) for document in policies]
        for each in bindings:
            register(self, name, each, provider, [*read, *judged_by])
        self.policies = tuple(map(name_of, policies))
        self.register_outputs({"policies": list(self.policies)})
