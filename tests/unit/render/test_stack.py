import pytest

from gpuplatform.analysis import label_accuracy as truth
from gpuplatform.render.document import kind_of, name_of, namespace_of
from gpuplatform.render.stack import render
from gpuplatform.standard import keys
from gpuplatform.standard.labels import label_problems
from tests.builders import (
    STACKS,
    a_namespace,
    a_pool,
    a_slice_pool,
    a_static_pool,
    a_tenant,
    some_settings,
    stack_settings,
)
from tests.unit.render.reading import list_at, mapping_at, of_kind


@pytest.mark.parametrize("stack", STACKS)
def test_no_two_documents_are_the_same_object(stack: str) -> None:
    objects = [
        (kind_of(document), namespace_of(document), name_of(document))
        for document in render(stack_settings(stack)).documents
    ]
    assert len(objects) == len(set(objects))


@pytest.mark.parametrize("stack", STACKS)
def test_every_gpu_nodepool_carries_the_standard_and_nothing_false(stack: str) -> None:
    for name, document in of_kind(render(stack_settings(stack)).documents, "NodePool").items():
        assert truth.judge(document) == [], name
        if metadata := mapping_at(document, "spec", "template").get("metadata"):
            labels = {key: str(value) for key, value in mapping_at(metadata, "labels").items()}
            assert label_problems(labels, name) == []


@pytest.mark.parametrize("stack", STACKS)
def test_a_nodepool_comes_with_the_node_class_that_it_launches_from_and_the_overlays_about_it(stack: str) -> None:
    rendered = render(stack_settings(stack))
    for documents in rendered.node_pools:
        reference = mapping_at(documents.node_pool, "spec", "template", "spec", "nodeClassRef")
        assert reference["name"] == name_of(documents.node_class)
        assert documents.node_class in rendered.node_classes
        for overlay in documents.overlays:
            (scope, *_) = list_at(overlay, "spec", "requirements")
            assert (scope["key"], scope["values"]) == (keys.NODEPOOL, [name_of(documents.node_pool)])


def test_one_more_namespace_is_one_more_of_each_of_its_documents() -> None:
    two = a_tenant(namespaces=[a_namespace(), a_namespace(name="ml-batch")])
    one_rendered, two_rendered = (render(some_settings(tenants=[tenant])) for tenant in (a_tenant(), two))
    assert [len(tenant.contents) for tenant in two_rendered.tenants] == [len(one_rendered.tenants[0].contents)] * 2


def test_adding_a_pool_changes_no_document_of_another_but_weights_below_it_and_shared_lists() -> None:
    before = render(some_settings(pools=[a_pool()])).documents
    after = render(some_settings(pools=[a_pool(), a_slice_pool()])).documents
    for kind in ("NodePool", "EC2NodeClass", "PriorityClass"):
        old, new = of_kind(before, kind), of_kind(after, kind)
        assert {name: new[name] for name in old} == old


def test_every_group_of_documents_is_among_all_of_them() -> None:
    rendered = render(some_settings(pools=[a_pool(), a_slice_pool(), a_static_pool()], tenants=[a_tenant()]))
    (tenant,) = rendered.tenants
    groups = (
        rendered.storage_class, *rendered.cluster_documents, *rendered.node_classes,
        *(document for made in rendered.node_pools for document in (*made.overlays, made.node_pool)),
        rendered.operator_namespace, *rendered.operator_configs,
        tenant.namespace, *tenant.contents,
        *((*rendered.monitoring.namespaces, *rendered.monitoring.documents) if rendered.monitoring else ()),
    )  # fmt: skip
    assert len(rendered.documents) == len(groups)
    assert all(group in rendered.documents for group in groups)
