"""Starts the policy pack and never returns: the engine stops it.

The rules import ``gpuplatform``, so the pack runs in the project's own environment, where it is installed editable.
"""

from pulumi_policy import EnforcementLevel, PolicyPack

from policies.pack import NAME, POLICIES

PolicyPack(NAME, POLICIES, enforcement_level=EnforcementLevel.MANDATORY)
