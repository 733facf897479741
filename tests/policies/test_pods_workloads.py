"""Pods are found inside every kind of workload, and read as the scheduler reads them."""

from __future__ import annotations

import pytest

from gpuplatform.analysis.placement.pod import PodAsk
from gpuplatform.standard.requirements import Requirement
from gpuplatform.standard.taints import TaintEffect, Toleration
from policies.judge import judge_one
from policies.lint.judging import Source, lint
from policies.pod import ask, asks_for_cards, containers
from policies.subject import UNKNOWN, of_document
from policies.workloads import WORKLOADS, PodTemplate, pod_templates
from tests.policies.documents import GONE, Document, but
from tests.policies.pod_documents import a_deployment, block, resources

_POD = {"containers": [{"name": "main", "resources": resources("500m")}], **block("infer")}
_TEMPLATE: Document = {"metadata": {"labels": {"app": "a"}}, "spec": _POD}
_SPEC = ("spec", "template", "spec")


def _ray() -> Document:
    return {"headGroupSpec": {"template": _TEMPLATE}, "workerGroupSpecs": [{"template": _TEMPLATE}]}


def _replicas(field: str) -> Document:
    return {field: {"Chief": {"template": _TEMPLATE}, "Worker": {"template": _TEMPLATE}}}


OBJECTS: tuple[tuple[str, str, Document, tuple[str, ...]], ...] = (
    ("v1", "Pod", _POD, ("spec",)),
    ("apps/v1", "Deployment", {"template": _TEMPLATE}, ("spec.template.spec",)),
    ("apps/v1", "StatefulSet", {"template": _TEMPLATE}, ("spec.template.spec",)),
    ("apps/v1", "DaemonSet", {"template": _TEMPLATE}, ("spec.template.spec",)),
    ("apps/v1", "ReplicaSet", {"template": _TEMPLATE}, ("spec.template.spec",)),
    ("batch/v1", "Job", {"template": _TEMPLATE}, ("spec.template.spec",)),
    (
        "batch/v1",
        "CronJob",
        {"jobTemplate": {"spec": {"template": _TEMPLATE}}},
        ("spec.jobTemplate.spec.template.spec",),
    ),
    (
        "jobset.x-k8s.io/v1alpha2",
        "JobSet",
        {"replicatedJobs": [{"template": {"spec": {"template": _TEMPLATE}}}] * 2},
        tuple(f"spec.replicatedJobs[{number}].template.spec.template.spec" for number in (0, 1)),
    ),
    *(
        (
            version,
            kind,
            _replicas(field),
            (f"spec.{field}.Chief.template.spec", f"spec.{field}.Worker.template.spec"),
        )
        for version, kind, field in (
            ("kubeflow.org/v1", "TFJob", "tfReplicaSpecs"),
            ("kubeflow.org/v1", "PyTorchJob", "pytorchReplicaSpecs"),
            ("kubeflow.org/v2beta1", "MPIJob", "mpiReplicaSpecs"),
        )
    ),
    (
        "ray.io/v1",
        "RayCluster",
        _ray(),
        ("spec.headGroupSpec.template.spec", "spec.workerGroupSpecs[0].template.spec"),
    ),
    (
        "ray.io/v1",
        "RayJob",
        {"rayClusterSpec": _ray(), "submitterPodTemplate": _TEMPLATE},
        (
            "spec.rayClusterSpec.headGroupSpec.template.spec",
            "spec.rayClusterSpec.workerGroupSpecs[0].template.spec",
            "spec.submitterPodTemplate.spec",
        ),
    ),
    (
        "ray.io/v1",
        "RayService",
        {"rayClusterConfig": _ray()},
        (
            "spec.rayClusterConfig.headGroupSpec.template.spec",
            "spec.rayClusterConfig.workerGroupSpecs[0].template.spec",
        ),
    ),
    (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
        {"leaderWorkerTemplate": {"leaderTemplate": _TEMPLATE, "workerTemplate": _TEMPLATE}},
        ("spec.leaderWorkerTemplate.leaderTemplate.spec", "spec.leaderWorkerTemplate.workerTemplate.spec"),
    ),
    (
        "serving.kserve.io/v1beta1",
        "InferenceService",
        {"predictor": {"model": {"resources": resources("500m")}, **block("infer")}, "transformer": _POD},
        ("spec.predictor", "spec.transformer"),
    ),
)


def an(version: str, kind: str, spec: Document) -> Document:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "a", "namespace": "b"}, "spec": spec}


def only(document: Document) -> PodTemplate:
    (pod,) = pod_templates(of_document(document))
    return pod


def asked(*path_and_value: object) -> PodAsk:
    pod_ask = ask(only(but(a_deployment(), *_SPEC, *path_and_value)))
    assert pod_ask is not None
    return pod_ask


def test_every_kind_of_the_table_is_tried() -> None:
    assert {kind.name for kind in WORKLOADS} == {kind for _, kind, _, _ in OBJECTS}


@pytest.mark.parametrize(("version", "kind", "spec", "paths"), OBJECTS, ids=[workload[1] for workload in OBJECTS])
def test_the_pods_of_a_workload_are_found_and_judged_where_they_stand(
    version: str, kind: str, spec: Document, paths: tuple[str, ...]
) -> None:
    subject = of_document(an(version, kind, spec))
    assert tuple(pod_template.spec_path for pod_template in pod_templates(subject)) == paths
    paths_judged = [finding.fault.path for finding in judge_one(subject) if finding.rule.name == "pod-card-requests"]
    assert {path for path in paths if any(judged_path.startswith(f"{path}.") for judged_path in paths_judged)} == set(
        paths
    )


def test_a_kind_of_the_same_name_in_another_group_makes_no_pods() -> None:
    assert list(pod_templates(of_document(an("example.com/v1", "Job", {"template": _TEMPLATE})))) == []


def test_a_workload_written_wrongly_or_not_known_yet_makes_no_pods() -> None:
    specs: tuple[object, ...] = (UNKNOWN, 5, {"template": UNKNOWN}, {"template": {"spec": UNKNOWN}}, {"template": "x"})
    for spec in specs:
        document: Document = {"apiVersion": "apps/v1", "kind": "Deployment", "spec": spec}
        assert list(pod_templates(of_document(document))) == []


def test_what_a_pod_asks_is_the_sum_of_what_runs_and_the_most_of_what_prepares() -> None:
    def of(amount: str) -> dict[str, object]:
        return {"resources": {"requests": {"cpu": amount, "nvidia.com/gpu": 1}, "limits": {"memory": "1Gi"}}}

    pod = but(a_deployment(), *_SPEC, "containers", [of("1500m"), of("0.5")])
    prepares, beside = of("3"), {**of("250m"), "restartPolicy": "Always"}
    pod_ask = ask(only(but(pod, *_SPEC, "initContainers", [prepares, beside])))
    assert pod_ask is not None
    assert (pod_ask.cpu_millis, pod_ask.memory_mib) == (3000, 3072)
    assert pod_ask.devices == (("nvidia.com/gpu", 3),)
    assert pod_ask.most_in_one_container("nvidia.com/gpu") == 1


def test_null_asks_for_nothing_and_hides_nothing_else() -> None:
    pod_ask = asked("containers", 0, "resources", "limits", "memory", None)
    assert pod_ask.devices == (("nvidia.com/gpu", 1),)


def test_selector_and_affinity_are_joined_and_terms_are_alternatives() -> None:
    terms = [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
        {"matchExpressions": [{"key": "zone", "operator": "Exists"}]},
        {},
    ]
    pod = but(a_deployment(), *_SPEC, "nodeSelector", {"gpu.pool": "infer", "n": 5})
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    pod_ask = ask(only(but(pod, *_SPEC, "affinity", {"nodeAffinity": required})))
    assert pod_ask is not None
    from_selector = (Requirement("gpu.pool", "In", ("infer",)), Requirement("n", "In", ("5",)))
    assert pod_ask.alternatives == (
        (*from_selector, Requirement("zone", "In", ("a",))),
        (*from_selector, Requirement("zone", "Exists")),
    )


def test_tolerations_are_read_with_the_api_s_defaults() -> None:
    written = [
        {"operator": "Exists"},
        {"key": "a", "value": "b"},
        {"key": "c", "operator": "Exists", "effect": "NoExecute"},
        {"key": "d", "operator": "Near"},
        {"value": "no key"},
    ]
    assert asked("tolerations", written).tolerations == (
        Toleration("", None, None),
        Toleration("a", "b", None),
        Toleration("c", None, TaintEffect.NO_EXECUTE),
    )


@pytest.mark.parametrize(
    "path_and_value",
    [
        ("tolerations", UNKNOWN),
        ("tolerations", 0, "key", UNKNOWN),
        ("nodeSelector", "gpu.pool", UNKNOWN),
        ("containers", UNKNOWN),
        ("containers", 0, "resources", "requests", "cpu", UNKNOWN),
        ("containers", 0, "resources", "requests", "cpu", "plenty"),
        ("containers", 0, "resources", "requests", "cpu", "9" * 5000),
        ("affinity", UNKNOWN),
    ],
)
def test_nothing_is_said_of_what_is_not_known(path_and_value: tuple[object, ...]) -> None:
    assert ask(only(but(a_deployment(), *_SPEC, *path_and_value))) is None


def test_a_pod_asks_for_cards_by_amount_or_by_claim_and_not_by_zero() -> None:
    assert asks_for_cards(only(a_deployment()))
    assert not asks_for_cards(only(but(a_deployment(), *_SPEC, "containers", 0, "resources", resources("0"))))
    none = but(a_deployment(), *_SPEC, "containers", 0, "resources", GONE)
    assert not asks_for_cards(only(none))
    claim = [{"name": "card", "resourceClaimTemplateName": "card"}]
    assert asks_for_cards(only(but(none, *_SPEC, "resourceClaims", claim)))
    assert not asks_for_cards(only(but(but(none, *_SPEC, "resourceClaims", claim), *_SPEC, "nodeSelector", GONE)))


@pytest.mark.parametrize("server", ["model", "triton", "lightgbm", "paddle"])
def test_a_model_server_without_a_list_of_containers_is_one(server: str) -> None:
    predictor = {server: {"resources": resources("1")}, **block("infer")}
    pod = only(an("serving.kserve.io/v1beta1", "InferenceService", {"predictor": predictor}))
    assert [container.path for container in containers(pod)] == [f"spec.predictor.{server}.resources"]


def test_a_pod_without_cards_is_left_alone() -> None:
    plain = but(a_deployment(), *_SPEC, {"containers": [{"name": "main"}], "nodeSelector": {"workload": "batch"}})
    assert judge_one(of_document(plain)) == []
    agent = but(a_deployment(), *_SPEC, {"containers": [{"name": "main"}], "tolerations": [{"operator": "Exists"}]})
    assert judge_one(of_document(agent)) == []


def test_limits_alone_are_requests_too() -> None:
    deployment = but(a_deployment(), *_SPEC, "containers", 0, "resources", "requests", GONE)
    assert judge_one(of_document(deployment)) == []
    assert lint([Source("empty", b"")]).findings == ()
