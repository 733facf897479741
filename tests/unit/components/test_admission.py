from __future__ import annotations

from tests.recorder import record
from tests.unit.components.builders import admission, full_settings


def test_a_binding_waits_for_its_policy_and_for_what_the_policies_read() -> None:
    recording = record(lambda: admission("ad", full_settings()))
    bindings = recording.of("ValidatingAdmissionPolicyBinding")
    policies = {each.at("metadata", "name"): each.urn for each in recording.of("ValidatingAdmissionPolicy")}
    (read,) = recording.of("ConfigMap")

    assert {each.at("spec", "policyName") for each in bindings} == set(policies)
    for each in bindings:
        name = each.at("spec", "policyName")
        assert isinstance(name, str)
        assert {policies[name], read.urn} <= each.depends_on
