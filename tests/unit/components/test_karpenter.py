from __future__ import annotations

import functools
import json

from gpuplatform.render.karpenter import INTERRUPTION_EVENTS, controller_policies
from gpuplatform.standard.names import KARPENTER_SERVICE_ACCOUNT
from gpuplatform.standard.versions import CHARTS
from tests.recorder import Recording, record
from tests.unit.components.builders import full_settings, karpenter

SETTINGS = full_settings()


@functools.cache
def made() -> Recording:
    return record(lambda: karpenter("ka", SETTINGS))


def test_both_charts_are_pinned_and_the_second_leaves_the_crds_to_the_first() -> None:
    recording = made()
    crds, controller = recording.named("ka-crds"), recording.named("ka-controller", "Release")
    assert crds.inputs["chart"] == CHARTS["karpenter-crd"].repository
    assert crds.inputs["version"] == CHARTS["karpenter-crd"].pin.version
    assert controller.inputs["version"] == CHARTS["karpenter"].pin.version
    assert crds.inputs.get("skipCrds") is False
    assert controller.inputs["skipCrds"] is True
    assert crds.urn in controller.depends_on


def test_the_controller_starts_when_its_role_and_its_queue_are_ready() -> None:
    recording = made()
    ready = {
        registered.urn
        for kind in ("AccessEntry", "PodIdentityAssociation", "RolePolicyAttachment", "QueuePolicy", "EventTarget")
        for registered in recording.of(kind)
    }
    assert ready <= recording.named("ka-crds").depends_on


def test_the_accounts_role_for_spot_is_made_before_karpenter_where_asked_for_and_outlives_the_stack() -> None:
    asked = full_settings(account={"spot_service_linked_role": "create"})
    recording = record(lambda: karpenter("ka", asked))
    (role,) = recording.of("ServiceLinkedRole")
    assert role.inputs["awsServiceName"] == "spot.amazonaws.com"
    assert role.request.retainOnDelete
    assert role.urn in recording.named("ka-crds").depends_on
    assert made().of("ServiceLinkedRole") == []


def test_the_controller_takes_its_role_by_pod_identity_and_holds_the_published_policies_alone() -> None:
    recording = made()
    (identity,) = recording.of("PodIdentityAssociation")
    assert (identity.inputs["namespace"], identity.inputs["serviceAccount"]) == (
        "kube-system",
        KARPENTER_SERVICE_ACCOUNT,
    )
    documents = {registered.name: json.loads(str(registered.inputs["policy"])) for registered in recording.of("Policy")}
    published = controller_policies(SETTINGS)
    assert documents == {
        f"ka-controller-{name}": json.loads(json.dumps(document)) for name, document in published.items()
    }
    attached = [
        attachment
        for attachment in recording.of("RolePolicyAttachment")
        if attachment.name.startswith("ka-controller-")
    ]
    assert {attachment.inputs["policyArn"] for attachment in attached} == {
        f"arn:aws:recorded::111122223333:{policy.name}" for policy in recording.of("Policy")
    }


def test_every_kind_of_interruption_reaches_the_queue() -> None:
    recording = made()
    patterns = {
        registered.name: json.loads(str(registered.inputs["eventPattern"])) for registered in recording.of("EventRule")
    }
    assert patterns == {f"ka-{name}": json.loads(json.dumps(pattern)) for name, pattern in INTERRUPTION_EVENTS.items()}
    targets = recording.of("EventTarget")
    assert {target.inputs["arn"] for target in targets} == {"arn:aws:recorded::111122223333:ka-interruptions"}
    assert {target.inputs["rule"] for target in targets} == {f"gpu-test-{event}" for event in INTERRUPTION_EVENTS}


def test_nodes_may_join_the_cluster() -> None:
    recording = made()
    (entry,) = recording.of("AccessEntry")
    assert entry.inputs["type"] == "EC2_LINUX"
    assert entry.inputs["principalArn"] == "arn:aws:recorded::111122223333:ka-node"
