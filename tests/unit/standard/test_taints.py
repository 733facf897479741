import pytest

from gpuplatform.standard.labels import Purpose, Role
from gpuplatform.standard.taints import (
    NEURON_TAINT,
    Taint,
    TaintEffect,
    Toleration,
    standard_taints,
    tolerations,
    tolerations_of_any_gpu_pool,
    untolerated,
)

OPERATIONS_GUIDE = Taint("nvidia.com/gpu", "present", TaintEffect.NO_SCHEDULE)
KARPENTER_GUIDE = Taint("nvidia.com/gpu", "true", TaintEffect.NO_SCHEDULE)


def test_a_worker_pool_has_the_two_gpu_taints_and_one_for_its_purpose() -> None:
    assert [taint.as_document() for taint in standard_taints(Purpose.INFER, Role.WORKER)] == [
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"},
        {"key": "gpu.pool", "value": "infer", "effect": "NoSchedule"},
    ]


def test_a_chief_pool_has_a_fourth_taint() -> None:
    assert standard_taints(Purpose.TRAIN, Role.CHIEF)[3].as_document() == {
        "key": "gpu.role",
        "value": "chief",
        "effect": "NoSchedule",
    }


def test_the_effect_of_the_standards_taints_can_be_no_execute() -> None:
    taints = standard_taints(Purpose.DEV, Role.CHIEF, TaintEffect.NO_EXECUTE)
    assert {taint.effect for taint in taints} == {TaintEffect.NO_EXECUTE}


def test_the_generated_tolerations_use_exists_for_the_gpu_taints_and_the_value_for_the_purpose() -> None:
    assert [toleration.as_document() for toleration in tolerations(standard_taints(Purpose.DEV, Role.WORKER))] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "gpu.pool", "operator": "Equal", "value": "dev", "effect": "NoSchedule"},
    ]


# Correction 9: the guides give the same taint two values.
@pytest.mark.parametrize("taint", [OPERATIONS_GUIDE, KARPENTER_GUIDE], ids=lambda taint: taint.value)
def test_both_values_of_the_gpu_taint_are_tolerated(taint: Taint) -> None:
    (answer, *_) = tolerations(standard_taints(Purpose.TRAIN, Role.WORKER))
    assert answer.answers(taint)


@pytest.mark.parametrize("purpose", Purpose)
@pytest.mark.parametrize("role", Role)
def test_a_pool_tolerates_its_own_taints_and_no_other_purposes(purpose: Purpose, role: Role) -> None:
    answers = tolerations(standard_taints(purpose, role))
    assert untolerated(standard_taints(purpose, role), answers) == ()
    for other in set(Purpose) - {purpose}:
        assert [taint.key for taint in untolerated(standard_taints(other, Role.WORKER), answers)] == ["gpu.pool"]


# Correction 16: pools are mutually exclusive by taint, so a pod that names no purpose lands nowhere.
def test_a_pod_that_tolerates_the_two_gpu_taints_alone_lands_on_no_pool() -> None:
    unselective = [Toleration("nvidia.com/gpu", None, None), Toleration("dedicated", None, None)]
    for purpose in Purpose:
        assert untolerated(standard_taints(purpose, Role.WORKER), unselective)


def test_a_worker_does_not_land_on_a_chief() -> None:
    worker = tolerations(standard_taints(Purpose.TRAIN, Role.WORKER))
    assert [taint.key for taint in untolerated(standard_taints(Purpose.TRAIN, Role.CHIEF), worker)] == ["gpu.role"]


def test_a_preference_keeps_no_pod_away() -> None:
    assert untolerated([Taint("quiet", "please", TaintEffect.PREFER_NO_SCHEDULE)], []) == ()


@pytest.mark.parametrize(
    ("toleration", "answers"),
    [
        (Toleration("node-cards", "eight", TaintEffect.NO_SCHEDULE), True),
        (Toleration("node-cards", None, None), True),
        (Toleration("node-cards", "eight", None), True),
        (Toleration("node-cards", "one", TaintEffect.NO_SCHEDULE), False),
        (Toleration("node-cards", "eight", TaintEffect.NO_EXECUTE), False),
        (Toleration("other", None, None), False),
    ],
)
def test_a_toleration_answers_by_key_value_and_effect(toleration: Toleration, answers: bool) -> None:
    assert toleration.answers(Taint("node-cards", "eight", TaintEffect.NO_SCHEDULE)) is answers


def test_daemon_sets_tolerate_each_key_and_effect_once() -> None:
    taints = [*standard_taints(Purpose.TRAIN, Role.CHIEF), *standard_taints(Purpose.INFER, Role.WORKER)]
    assert [toleration.as_document() for toleration in tolerations_of_any_gpu_pool(taints)] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "gpu.pool", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "gpu.role", "operator": "Exists", "effect": "NoSchedule"},
    ]


def test_the_neuron_taint_is_the_karpenter_guides() -> None:
    assert NEURON_TAINT.as_document() == {"key": "aws.amazon.com/neuron", "value": "true", "effect": "NoSchedule"}
