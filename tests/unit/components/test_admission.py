from __future__ import annotations

from gpuplatform.settings.admission import AdmissionMode
from tests.recorder import Recording, record
from tests.unit.components.builders import admission, full_settings

BINDING = "ValidatingAdmissionPolicyBinding"


def made(mode: AdmissionMode) -> Recording:
    return record(lambda: admission("ad", full_settings(admission=mode.value)))


def test_a_binding_waits_for_its_policy_and_for_what_the_policies_read() -> None:
    recording = made(AdmissionMode.AUDIT)
    bindings = recording.of(BINDING)
    policies = {each.at("metadata", "name"): each.urn for each in recording.of("ValidatingAdmissionPolicy")}
    (read,) = recording.of("ConfigMap")

    assert {each.at("spec", "policyName") for each in bindings} == set(policies)
    for each in bindings:
        name = each.at("spec", "policyName")
        assert isinstance(name, str)
        assert {policies[name], read.urn} <= each.depends_on


def test_a_policy_waits_for_what_it_reads_as_an_earlier_release_wrote_less_of_it() -> None:
    recording = made(AdmissionMode.AUDIT)
    (read,) = recording.of("ConfigMap")
    policies = recording.of("ValidatingAdmissionPolicy")
    assert policies
    assert all(read.urn in each.depends_on for each in policies)


def test_a_change_of_mode_is_other_bindings_of_the_same_policies() -> None:
    bindings = {mode: made(mode).of(BINDING) for mode in AdmissionMode}
    names = [each.at("metadata", "name") for mode in AdmissionMode for each in bindings[mode]]
    urns = {each.urn for mode in AdmissionMode for each in bindings[mode]}
    assert len(set(names)) == len(urns) == len(names)
    policies = {frozenset(each.at("spec", "policyName") for each in bindings[mode]) for mode in AdmissionMode}
    assert len(policies) == 1
