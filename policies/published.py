"""Compares the labels that a running stack has published with those to be published: fixed labels must not change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from policies.rule import Finding
from policies.rules.immutable_labels import GPU_LABELS_FIXED
from policies.subject import Plain, Subject, Unknown, at, items, of_plain, plain, text

PlainObject = Mapping[str, object]


def label_changes(before: PlainObject, now: PlainObject) -> tuple[Finding, ...]:
    """Every fixed label of a published NodePool that would change; ``before`` and ``now`` are published documents.

    A NodePool that is new or goes away changes no label. ``before`` is empty where nothing was published.
    """
    new = {subject.name: subject for subject in _node_pools(now)}
    return tuple(
        Finding(GPU_LABELS_FIXED, new[was.name], fault)
        for was in _node_pools(before)
        if was.name in new
        for fault in GPU_LABELS_FIXED.judge(was, new[was.name])
    )


def _node_pools(document: PlainObject) -> Iterator[Subject]:
    """The NodePools of a published document, with nothing but their labels."""
    for pool in _listed(plain(document.get("pools"))):
        for node_pool in _listed(at(pool, "node_pools")):
            yield of_plain(
                {
                    "apiVersion": "karpenter.sh/v1",
                    "kind": "NodePool",
                    "metadata": {"name": text(at(node_pool, "name"))},
                    "spec": {"template": {"metadata": {"labels": at(node_pool, "labels")}}},
                }
            )


def _listed(value: Plain) -> Sequence[Plain]:
    listed = items(value)
    return () if isinstance(listed, Unknown) else listed
