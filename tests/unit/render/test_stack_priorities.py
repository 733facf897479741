from gpuplatform.render.stack import render
from tests.builders import some_settings
from tests.unit.render.reading import of_kind

CLASSES = of_kind(render(some_settings()).documents, "PriorityClass")


def test_the_three_classes_of_the_operations_guide_are_made() -> None:
    assert {name: priority_class["value"] for name, priority_class in CLASSES.items()} == {
        "inference-critical": 1_000_000,
        "training-normal": 500_000,
        "experiment-low": 100_000,
    }


# Correction 6: inference is there to evict experiments.
def test_each_class_preempts_what_is_lower() -> None:
    assert {priority_class["preemptionPolicy"] for priority_class in CLASSES.values()} == {"PreemptLowerPriority"}


# Correction 7: a default would give every unclassified pod of the cluster a priority that preempts.
def test_none_is_the_clusters_default() -> None:
    assert not any(priority_class["globalDefault"] for priority_class in CLASSES.values())
