"""A NodePool may require only what the sandbox's instance types can tell; anything else is refused when it is applied.

Karpenter ignores a requirement that no instance type answers: a pool for one family would launch another.
"""

from __future__ import annotations

import json

from gpuplatform.catalog.instance_types import instance_types
from gpuplatform.render.document import Document, a
from gpuplatform.standard import keys
from sandbox.market import labels_of

_NAME = "sandbox-knows-every-requirement"
_OF_EVERY_NODE = (
    keys.ARCHITECTURE,
    keys.CAPACITY_TYPE,
    keys.INSTANCE_TYPE,
    keys.NODEPOOL,
    keys.OPERATING_SYSTEM,
    keys.REGION,
    keys.ZONE,
)


def known_keys() -> tuple[str, ...]:
    """Every label key that a NodePool may require here."""
    of_types = {key for each in instance_types().values() for key in labels_of(each)}
    return tuple(sorted({*of_types, *_OF_EVERY_NODE}))


def known_requirements() -> tuple[Document, ...]:
    """The policy and its binding."""
    known = json.dumps(known_keys())
    own = "(has(object.spec.template.metadata) && has(object.spec.template.metadata.labels)"
    own += " && r.key in object.spec.template.metadata.labels)"
    unknown = f"object.spec.template.spec.requirements.filter(r, !(r.key in {known}) && !{own})"
    message = f"'the sandbox has no instance type with the label ' + {unknown}.map(r, r.key).join(', ')"
    rule: dict[str, object] = {
        "apiGroups": ["karpenter.sh"],
        "apiVersions": ["*"],
        "operations": ["CREATE", "UPDATE"],
        "resources": ["nodepools"],
    }
    validation = {
        "expression": f"{unknown}.size() == 0",
        "messageExpression": f"{message} + '; it knows {', '.join(known_keys())}'",
    }
    version = "admissionregistration.k8s.io/v1"
    policy = a(
        version,
        "ValidatingAdmissionPolicy",
        _NAME,
        spec={"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]},
    )
    binding = a(
        version,
        "ValidatingAdmissionPolicyBinding",
        _NAME,
        spec={"policyName": _NAME, "validationActions": ["Deny"]},
    )
    return policy, binding
