from gpuplatform.standard.priorities import EXPERIMENT, INFERENCE, PREEMPTION_POLICY, PRIORITIES, TRAINING, priority


def test_inference_stands_over_training_over_experiment() -> None:
    assert [(priority_class.name, priority_class.value) for priority_class in PRIORITIES] == [
        ("inference-critical", 1_000_000),
        ("training-normal", 500_000),
        ("experiment-low", 100_000),
    ]
    assert PRIORITIES == (INFERENCE, TRAINING, EXPERIMENT)


# Correction 6: the guide's own text has inference evict experiments, so it must not be "Never".
def test_every_class_may_preempt_what_is_lower() -> None:
    assert PREEMPTION_POLICY == "PreemptLowerPriority"


def test_a_priority_is_found_by_its_name_alone() -> None:
    assert priority("training-normal") is TRAINING
    assert priority("system-node-critical") is None
