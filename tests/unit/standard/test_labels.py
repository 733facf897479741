import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.standard import labels
from gpuplatform.standard.labels import label_problems
from tests.builders import paths

WHOLE = {
    "gpu.vendor": "nvidia",
    "gpu.model": "L4",
    "gpu.mem": "24gb",
    "gpu.mig": "disabled",
    "gpu.role": "worker",
    "gpu.pool": "infer",
}
SLICED = {
    "gpu.vendor": "nvidia",
    "gpu.model": "A100",
    "gpu.mem": "80gb",
    "gpu.mig": "enabled",
    "gpu.mig.profile": "1g.10gb",
    "gpu.role": "chief",
    "gpu.pool": "train",
}


@pytest.mark.parametrize(
    "given_labels",
    [
        WHOLE,
        SLICED,
        WHOLE | {"gpu.model": "H200", "gpu.mem": "141gb", "gpu.pool": "dev"},
        WHOLE | {"gpu.model": "B300", "gpu.mem": "288gb"},
        SLICED | {"gpu.model": "H100", "gpu.mig.profile": "3g.40gb"},
        SLICED | {"gpu.mig.profile": "1g.10gb.me"},
        SLICED | {"gpu.mem": "40gb", "gpu.mig.profile": "1g.5gb"},
        WHOLE | {"team": "research", "nvidia.com/mig.config": "all-disabled"},
    ],
    ids=lambda label_set: "-".join(label_set[key] for key in ("gpu.model", "gpu.mem", "gpu.mig")),
)
def test_a_whole_and_true_set_has_no_problem(given_labels: dict[str, str]) -> None:
    assert label_problems(given_labels, "labels") == []


@pytest.mark.parametrize("key", sorted(SLICED))
def test_a_missing_label_is_named(key: str) -> None:
    left = {label: value for label, value in SLICED.items() if label != key}
    faults = label_problems(left, "labels")
    if key == "gpu.mig":  # then the profile stands without its reason
        assert paths(faults) == ["labels[gpu.mig]", "labels[gpu.mig.profile]"]
    else:
        assert paths(faults) == [f"labels[{key}]"]
    assert key in faults[0].change


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("gpu.vendor", "amd"),
        ("gpu.model", "A10"),
        ("gpu.model", "a100"),
        ("gpu.mem", "16gb"),
        ("gpu.mem", "80GB"),
        ("gpu.role", "leader"),
        ("gpu.pool", "training"),
    ],
)
def test_a_value_outside_the_standard_is_refused_where_it_stands(key: str, value: str) -> None:
    (fault,) = label_problems(WHOLE | {key: value}, "labels")
    assert fault.path == f"labels[{key}]"
    assert fault.given == repr(value)


def test_an_unknown_mig_value_is_refused_and_says_both_that_are_allowed() -> None:
    (fault,) = label_problems(WHOLE | {"gpu.mig": "on"}, "labels")
    assert fault.allowed == "one of enabled, disabled"


def test_a_profile_stands_only_beside_mig_enabled() -> None:
    assert paths(label_problems(SLICED | {"gpu.mig": "disabled"}, "labels")) == ["labels[gpu.mig.profile]"]


@pytest.mark.parametrize(
    ("memory", "profile", "is_legal"),
    [
        ("40gb", "3g.40gb", False),  # correction 3: 3g.40gb is for 80 GB cards only
        ("40gb", "3g.20gb", True),
        ("40gb", "1g.10gb", True),
        ("80gb", "1g.5gb", False),
        ("80gb", "3g.40gb", True),
    ],
)
def test_a_profile_has_to_be_one_of_that_card_with_that_memory(memory: str, profile: str, is_legal: bool) -> None:
    faults = label_problems(SLICED | {"gpu.mem": memory, "gpu.mig.profile": profile}, "labels")
    assert paths(faults) == ([] if is_legal else ["labels[gpu.mig.profile]"])


def test_a_card_without_mig_has_no_profile_at_all() -> None:
    (fault,) = label_problems(SLICED | {"gpu.model": "L4", "gpu.mem": "24gb"}, "labels")
    assert "it has no MIG" in fault.allowed


def test_no_other_key_may_begin_like_the_standards() -> None:
    (fault,) = label_problems(WHOLE | {"gpu.count": "1"}, "labels")
    assert fault.change == "remove gpu.count"


def test_what_feature_discovery_owns_is_never_set_by_hand() -> None:
    (fault,) = label_problems(WHOLE | {"nvidia.com/gpu.product": "NVIDIA-L4"}, "labels")
    assert fault.path == "labels[nvidia.com/gpu.product]"


def test_every_problem_is_said_in_one_go() -> None:
    wrong = {
        "gpu.vendor": "amd",
        "gpu.model": "A100",
        "gpu.mem": "16gb",
        "gpu.role": "boss",
        "nvidia.com/gpu.count": "8",
    }
    faults = label_problems(wrong, "labels")
    assert sorted(paths(faults)) == [
        "labels[gpu.mem]",
        "labels[gpu.mig]",
        "labels[gpu.pool]",
        "labels[gpu.role]",
        "labels[gpu.vendor]",
        "labels[nvidia.com/gpu.count]",
    ]


@given(st.dictionaries(st.sampled_from([*SLICED, "gpu.x", "nvidia.com/gpu.x"]), st.text(max_size=8)))
def test_judging_never_raises_and_every_fault_is_complete(given_labels: dict[str, str]) -> None:
    for fault in label_problems(given_labels, "labels"):
        assert all((fault.path, fault.given, fault.allowed, fault.change))


def test_the_standard_is_seven_labels_in_four_levels() -> None:
    assert [(label.level.value, label.key) for label in labels.STANDARD] == [
        (1, "gpu.vendor"),
        (1, "gpu.model"),
        (1, "gpu.mem"),
        (2, "gpu.mig"),
        (3, "gpu.mig.profile"),
        (4, "gpu.role"),
        (4, "gpu.pool"),
    ]


def test_a_profile_with_an_attribute_is_written_with_a_dot_and_keeps_a_minus() -> None:
    profiles = ("1g.24gb", "1g.10gb+me", "1g.24gb+me.all", "1g.24gb-me")
    assert [labels.profile_value(profile) for profile in profiles] == [
        "1g.24gb",
        "1g.10gb.me",
        "1g.24gb.me.all",
        "1g.24gb-me",
    ]


def test_memory_is_written_as_sold() -> None:
    assert labels.memory_value(288) == "288gb"
