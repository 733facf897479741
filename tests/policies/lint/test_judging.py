"""Which objects of a file are judged, by which rules, and what a finding contains."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
import yaml

from gpuplatform.accept import check_file
from gpuplatform.analysis.placement.stack import stack_view
from gpuplatform.render.stack import render
from policies.lint.judging import LintResult, Source, lint, read
from tests.builders import STACKS, stack_file, stack_settings
from tests.policies.cloud_documents import a_cluster_role, a_cluster_role_binding, a_load_balancer
from tests.policies.documents import GONE, GOOD, Document, a_namespace, a_priority_class, a_quota, but, the_operator
from tests.policies.pod_documents import a_deployment, a_headless_service, a_job

BAD_CLASS = but(a_priority_class(), "globalDefault", True)
_POD = ("spec", "template", "spec")


def text_of(*documents: object) -> str:
    return yaml.safe_dump_all(copy.deepcopy(documents))


def linted(*documents: object, name: str = "a.yaml") -> LintResult:
    return lint([Source(name, text_of(*documents).encode())])


def rules(result: LintResult) -> list[str]:
    return [finding.rule.name for finding in result.findings]


def manifests(documents: Iterable[Document]) -> list[Document]:
    """Those that kubectl would take: no cloud resource, no chart's release."""
    return [document for document in documents if ":" not in str(document["kind"]) and document["kind"] != "Release"]


def test_what_is_good_has_no_finding() -> None:
    good = manifests(GOOD)
    result = linted(*good)
    assert rules(result) == []
    assert (result.files, result.objects) == (1, len(good))


@pytest.mark.parametrize("stack", STACKS)
def test_everything_that_a_stack_renders_has_no_finding(stack: str) -> None:
    settings = check_file(stack_file(stack)).settings
    assert settings is not None
    result = lint([Source("all", text_of(*render(settings).documents).encode())], stack_view(settings))
    assert rules(result) == []


def test_a_finding_names_file_line_object_and_rule() -> None:
    (finding,) = linted(a_headless_service(), but(a_deployment(), *_POD, "runtimeClassName", "runc")).findings
    assert (finding.file, finding.kind, finding.namespace, finding.name) == (
        "a.yaml",
        "Deployment",
        "ml-serving",
        "chat",
    )
    assert finding.rule.name == "pod-runtime-class"
    lines = text_of(a_headless_service(), but(a_deployment(), *_POD, "runtimeClassName", "runc")).splitlines()
    assert lines[finding.line - 1].strip() == "runtimeClassName: runc"


def test_an_object_inside_a_list_is_judged_on_its_own_line() -> None:
    inner = {"apiVersion": "v1", "kind": "List", "items": [BAD_CLASS]}
    result = linted({"apiVersion": "v1", "kind": "List", "items": [a_quota(), inner]})
    (finding,) = result.findings
    assert (finding.rule.name, finding.name, result.objects) == ("priority-class-not-default", "inference-critical", 2)
    listed = {"apiVersion": "v1", "kind": "List", "items": [a_quota(), inner]}
    assert "globalDefault" in text_of(listed).splitlines()[finding.line - 1]


@pytest.mark.parametrize(
    "document",
    [
        {"apiVersion": "example.com/v1", "kind": "Deployment", "spec": {"template": 5}},
        {"apiVersion": "unheard.of/v9", "kind": "Thing"},
        {"kind": 5},
        {"kind": "Deployment"},
        {"apiVersion": "apps/v1", "kind": "Deployment"},
        {"apiVersion": ["apps/v1"], "kind": "Deployment", "metadata": "x"},
        {"kind": "List", "items": "x"},
        {"values": {"a": 1}},
        ["a", {"kind": "List"}],
        "text",
        None,
        5,
    ],
)
def test_what_no_rule_is_about_passes_silently(document: object) -> None:
    assert rules(linted(document)) == []


@pytest.mark.parametrize(
    ("document", "written"),
    [
        ({"apiVersion": "apps/v1", "knid": "Deployment"}, "no kind, but apiVersion, knid"),
        ({"kind": "Deployment"}, "no apiVersion, but kind"),
        ({"apiVersion": ["apps/v1"], "kind": 5}, "no apiVersion and no kind, but apiVersion, kind"),
        ({f"key{number}": number for number in range(9)}, "key5 and more"),
        ({}, "no apiVersion and no kind, but nothing"),
        (["a", {"kind": "List"}], "a list"),
        ("text " * 100, "'text text"),
        (5, "5"),
    ],
)
def test_beside_an_object_a_document_that_is_none_is_a_finding_on_its_line(document: object, written: str) -> None:
    text = f"{text_of(a_quota())}---\n{text_of(document)}".encode()
    (finding,) = lint([Source("a.yaml", text)]).findings
    assert (finding.rule.name, finding.file, finding.kind) == ("manifest", "a.yaml", "")
    assert text.decode().splitlines()[finding.line - 2] == "---"
    assert written in finding.fault.given
    assert len(finding.fault.given) < 100
    assert finding.fault.path == "document 2"


def test_a_file_that_is_named_has_to_be_a_manifest_and_one_of_a_directory_has_not() -> None:
    values = b"replicas: 3\n---\n- a\n"
    assert rules(lint([Source("values.yaml", values)])) == []
    assert rules(lint([Source("values.yaml", values, named=True)])) == ["manifest", "manifest"]
    assert rules(lint([Source("empty.yaml", b"# nothing yet\n---\n---\nnull\n", named=True)])) == []


def test_an_item_of_a_list_that_is_no_object_is_a_finding_on_its_line() -> None:
    listed = {"apiVersion": "v1", "kind": "List", "items": [a_quota(), {"kind": "Pod"}, None]}
    findings = linted(listed).findings
    assert [(lint_finding.fault.path, lint_finding.fault.given) for lint_finding in findings] == [
        ("items[1]", "no apiVersion, but kind"),
        ("items[2]", "nothing"),
    ]
    lines = text_of(listed).splitlines()
    assert [lines[finding.line - 1].strip() for finding in findings] == ["- kind: Pod", "- null"]
    typed = {"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}
    assert rules(linted(typed)) == [], "kubectl gives each item the list's own kind"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"a: \x00", b"\x89PNG\r\n\x1a\n\x00"])
def test_a_binary_file_is_a_finding(content: bytes) -> None:
    (finding,) = lint([Source("a.png", content)]).findings
    assert (finding.rule.name, finding.file, finding.line, finding.kind) == ("yaml", "a.png", 1, "")
    assert "binary" in finding.fault.given


def test_a_file_that_cannot_be_read_is_a_finding(tmp_path: Path) -> None:
    (finding,) = lint([read(tmp_path, "a directory")]).findings
    assert finding.rule.name == "yaml"
    assert "cannot be read" in finding.fault.given


def test_broken_yaml_is_a_finding_and_the_objects_before_it_are_judged() -> None:
    result = lint([Source("a.yaml", (text_of(BAD_CLASS) + "---\nb: [\n").encode())])
    assert sorted(rules(result)) == ["priority-class-not-default", "yaml"]


def test_one_object_with_a_key_twice_hides_no_other() -> None:
    twice = "apiVersion: v1\nkind: Service\nkind: Pod\n---\n"
    result = lint([Source("a.yaml", (twice + text_of(BAD_CLASS) + "---\n" + twice).encode())])
    assert rules(result) == ["yaml", "priority-class-not-default", "yaml"]
    assert result.objects == 1


def test_a_byte_order_mark_is_no_fault() -> None:
    result = lint([Source("a.yaml", b"\xef\xbb\xbf" + text_of(BAD_CLASS).encode())])
    assert rules(result) == ["priority-class-not-default"]


def test_objects_of_several_files_are_judged_together() -> None:
    job, service = text_of(a_job()).encode(), text_of(a_headless_service()).encode()
    assert rules(lint([Source("job", job)])) == ["torchrun-first-pod-found"]
    assert rules(lint([Source("job", job), Source("service", service)])) == []


def test_rules_over_a_whole_stack_are_not_asked_of_a_team_s_files() -> None:
    namespace = next(document for document in GOOD if document["kind"] == "Namespace")
    assert rules(linted(namespace)) == []


def test_findings_come_in_the_order_of_the_files() -> None:
    files = [Source(name, text_of(BAD_CLASS).encode()) for name in ("b", "a")] + [Source("c", b"\xff")]
    assert [finding.file for finding in lint(reversed(files)).findings] == ["c", "a", "b"]


def _flux(values: object, **more: object) -> Document:
    spec = {"chart": {"spec": {"chart": "gpu-operator"}}, "values": values, **more}
    return {"apiVersion": "helm.toolkit.fluxcd.io/v2", "kind": "HelmRelease", "metadata": {"name": "a"}, "spec": spec}


def _argo(values: object, **helm: object) -> Document:
    source = {"chart": "gpu-operator", "helm": {"valuesObject": values, **helm}}
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "a"},
        "spec": {"source": source},
    }


def _cluster_policy(values: dict[str, object]) -> Document:
    spec = {key: value for key, value in values.items() if key != "node-feature-discovery"}
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy"},
        "spec": spec,
    }


def _argo_text(values: object) -> Document:
    return but(_argo(None), "spec", "source", "helm", {"values": yaml.safe_dump(values)})


def _argo_sources(values: object) -> Document:
    sources: list[Document] = [
        {"repoURL": "https://git.example", "ref": "ours"},
        {"chart": "gpu-operator", "helm": {"valuesObject": values}},
    ]
    return but(_argo(None), "spec", {"source": {"chart": "another"}, "sources": sources})


def _flux_with_more(values: object) -> Document:
    return _flux(values, valuesFrom=[{"kind": "ConfigMap", "name": "a"}])


def _argo_with_more(values: object) -> Document:
    return _argo(values, valueFiles=["$ours/a.yaml"])


@pytest.mark.parametrize(
    "form", [_flux, _argo, _cluster_policy, _argo_text, _argo_sources, _flux_with_more, _argo_with_more]
)
def test_a_chart_s_values_are_judged_in_whichever_object_they_stand(form: Callable[[object], Document]) -> None:
    good = the_operator()["values"]
    assert rules(linted(form(good))) == []
    bad = form(but({"v": good}, "v", "toolkit", "enabled", True)["v"])
    (finding,) = linted(bad).findings
    assert finding.rule.name == "operator-installs-nothing"
    line = text_of(bad).splitlines()[finding.line - 1].strip()
    assert line.startswith("values: ") if form is _argo_text else line == "enabled: true"


@pytest.mark.parametrize(
    "document",
    [
        _flux_with_more({}),
        _argo_with_more({}),
        _flux_with_more({"driver": {}}),
        _argo_with_more({"toolkit": {"version": "1"}}),
        but(_argo(None), "spec", "source", "helm", {"values": "{{ not yaml"}),
    ],
)
def test_values_of_another_file_are_not_guessed(document: Document) -> None:
    assert rules(linted(document)) == []


def test_a_text_without_values_leaves_the_chart_s_own() -> None:
    for text in ("", "# nothing yet\n"):
        document = but(_argo(None), "spec", "source", "helm", {"values": text})
        assert "operator-installs-nothing" in rules(linted(document))


def _parameter(name: str, value: str, **more: object) -> Document:
    return _argo(the_operator()["values"], parameters=[{"name": name, "value": value, **more}])


def test_a_parameter_goes_before_the_values_beside_it() -> None:
    (finding,) = linted(_parameter("driver.enabled", "true")).findings
    assert finding.rule.name == "operator-installs-nothing"
    assert finding.fault.path == "spec.source.helm.parameters[0].value"
    assert rules(linted(_parameter("driver.enabled", "false"))) == []
    assert rules(linted(_parameter("driver.enabled", "false", forceString=True))) == ["operator-installs-nothing"]
    assert rules(linted(_parameter("daemonsets.tolerations[0].key", "none"))) == []
    files = [{"name": name, "path": "a.yaml"} for name in ("driver", "toolkit")]
    assert "operator-installs-nothing" not in rules(linted(_argo(None, fileParameters=files)))
    assert "operator-installs-nothing" in rules(linted(_argo(None)))


def test_a_quota_may_forbid_what_nobody_offers() -> None:
    assert rules(linted(but(a_quota(), "spec", "hard", "requests.nvidia.com/gpu.shared", "0"))) == []


def _service(annotations: dict[str, str], **spec: str) -> Document:
    service = but(a_load_balancer(), "metadata", "annotations", annotations)
    return but(service, "spec", {"type": "LoadBalancer", **spec})


@pytest.mark.parametrize(
    "document",
    [
        {"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"ingressClassName": "nginx"}},
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "Ingress",
            "metadata": {"annotations": {"kubernetes.io/ingress.class": "nginx"}},
        },
        _service({}, loadBalancerClass="tailscale"),
        _service({"service.beta.kubernetes.io/aws-load-balancer-internal": "true"}),
    ],
)
def test_what_opens_no_load_balancer_of_aws_to_the_world_need_not_say_so(document: Document) -> None:
    assert rules(linted(document)) == []


@pytest.mark.parametrize(
    ("kind", "path", "written"),
    [
        ("NodePool", ("spec", "limits", "nvidia.com/gpu"), "9" * 5000),
        ("NodePool", ("spec", "weight"), "9" * 5000),
        ("NodePool", ("spec", "limits", "nvidia.com/gpu"), "0x" + "f" * 5000),
        ("NodeOverlay", ("spec", "capacity", "nvidia.com/gpu"), "9" * 5000),
        ("ResourceQuota", ("spec", "hard", "requests.nvidia.com/gpu"), "9" * 5000),
        ("Deployment", (*_POD, "containers", 0, "resources", "limits", "nvidia.com/gpu"), "9" * 5000),
        ("Deployment", (*_POD, "containers", 0, "resources", "limits", "memory"), "0x" + "f" * 5000),
        ("Deployment", ("spec", "replicas"), "9" * 5000),
    ],
)
@pytest.mark.parametrize("quoted", [True, False])
def test_a_number_of_thousands_of_digits_ends_nothing(
    kind: str, path: tuple[object, ...], written: str, *, quoted: bool
) -> None:
    document = but(next(document for document in GOOD if document["kind"] == kind), *path, "LONG")
    text = text_of(document, BAD_CLASS).replace("LONG", f"'{written}'" if quoted else written)
    linted_file = lint([Source("a.yaml", text.encode())], stack_view(stack_settings("dev")))
    assert linted_file.objects == 2
    assert "priority-class-not-default" in rules(linted_file)


def test_a_chart_s_own_account_may_have_the_role_that_its_chart_gives_it() -> None:
    role = but(a_cluster_role(), "rules", 0, "verbs", ["*"])
    account = {"kind": "ServiceAccount", "name": "operator", "namespace": "operators"}
    assert rules(linted(a_namespace(), role, but(a_cluster_role_binding(), "subjects", [account]))) == []
    assert rules(linted(role)) == []


@pytest.mark.parametrize("text", ["Note: write mig-configs: under it", "see: the mig-configs: key", "a: mig-configs"])
def test_a_text_that_speaks_of_layouts_is_none(text: str) -> None:
    assert rules(linted({"apiVersion": "v1", "kind": "ConfigMap", "data": {"readme": text}})) == []


def test_with_a_stack_a_pod_is_held_to_its_pools() -> None:
    view = stack_view(stack_settings("dev"))
    pod = but(a_deployment(), *_POD, "nodeSelector", "gpu.model", "H200")
    source = Source("a.yaml", text_of(pod).encode())
    assert rules(lint([source])) == []
    assert rules(lint([source], view)) == ["pod-reaches-one-pool"]


def test_a_pod_without_a_namespace_is_judged_too() -> None:
    findings = linted(but(but(a_deployment(), "metadata", "namespace", GONE), *_POD, "runtimeClassName", GONE)).findings
    assert [(lint_finding.namespace, lint_finding.rule.name) for lint_finding in findings] == [
        ("", "pod-runtime-class")
    ]
