import pytest

from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from tests.builders import STACKS, a_namespace, a_pool, a_slice_pool, a_tenant, some_settings, stack_settings
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

Documents = dict[str, dict[str, object]]


def of_namespace(kind: str, tenant: Plain = None, **namespace: Plain) -> Documents:
    """The documents of one kind for one tenant with one namespace."""
    chosen = tenant if tenant is not None else a_tenant(namespaces=[a_namespace(**namespace)])
    rendered = render(some_settings(pools=[a_pool(), a_slice_pool()], tenants=[chosen]))
    (documents,) = rendered.tenants
    return {
        name: dict(document) for name, document in of_kind((documents.namespace, *documents.contents), kind).items()
    }


def test_a_namespace_says_whose_it_is_and_how_strict_it_is() -> None:
    assert at(of_namespace("Namespace")["ml-serving"], "metadata", "labels") == {
        "team": "platform",
        "env": "production",
        "gpu-platform/scheduling": "serving",
        "app.kubernetes.io/part-of": "gpu-platform",
        "pod-security.kubernetes.io/enforce": "baseline",
        "pod-security.kubernetes.io/enforce-version": "latest",
        "pod-security.kubernetes.io/warn": "restricted",
    }


def test_a_namespace_may_be_stricter() -> None:
    namespace_document = of_namespace("Namespace", pod_security="restricted")["ml-serving"]
    assert at(namespace_document, "metadata", "labels", "pod-security.kubernetes.io/enforce") == "restricted"


# Correction 22: quota keys have the prefix. What a namespace is not given is zero, slices too.
def test_a_quota_counts_requests_of_every_resource_that_the_pools_offer() -> None:
    (quota,) = of_namespace("ResourceQuota", max_pods=50).values()
    assert at(quota, "spec", "hard") == {
        "requests.nvidia.com/gpu": "2",
        "requests.nvidia.com/mig-1g.10gb": "0",
        "pods": "50",
    }


# Correction 8: it is a field of the account, and an annotation does nothing.
def test_a_workloads_account_mounts_no_token() -> None:
    (account,) = of_namespace("ServiceAccount").values()
    assert account["automountServiceAccountToken"] is False
    assert "annotations" not in mapping_at(account, "metadata")


def test_an_account_reads_only_what_is_named_and_never_lists() -> None:
    (role,) = of_namespace(
        "Role", a_tenant(groups=[], namespaces=[a_namespace(readable_configs=["model"], readable_secrets=["token"])])
    ).values()
    assert role["rules"] == [
        {"apiGroups": [""], "resources": ["configmaps"], "resourceNames": ["model"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["token"], "verbs": ["get"]},
    ]


def test_an_account_that_reads_nothing_has_no_role() -> None:
    assert of_namespace("Role", a_tenant(groups=[])) == {}


def test_a_teams_people_run_workloads_and_see_no_secrets_no_shell_and_change_no_limits() -> None:
    role = of_namespace("Role")["serving-team"]
    allowed = {
        (str(resource), str(verb))
        for rule in list_at(role, "rules")
        for resource in list_at(rule, "resources")
        for verb in list_at(rule, "verbs")
    }
    assert ("pods", "create") in allowed
    assert ("jobs", "create") in allowed
    assert not {resource for resource, _ in allowed} & {"secrets", "pods/exec", "pods/attach", "roles", "rolebindings"}
    assert {verb for resource, verb in allowed if resource in ("resourcequotas", "limitranges")} == {
        "get",
        "list",
        "watch",
    }
    assert "*" not in {part for pair in allowed for part in pair}
    binding = of_namespace("RoleBinding")["serving-team"]
    assert at(binding, "roleRef", "name") == "serving-team"
    assert at(binding, "subjects") == [
        {"kind": "Group", "name": "serving-team", "apiGroup": "rbac.authorization.k8s.io"}
    ]


def test_a_team_without_groups_gets_no_access() -> None:
    assert of_namespace("RoleBinding", a_tenant(groups=[])) == {}


def test_a_container_that_names_nothing_gets_defaults() -> None:
    (limits,) = of_namespace("LimitRange", default_cpu_millis=250, default_memory_mib=512).values()
    assert at(limits, "spec", "limits") == [
        {"type": "Container", "default": {"memory": "512Mi"}, "defaultRequest": {"cpu": "250m", "memory": "512Mi"}}
    ]


def test_a_shell_is_there_for_a_team_that_asks_for_one_and_opens_nothing_else() -> None:
    plain, asked = (list_at(of_namespace("Role", shell=shell)["serving-team"], "rules") for shell in (False, True))
    assert [rule for rule in asked if rule not in plain] == [
        {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["create", "get"]}
    ]


# The API server's refusal says the quota's name, and not the namespace's.
def test_a_quota_carries_the_name_of_its_namespace() -> None:
    assert set(of_namespace("ResourceQuota")) == {"ml-serving-cards"}


@pytest.mark.parametrize(
    "kind", ["ServiceAccount", "Role", "RoleBinding", "ResourceQuota", "LimitRange", "NetworkPolicy"]
)
def test_everything_inside_stands_in_the_namespace(kind: str) -> None:
    for document in of_namespace(kind).values():
        assert at(document, "metadata", "namespace") == "ml-serving"


@pytest.mark.parametrize("stack", STACKS)
def test_every_namespace_of_an_environment_has_a_quota_a_default_deny_and_a_level(stack: str) -> None:
    for tenant in render(stack_settings(stack)).tenants:
        assert "pod-security.kubernetes.io/enforce" in mapping_at(tenant.namespace, "metadata", "labels")
        assert of_kind(tenant.contents, "ResourceQuota")
        assert "default-deny" in of_kind(tenant.contents, "NetworkPolicy")


# The teams of the operations guide, by name.
def test_dev_has_the_three_tenants_of_the_operations_guide() -> None:
    names = [at(tenant.namespace, "metadata", "name") for tenant in render(stack_settings("dev")).tenants]
    assert names == ["ml-serving", "ml-training", "ml-notebook"]
