from gpuplatform.render.block import block
from gpuplatform.render.stack import render
from gpuplatform.standard.labels import STANDARD
from tests.builders import a_pool, a_slice_pool, some_settings
from tests.unit.render.reading import at, loaded, of_kind, text_at

SETTINGS = some_settings(pools=[a_pool(), a_slice_pool()])
GUIDE = of_kind(render(SETTINGS).documents, "ConfigMap")["gpu-node-labels-guide"]


def test_the_guide_explains_every_label_of_the_standard() -> None:
    text = text_at(GUIDE, "data", "standard")
    for label in STANDARD:
        assert f"{label.level.value} {label.key}: " in text
        assert label.meaning in text
    assert "4 gpu.role: chief | worker" in text


def test_the_guide_has_the_block_of_every_pool() -> None:
    assert at(GUIDE, "metadata", "namespace") == "kube-system"
    for pool in SETTINGS.pools:
        assert loaded(text_at(GUIDE, "data", f"pool.{pool.name}")) == block(pool).as_pod_fragment()
