import pytest

from gpuplatform.accept import check
from gpuplatform.faults import errors
from gpuplatform.outputs import describe
from gpuplatform.render.block import block
from gpuplatform.render.document import as_yaml, namespace_of
from gpuplatform.render.stack import Rendered, render
from gpuplatform.settings.settings import Settings
from gpuplatform.settings.source import Plain
from policies.judge import judge
from policies.subject import of_document, of_release
from tests.builders import (
    STACKS,
    a_namespace,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    settings_object,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import at, list_at, mapping_at, of_kind

SLICES = a_static_pool(name="slices", dra=True, sharing={"mig": "1g.10gb"}, mig_bring_up="before-kubelet")
CARDS = a_static_pool(name="cards", dra=True, taints=[{"key": "claims", "value": "cards"}])
OPERANDS = "nvidia.com/gpu.deploy.operands"

TEMPLATE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata:
  name: mig-1g-10gb
  namespace: ml-serving
spec:
  spec:
    devices:
      requests:
      - name: card
        exactly:
          deviceClassName: mig.nvidia.com
          selectors:
          - cel:
              expression: device.attributes['gpu.nvidia.com'].profile == '1g.10gb'
"""


def stack(quota: dict[str, Plain], *pools: Plain) -> Settings:
    plain = settings_object(pools=list(pools))
    plain["tenants"] = [a_tenant(namespaces=[{**a_namespace(), "quota": quota}])]
    loaded = check(plain)
    assert loaded.settings is not None, [str(fault) for fault in errors(loaded.faults)]
    return loaded.settings


def claims(rendered: Rendered) -> dict[str, object]:
    (quota,) = (document for document in rendered.documents if at(document, "metadata", "name") == "claims")
    return mapping_at(quota, "spec", "hard")


def test_a_namespace_with_a_quota_of_slices_finds_a_template_that_claims_one() -> None:
    rendered = render(stack({"nvidia.com/mig-1g.10gb": 4}, SLICES))
    (template,) = of_kind(rendered.documents, "ResourceClaimTemplate").values()
    assert as_yaml(template) == TEMPLATE


def test_a_whole_card_is_claimed_by_its_class_alone() -> None:
    rendered = render(stack({"nvidia.com/gpu": 2}, CARDS))
    (template,) = of_kind(rendered.documents, "ResourceClaimTemplate").values()
    assert at(template, "metadata", "name") == "card"
    (request,) = list_at(template, "spec", "spec", "devices", "requests")
    assert request["exactly"] == {"deviceClassName": "gpu.nvidia.com"}


def test_a_namespace_gets_templates_only_for_what_it_has_a_quota_of() -> None:
    settings = stack({"nvidia.com/gpu": 2, "nvidia.com/mig-1g.10gb": 0}, CARDS, SLICES)
    templates = of_kind(render(settings).documents, "ResourceClaimTemplate")
    assert set(templates) == {"card"}
    assert {namespace_of(template) for template in templates.values()} == {"ml-serving"}


# A quota of nvidia.com/gpu does not count claims (Kubernetes: <class>.deviceclass.resource.k8s.io/devices does).
def test_claims_are_counted_by_a_quota_of_their_own() -> None:
    assert claims(render(stack({"nvidia.com/gpu": 2, "nvidia.com/mig-1g.10gb": 4}, CARDS, SLICES))) == {
        "gpu.nvidia.com.deviceclass.resource.k8s.io/devices": "2",
        "mig.nvidia.com.deviceclass.resource.k8s.io/devices": "4",
    }


def test_a_namespace_without_a_share_of_claimed_cards_may_claim_none() -> None:
    rendered = render(stack({"nvidia.com/mig-1g.10gb": 4}, SLICES, CARDS))
    assert claims(rendered)["gpu.nvidia.com.deviceclass.resource.k8s.io/devices"] == "0"
    none = render(stack({}, SLICES))
    assert of_kind(none.documents, "ResourceClaimTemplate") == {}
    assert set(claims(none).values()) == {"0"}


def test_the_device_plugin_and_the_driver_never_share_a_node() -> None:
    rendered = render(stack({}, SLICES, a_slice_pool()))
    driver = rendered.device_plugin_values["dra-driver-nvidia-gpu"]
    assert at(driver, "kubeletPlugin", "nodeSelector") == {OPERANDS: "false"}
    labels = {
        name: mapping_at(document, "spec", "template", "metadata", "labels").get(OPERANDS)
        for name, document in of_kind(rendered.documents, "NodePool").items()
    }
    assert labels == {"slices-h100-80gb-on-demand-us-east-1a": "false", "worker-a100-80gb-on-demand": None}


def test_a_managed_node_group_keeps_the_operands_away_as_well() -> None:
    pool = {**CARDS, "provisioner": "managed-node-group"}
    (group,) = render(stack({}, pool)).node_groups
    assert group.labels[OPERANDS] == "false"


def test_the_driver_lands_on_tainted_nodes_and_hands_out_cards_only() -> None:
    driver = render(stack({}, CARDS)).device_plugin_values["dra-driver-nvidia-gpu"]
    assert at(driver, "nvidiaDriverRoot") == "/"
    assert at(driver, "gpuResourcesEnabledOverride") is True
    assert at(driver, "resources") == {"gpus": {"enabled": True}, "computeDomains": {"enabled": False}}
    tolerated = {toleration["key"] for toleration in list_at(driver, "kubeletPlugin", "tolerations")}
    assert tolerated == {"nvidia.com/gpu", "dedicated", "gpu.pool", "gpu.role", "claims"}


def test_a_pool_for_claims_has_no_overlay() -> None:
    plain = stack({}, SLICES, a_slice_pool())
    assert set(of_kind(render(plain).documents, "NodeOverlay")) == {"worker-a100-80gb-on-demand"}


def test_a_pods_block_names_the_template_and_counts_no_card() -> None:
    (pool,) = stack({}, SLICES).pools
    fragment = block(pool).as_pod_fragment()
    assert fragment["resourceClaims"] == [{"name": "card", "resourceClaimTemplateName": "mig-1g-10gb"}]
    (container,) = list_at(fragment, "containers")
    assert container["resources"] == {"claims": [{"name": "card"}]}


def test_another_team_reads_the_template_from_the_outputs() -> None:
    outputs = describe(stack({}, SLICES), "https://example.invalid")
    assert [pool.claim_template for pool in outputs.pools] == ["mig-1g-10gb"]
    assert "claim_template" not in str(describe(some_settings(), "https://example.invalid").as_plain())


def test_everything_rendered_for_claims_passes_the_policy_pack() -> None:
    rendered = render(stack({"nvidia.com/gpu": 2, "nvidia.com/mig-1g.10gb": 4}, CARDS, SLICES))
    subjects = [of_document(document) for document in rendered.documents]
    subjects += [of_release(chart, values) for chart, values in rendered.values.items()]
    assert [str(finding) for finding in judge(subjects)] == []


@pytest.mark.parametrize("name", STACKS)
def test_no_environment_has_anything_of_it_by_default(name: str) -> None:
    rendered = render(stack_settings(name))
    text = str([rendered.documents, rendered.values])
    assert "resource.k8s.io" not in text
    assert OPERANDS not in text
    assert "dra-driver-nvidia-gpu" not in rendered.values
