from gpuplatform.outputs import describe
from gpuplatform.render.block import block
from gpuplatform.render.stack import render
from gpuplatform.settings.source import Plain
from gpuplatform.standard.labels import STANDARD
from tests.builders import a_namespace, a_pool, a_slice_pool, a_tenant, some_settings
from tests.unit.render.reading import at, loaded, of_kind, text_at

SETTINGS = some_settings(pools=[a_pool(), a_slice_pool()])
GUIDE = of_kind(render(SETTINGS).documents, "ConfigMap")["gpu-node-labels-guide"]


def test_the_guide_explains_every_label_of_the_standard() -> None:
    text = text_at(GUIDE, "data", "standard")
    for label in STANDARD:
        assert f"{label.level.value} {label.key}: " in text
        assert label.meaning in text
    assert "4 gpu.role: chief | worker" in text


def test_the_guide_tells_each_namespace_which_of_the_pools_are_its_own() -> None:
    neuron: Plain = {"name": "neuron", "instance_types": ["inf2.xlarge"], "ceiling_devices": 4}
    spaces: list[Plain] = [
        a_namespace(),
        a_namespace(name="both", pools=["worker", "neuron"], quota={"nvidia.com/gpu": 0}),
        a_namespace(name="none", priorities=["experiment-low"], quota={"nvidia.com/gpu": 0}),
    ]
    pools: list[Plain] = [a_pool(), a_slice_pool()]
    settings = some_settings(pools=pools, neuron_pools=[neuron], tenants=[a_tenant(namespaces=spaces)])
    guide = of_kind(render(settings).documents, "ConfigMap")["gpu-node-labels-guide"]
    published = describe(settings, "").tenants[0].namespaces
    for name, pool_names in (("ml-serving", ["serve"]), ("both", ["worker", "neuron"]), ("none", [])):
        assert loaded(text_at(guide, "data", f"namespace.{name}")) == {"pools": pool_names}
        assert next(namespace_output.pools for namespace_output in published if namespace_output.name == name) == tuple(
            pool_names
        )


def test_the_guide_has_the_block_of_every_pool() -> None:
    assert at(GUIDE, "metadata", "namespace") == "kube-system"
    for pool in SETTINGS.pools:
        assert loaded(text_at(GUIDE, "data", f"pool.{pool.name}")) == block(pool).as_pod_fragment()
