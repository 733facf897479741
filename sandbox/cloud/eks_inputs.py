"""The inputs of the EKS stand-in: which it supports, and which the real component or the stand-in refuses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from sandbox.cloud.input_validation import Problem, input_problems
from sandbox.cloud.store import Properties

Inputs = Mapping[str, object]

_SUPPORTED_INPUTS = frozenset(
    {
        "accessEntries",
        "authenticationMode",
        "clusterTags",
        "corednsAddonOptions",
        "createInstanceRole",
        "createOidcProvider",
        "deletionProtection",
        "enabledClusterLogTypes",
        "encryptionConfigKeyArn",
        "endpointPrivateAccess",
        "endpointPublicAccess",
        "kubeProxyAddonOptions",
        "kubernetesServiceIpAddressRange",
        "name",
        "privateSubnetIds",
        "providerCredentialOpts",
        "publicAccessCidrs",
        "publicSubnetIds",
        "skipDefaultNodeGroup",
        "skipDefaultSecurityGroups",
        "tags",
        "version",
        "vpcCniOptions",
        "vpcId",
    }
)
"""Inputs that the stand-in acts on; any other input would be silently ignored, so it is an error."""

CONFLICT_INPUTS = ("resolveConflictsOnCreate", "resolveConflictsOnUpdate")
_SUPPORTED_FIELDS: Mapping[str, frozenset[str]] = {
    "vpcCniOptions": frozenset({"addonVersion", "enableNetworkPolicy", "enablePrefixDelegation", *CONFLICT_INPUTS}),
    "kubeProxyAddonOptions": frozenset({"enabled", "version", *CONFLICT_INPUTS}),
    "corednsAddonOptions": frozenset({"enabled", "version", *CONFLICT_INPUTS}),
    "providerCredentialOpts": frozenset({"profileName"}),
}
"""For inputs that are objects: the fields that the stand-in acts on."""
VERSION_INPUTS = {"vpcCniOptions": "addonVersion", "kubeProxyAddonOptions": "version", "corednsAddonOptions": "version"}


def refusals(token: str, inputs: Inputs) -> list[Problem]:
    """Every problem of a cluster's inputs that the real component or this stand-in would refuse."""
    problems = input_problems(token, cast(Properties, inputs))
    unsupported_inputs = [*(key for key in inputs if key not in _SUPPORTED_INPUTS)]
    for options, supported_fields in _SUPPORTED_FIELDS.items():
        option_values = mapping_of(inputs.get(options))
        unsupported_inputs += [f"{options}.{key}" for key in option_values if key not in supported_fields]
        if (
            options in VERSION_INPUTS
            and option_values.get("enabled") is not False
            and not option_values.get(VERSION_INPUTS[options])
        ):
            reason = "is not pinned, so any preview could change the version"
            problems.append(
                Problem(f"{options}.{VERSION_INPUTS[options]}", f"{options}.{VERSION_INPUTS[options]} {reason}")
            )
    problem_inputs = {problem.property for problem in problems}
    problems += [
        Problem(key, f"the stand-in does not act on {key}, so it would be ignored")
        for key in unsupported_inputs
        if key not in problem_inputs
    ]
    for option in ("skipDefaultNodeGroup", "skipDefaultSecurityGroups"):
        if inputs.get(option) is not True:
            problems.append(Problem(option, f"the stand-in makes no default groups: set {option} to true"))
    return problems


def list_of(value: object) -> list[object]:
    """The items of an input that is a list; empty for any other value."""
    return list(cast(list[object], value)) if isinstance(value, list | tuple) else []


def mapping_of(value: object) -> dict[str, object]:
    """The fields of an input that is an object; empty for any other value."""
    return dict(cast(Mapping[str, object], value)) if isinstance(value, Mapping) else {}
