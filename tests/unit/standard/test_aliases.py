import pytest

from gpuplatform.standard.aliases import ALIAS_KEYS, Vocabulary, translated, written

TABLE: list[tuple[str, str, dict[str, str | None]]] = [
    ("gpu-type", "a100", {"gpu.model": "A100"}),
    ("gpu-type", "l40s", {"gpu.model": "L40S"}),
    ("gpu-memory", "80gb", {"gpu.mem": "80gb"}),
    ("workload-class", "inference", {"gpu.pool": "infer"}),
    ("workload-class", "training", {"gpu.pool": "train"}),
    ("workload-class", "notebook", {"gpu.pool": "dev"}),
    ("node-type", "gpu", {"gpu.vendor": None}),
    ("node-type", "gpu-inference", {"gpu.pool": "infer"}),
    ("node-type", "gpu-training", {"gpu.pool": "train"}),
    ("node-type", "gpu-spot", {"gpu.pool": "infer", "karpenter.sh/capacity-type": "spot"}),
    ("workload", "inference", {"gpu.pool": "infer"}),
    ("workload", "training", {"gpu.pool": "train"}),
    ("workload", "ai-ml", {"gpu.vendor": None}),
    ("accelerator", "nvidia", {"gpu.vendor": "nvidia"}),
]


@pytest.mark.parametrize(("key", "value", "meaning"), TABLE, ids=[f"{key}={value}" for key, value, _ in TABLE])
def test_an_alias_says_in_the_standard(key: str, value: str, meaning: dict[str, str | None]) -> None:
    assert translated({key: value}) == meaning


@pytest.mark.parametrize(
    ("key", "value"),
    [("node-type", "cpu"), ("workload-class", "batch"), ("workload", "web"), ("accelerator", "amd"), ("team", "gpu")],
)
def test_what_is_no_alias_is_not_guessed_at(key: str, value: str) -> None:
    assert translated({key: value}) == {}


def test_aliases_together_say_all_they_mean() -> None:
    assert translated({"gpu-type": "t4", "workload": "inference", "other": "x"}) == {
        "gpu.model": "T4",
        "gpu.pool": "infer",
    }


def standard(purpose: str, model: str = "A100", memory: str = "40gb") -> dict[str, str]:
    return {"gpu.vendor": "nvidia", "gpu.model": model, "gpu.mem": memory, "gpu.pool": purpose}


def test_the_operations_guides_vocabulary_is_written_beside_the_standard() -> None:
    assert written(Vocabulary.OPERATIONS_GUIDE, standard("dev")) == {
        "node-type": "gpu",
        "gpu-type": "a100",
        "gpu-memory": "40gb",
        "workload-class": "notebook",
    }


@pytest.mark.parametrize(
    ("purpose", "node_type", "workload"),
    [("infer", "gpu-inference", "inference"), ("train", "gpu-training", "training"), ("dev", "gpu", "ai-ml")],
)
def test_the_karpenter_guides_vocabulary_is_written_beside_the_standard(
    purpose: str, node_type: str, workload: str
) -> None:
    assert written(Vocabulary.KARPENTER_GUIDE, standard(purpose)) == {"node-type": node_type, "workload": workload}


@pytest.mark.parametrize("vocabulary", Vocabulary)
@pytest.mark.parametrize("purpose", ["infer", "train", "dev"])
def test_what_is_written_translates_back_without_contradicting_the_standard(
    vocabulary: Vocabulary, purpose: str
) -> None:
    labels = standard(purpose, "H100", "80gb")
    aliases = written(vocabulary, labels)
    assert set(aliases) <= set(ALIAS_KEYS)
    assert all(value is None or labels[key] == value for key, value in translated(aliases).items())
