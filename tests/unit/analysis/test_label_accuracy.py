"""Label truth: what a NodePool may launch, and which of its labels could be false."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.analysis.label_accuracy import (
    false_labels,
    judge,
    judge_labels,
    labels_of,
    requirements_of,
    selectable,
)
from gpuplatform.catalog.cards import cards
from gpuplatform.catalog.instance_types import InstanceType, instance_types
from gpuplatform.standard.instance_labels import instance_labels
from gpuplatform.standard.requirements import Requirement
from tests.examples import sampled

INSTANCE_TYPE = "node.kubernetes.io/instance-type"
AWS = "karpenter.k8s.aws/instance-"
NAMES = tuple(instance_types())
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")


def a_pool(node_labels: dict[str, str], *requirements: dict[str, object]) -> dict[str, object]:
    spec: dict[str, object] = {"requirements": list(requirements)}
    return {"kind": "NodePool", "spec": {"template": {"metadata": {"labels": node_labels}, "spec": spec}}}


def labels(model: str, memory: str, **more: str) -> dict[str, str]:
    return {"gpu.vendor": "nvidia", "gpu.model": model, "gpu.mem": memory, "gpu.mig": "disabled", **more}


def cut(model: str, memory: str, profile: str) -> dict[str, str]:
    return {**labels(model, memory), "gpu.mig": "enabled", "gpu.mig.profile": profile}


def of_types(*types: str) -> Requirement:
    return Requirement(INSTANCE_TYPE, "In", types)


def of_family(*families: str) -> Requirement:
    return Requirement(f"{AWS}family", "In", families)


def false_keys(claimed: dict[str, str], *requirements: Requirement) -> list[str]:
    """The last part of each fault's path: the label or the requirement that is wrong."""
    return [fault.path.partition("[")[2].removesuffix("]") for fault in judge_labels(claimed, requirements)]


def names(*requirements: Requirement) -> set[str]:
    return {instance_type.name for instance_type in selectable(requirements)}


@pytest.mark.parametrize(
    ("claimed", "requirement"),
    [
        (labels("T4", "16gb"), of_family("g4dn")),
        (labels("L4", "24gb"), of_types("g6.xlarge", "gr6.4xlarge")),
        (labels("H200", "141gb"), of_family("p5e", "p5en")),
        (labels("B300", "288gb"), of_family("p6-b300")),
        (cut("A100", "80gb", "1g.10gb"), of_types("p4de.24xlarge")),
        (cut("A100", "40gb", "1g.10gb"), of_types("p4d.24xlarge")),
        (cut("H100", "80gb", "1g.10gb.me"), of_types("p5.48xlarge")),
        (labels("H100", "80gb"), Requirement(f"{AWS}gpu-name", "In", ("h100",))),
    ],
)
def test_labels_that_are_true_of_every_type_are_passed(claimed: dict[str, str], requirement: Requirement) -> None:
    assert judge_labels(claimed, [requirement]) == []


def test_one_type_with_another_card_makes_model_and_memory_false_and_is_named() -> None:
    faults = judge_labels(labels("L4", "24gb"), [of_types("g6.xlarge", "g4dn.xlarge")])

    assert [fault.path for fault in faults] == [
        "spec.template.metadata.labels[gpu.model]",
        "spec.template.metadata.labels[gpu.mem]",
    ]
    assert all("g4dn.xlarge (T4-16GB)" in fault.given and "g6.xlarge" not in fault.given for fault in faults)
    assert all("take those types out" in fault.change for fault in faults)


def test_two_memory_sizes_of_one_model_make_memory_false() -> None:
    by_name = Requirement(f"{AWS}gpu-name", "In", ("a100",))

    assert false_keys(labels("A100", "80gb"), by_name) == ["gpu.mem"]
    assert false_keys(labels("A100", "80gb"), by_name, Requirement(f"{AWS}gpu-memory", "Gt", ("40960",))) == []


def test_a_fraction_of_a_card_is_no_whole_card() -> None:
    faults = judge_labels(labels("L4", "24gb"), [Requirement(f"{AWS}gpu-name", "In", ("l4",))])

    assert "a fraction of an L4" in faults[0].given
    assert "gpu.vendor" in faults[0].path


def test_a_type_without_any_card_makes_the_vendor_false() -> None:
    assert "gpu.vendor" in false_keys(labels("L4", "24gb"), of_types("g6.xlarge", "m7i.xlarge"))


@pytest.mark.parametrize("profile", ["3g.40gb", "1g.20gb"])
def test_a_profile_of_the_larger_memory_is_false_on_the_smaller_card(profile: str) -> None:
    assert false_keys(cut("A100", "40gb", profile), of_types("p4d.24xlarge")) == ["gpu.mig.profile"]


def test_a_card_without_mig_is_not_cut() -> None:
    assert false_keys(cut("L4", "24gb", "1g.6gb"), of_types("g6.xlarge")) == ["gpu.mig", "gpu.mig.profile"]


def test_hardware_that_the_catalog_does_not_know_is_refused_by_name() -> None:
    (fault,) = judge_labels(labels("L4", "24gb"), [of_types("g6.xlarge", "g99.xlarge")])

    assert fault.path == f"spec.template.spec.requirements[{INSTANCE_TYPE}]"
    assert fault.given == "g99.xlarge"


def test_a_choice_that_no_hardware_bounds_is_refused() -> None:
    by_category = [Requirement(f"{AWS}category", "In", ("g",)), Requirement(f"{AWS}generation", "In", ("4",))]

    (fault,) = judge_labels(labels("T4", "16gb"), by_category)

    assert "names its hardware" in fault.allowed
    assert f"{INSTANCE_TYPE} In" in fault.change


def test_requirements_that_contradict_each_other_are_refused() -> None:
    (fault,) = judge_labels(
        labels("L4", "24gb"), [of_types("g6.xlarge"), Requirement("kubernetes.io/arch", "In", ("arm64",))]
    )

    assert "no instance type" in fault.given


@pytest.mark.parametrize("types", [("m7g.xlarge", "c7i.large"), ("inf2.xlarge",)])
def test_nothing_is_asked_of_a_pool_without_cards_and_without_claims(types: tuple[str, ...]) -> None:
    assert judge_labels({}, [of_types(*types)]) == []


def test_a_pool_that_claims_nothing_and_may_launch_cards_has_to_name_its_hardware() -> None:
    (fault,) = judge_labels({}, [])

    assert f"{AWS}gpu-count DoesNotExist" in fault.change
    assert judge_labels({}, [Requirement(f"{AWS}gpu-count", "DoesNotExist")]) == []


def test_a_well_known_label_of_the_template_narrows_the_choice() -> None:
    claimed = {**labels("L4", "24gb"), f"{AWS}size": "xlarge", f"{AWS}gpu-count": "1"}

    assert judge_labels(claimed, [of_family("g6", "g6f")]) == []


def test_a_document_is_read_as_it_is_written() -> None:
    pool = a_pool(
        labels("A10G", "24gb"),
        {"key": INSTANCE_TYPE, "operator": "In", "values": ["g5.xlarge"]},
        {"key": f"{AWS}gpu-count", "operator": "Exists"},
    )

    assert requirements_of(pool) == (of_types("g5.xlarge"), Requirement(f"{AWS}gpu-count", "Exists"))
    assert labels_of(pool)["gpu.model"] == "A10G"
    assert judge(pool) == []
    assert [fault.path for fault in judge(a_pool(labels("T4", "16gb"), *_lines(pool)))] == [
        "spec.template.metadata.labels[gpu.model]",
        "spec.template.metadata.labels[gpu.mem]",
    ]


def _lines(pool: dict[str, object]) -> list[dict[str, object]]:
    return [
        {"key": requirement.key, "operator": requirement.operator, "values": list(requirement.values)}
        for requirement in requirements_of(pool)
    ]


@pytest.mark.parametrize(
    "malformed",
    [{}, {"spec": None}, {"spec": {"template": []}}, {"spec": {"template": {"spec": {"requirements": "all"}}}}],
)
def test_a_malformed_document_ends_nothing(malformed: dict[str, object]) -> None:
    assert requirements_of(malformed) == ()
    assert labels_of(malformed) == {}


def test_requirements_select_as_karpenter_does() -> None:
    count = f"{AWS}gpu-count"

    assert names(of_family("g6"), Requirement(count, "Gt", ("1",))) == {"g6.12xlarge", "g6.24xlarge", "g6.48xlarge"}
    assert names(of_family("g6"), Requirement(count, "Gte", ("8",))) == {"g6.48xlarge"}
    assert names(of_family("g6f"), Requirement(count, "Lt", ("1",))) == names(of_family("g6f"))
    assert names(of_family("p5"), Requirement(count, "Lte", ("1",))) == {"p5.4xlarge"}
    assert names(of_family("g6"), Requirement(f"{AWS}size", "NotIn", ("xlarge",))) == names(of_family("g6")) - {
        "g6.xlarge"
    }
    assert names(of_family("m7i"), Requirement(count, "NotIn", ("1",))) == names(of_family("m7i"))
    assert names(of_family("m7i"), Requirement(count, "Exists")) == set()
    assert names(of_family("g6"), Requirement(count, "Gt", ("many",))) == set()
    assert names(of_family("g6"), Requirement("team", "In", ("a",))) == names(of_family("g6"))
    assert names(of_family("g6"), Requirement(f"{AWS}size", "Like", ("x",))) == set()


def test_a_bound_that_is_no_number_admits_nothing() -> None:
    for bound in ("9" * 5000, "many", ""):
        assert selectable([Requirement(f"{AWS}cpu", "Gt", (bound,))]) == ()


@pytest.mark.parametrize("name", sampled(NAMES))
def test_the_labels_of_every_card_are_true_of_its_own_types(name: str) -> None:
    node = instance_types()[name]
    if node.card is None:
        return
    card = cards()[node.card]

    assert false_labels(labels(card.model, f"{card.memory_gb}gb"), [node]) == []


requirement_texts = st.builds(
    Requirement,
    st.sampled_from(sorted(instance_labels("g6.xlarge"))),
    st.sampled_from(OPERATORS),
    st.lists(st.sampled_from(sorted({*instance_labels("g6.xlarge").values(), "0", "g5", "8"})), max_size=2).map(tuple),
)


@given(st.lists(requirement_texts, max_size=4), requirement_texts)
def test_a_further_requirement_never_admits_a_type(some: list[Requirement], further: Requirement) -> None:
    assert set(selectable([*some, further])) <= set(selectable(some))


@given(
    st.sampled_from(sorted(instance_labels("g6.xlarge"))),
    st.lists(st.sampled_from(["g6", "1", "8", "l4", "g"]), max_size=3),
)
def test_a_list_and_its_negation_part_the_catalog(key: str, values: list[str]) -> None:
    inside, outside = (set(selectable([Requirement(key, op, tuple(values))])) for op in ("In", "NotIn"))

    assert inside | outside == set(instance_types().values())
    assert not inside & outside


@given(st.lists(st.sampled_from(NAMES), min_size=1, max_size=6, unique=True), st.sampled_from(NAMES))
def test_what_is_false_of_some_types_is_false_of_more(chosen: list[str], further: str) -> None:
    types: list[InstanceType] = [instance_types()[name] for name in chosen]
    claimed = cut("A100", "80gb", "1g.10gb")
    before = {fault.path for fault in false_labels(claimed, types)}

    assert before <= {fault.path for fault in false_labels(claimed, [*types, instance_types()[further]])}
