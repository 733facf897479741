from __future__ import annotations

from gpuplatform.settings.settings import AdmissionMode
from tests.recorder import Recording, record
from tests.unit.components.builders import admission, full_settings

BINDING = "ValidatingAdmissionPolicyBinding"


def made(mode: AdmissionMode) -> Recording:
    return record(lambda: admission("ad", full_settings(admission=mode.value)))


def test_a_binding_waits_for_its_policy_and_for_what_the_policies_read() -> None:
    recording = made(AdmissionMode.AUDIT)
    bindings = recording.of(BINDING)
    policies = {
        registered.at("metadata", "name"): registered.urn for registered in recording.of("ValidatingAdmissionPolicy")
    }
    (read,) = recording.of("ConfigMap")

    assert {binding.at("spec", "policyName") for binding in bindings} == set(policies)
    for binding in bindings:
        name = binding.at("spec", "policyName")
        assert isinstance(name, str)
        assert {policies[name], read.urn} <= binding.depends_on


def test_a_policy_waits_for_what_it_reads_as_an_earlier_release_wrote_less_of_it() -> None:
    recording = made(AdmissionMode.AUDIT)
    (read,) = recording.of("ConfigMap")
    policies = recording.of("ValidatingAdmissionPolicy")
    assert policies
    assert all(read.urn in policy.depends_on for policy in policies)


def test_a_change_of_mode_is_other_bindings_of_the_same_policies() -> None:
    bindings = {mode: made(mode).of(BINDING) for mode in AdmissionMode}
    names = [registered.at("metadata", "name") for mode in AdmissionMode for registered in bindings[mode]]
    urns = {binding.urn for mode in AdmissionMode for binding in bindings[mode]}
    assert len(set(names)) == len(urns) == len(names)
    policies = {frozenset(binding.at("spec", "policyName") for binding in bindings[mode]) for mode in AdmissionMode}
    assert len(policies) == 1
