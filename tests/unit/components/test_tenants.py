from __future__ import annotations

import functools

from gpuplatform.settings.source import Plain
from tests.builders import a_namespace, a_tenant
from tests.recorder import Recording, record
from tests.unit.components.builders import full_settings, tenants


@functools.cache
def made() -> Recording:
    teams: list[Plain] = [
        a_tenant(namespaces=[a_namespace(), a_namespace(name="ml-batch")]),
        a_tenant(name="research", team="ml-research", namespaces=[a_namespace(name="ml-research")]),
    ]
    settings = full_settings(tenants=teams)
    return record(lambda: tenants("te", settings))


def test_everything_of_a_namespace_waits_for_it() -> None:
    recording = made()
    by_name = {namespace.at("metadata", "name"): namespace.urn for namespace in recording.of("Namespace")}
    assert set(by_name) == {"ml-serving", "ml-batch", "ml-research"}
    inside = [resource for resource in recording.resources if resource.at("metadata", "namespace") in by_name]
    assert inside
    for registered in inside:
        assert by_name[registered.at("metadata", "namespace")] in registered.depends_on, registered.name


def test_the_namespaces_are_the_components_output() -> None:
    recording = made()
    (root,) = recording.of("Tenants")
    assert recording.outputs[root.urn] == {"namespaces": ["ml-serving", "ml-batch", "ml-research"]}


def test_what_all_teams_share_stands_once() -> None:
    recording = made()
    names = [registered.at("metadata", "name") for registered in recording.of("PriorityClass")]
    assert names
    assert len(names) == len(set(names))


def test_only_the_account_of_a_namespace_with_buckets_takes_its_role() -> None:
    buckets: list[Plain] = [{"name": "models", "access": "read"}]
    teams: list[Plain] = [a_tenant(namespaces=[a_namespace(buckets=buckets), a_namespace(name="ml-batch")])]
    settings = full_settings(tenants=teams)
    recording = record(lambda: tenants("te", settings))
    (association,) = recording.of("PodIdentityAssociation")
    assert (association.at("namespace"), association.at("serviceAccount")) == ("ml-serving", "server")
    (role,) = recording.of("aws:iam/role:Role")
    (policy,) = recording.of("Policy")
    assert "pods.eks.amazonaws.com" in str(role.at("assumeRolePolicy"))
    assert "arn:aws:s3:::models" in str(policy.at("policy"))
    attachments = {registered.urn for registered in recording.of("RolePolicyAttachment")}
    assert attachments
    assert attachments <= set(association.depends_on)
