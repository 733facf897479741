import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpuplatform.render.document import as_yaml, file_names, kind_of, kubernetes_object, name_of, namespace_of

QUOTA = kubernetes_object("v1", "ResourceQuota", "cards", "ml", spec={"hard": {"pods": "1"}})
NODEPOOL = kubernetes_object("karpenter.sh/v1", "NodePool", "serve-l4-24gb-spot", spec={})

plain = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), plain))
def test_what_is_written_reads_back_the_same(document: dict[str, object]) -> None:
    assert yaml.safe_load(as_yaml(document)) == document


def test_keys_keep_their_order_and_nothing_is_an_anchor() -> None:
    shared = {"a": 1}
    assert as_yaml({"z": shared, "a": shared}) == "z:\n  a: 1\na:\n  a: 1\n"


def test_texts_of_several_lines_are_literal_blocks() -> None:
    assert as_yaml({"data": "one\ntwo\n"}) == "data: |\n  one\n  two\n"


def test_texts_that_look_like_numbers_stay_texts() -> None:
    assert as_yaml({"nodes": "1", "on": "yes"}) == "nodes: '1'\n'on': 'yes'\n"


def test_a_document_knows_its_kind_name_and_namespace() -> None:
    assert (kind_of(QUOTA), name_of(QUOTA), namespace_of(QUOTA)) == ("ResourceQuota", "cards", "ml")
    assert namespace_of(NODEPOOL) is None


def test_labels_and_annotations_stand_in_the_metadata_after_name_and_namespace() -> None:
    document = kubernetes_object("v1", "ConfigMap", "guide", "ml", annotations={"b": "2"}, labels={"a": "1"}, data={})
    assert as_yaml(document) == (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: guide\n  namespace: ml\n"
        "  labels:\n    a: '1'\n  annotations:\n    b: '2'\ndata: {}\n"
    )


def test_metadata_has_no_labels_and_annotations_where_none_are_given() -> None:
    assert kubernetes_object("v1", "Namespace", "ml")["metadata"] == {"name": "ml"}


def test_a_file_is_named_by_kind_namespace_and_name() -> None:
    assert file_names([QUOTA, NODEPOOL]) == {
        "resourcequota.ml.cards.yaml": QUOTA,
        "nodepool.serve-l4-24gb-spot.yaml": NODEPOOL,
    }
