"""Pods that were asked for and are not there: refused to their controllers, held by a queue, or gone again."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.render.document import Document, kind_of
from sandbox.simulate.owners import Owners, Workload, controller, itself, metadata, pods_wanted, root_of, text

_ABOUT_ONE_POD = re.compile(
    r"(\(combined from similar events\): )?"
    r"(Error creating: |create (Claim \S+ for )?Pod \S+ in \S+ \S+ failed error: )?"
    r'(\S+ "[^"]*" is (forbidden|invalid): )?'
)
"""How a FailedCreate event begins (Kubernetes v1.36: pkg/controller, its statefulset, client-go's correlator)."""


@dataclass(frozen=True, slots=True)
class NotMade:
    """A workload of which some pods are not there, and why."""

    workload: Workload
    says: tuple[str, ...]
    """In the words of the API server or of the queue, each once."""
    gone: bool = False
    """Whether it is a pod that was there, and that nothing makes again."""


def refused(
    events: Iterable[Document], owners: Owners, pods: Iterable[Document], asked: Iterable[Workload]
) -> tuple[NotMade, ...]:
    """What keeps controllers from making their pods, where fewer are there than are asked for: of each the latest."""
    has = Counter(controller(each) for each in pods if "deletionTimestamp" not in metadata(each))
    latest: dict[Workload, tuple[str, str]] = {}
    for each in events:
        about = Workload(*(text(each, "involvedObject", key) for key in ("kind", "namespace", "name")))
        owner = owners.get(about)
        # A controller tries again: what is there now was made in the end, and what is gone asks for nothing.
        if each.get("reason") == "FailedCreate" and owner is not None and has[about] < pods_wanted(owner):
            said = (str(each.get("lastTimestamp") or ""), _ABOUT_ONE_POD.sub("", str(each.get("message")), count=1))
            latest[about] = max(said, latest.get(about, said))
    found: dict[Workload, dict[str, None]] = {}
    for about, (_, says) in sorted(latest.items()):
        found.setdefault(root_of(about, owners), {})[says] = None
    known = set(asked)
    return tuple(NotMade(each, tuple(says)) for each, says in found.items() if each in known)


def queued(admissions: Iterable[Document], asked: Iterable[Workload]) -> tuple[NotMade, ...]:
    """Workloads that their queue holds back, in Kueue's words."""
    known, found = set(asked), list[NotMade]()
    for each in admissions:
        above = controller(each)
        status = cast(Mapping[str, object], each.get("status") or {})
        conditions = cast(Sequence[Mapping[str, str]], status.get("conditions") or ())
        waits = [one for one in conditions if one["type"] == "QuotaReserved" and one["status"] == "False"]
        if above in known and waits:
            found.append(NotMade(above, (waits[0].get("message", ""),)))
    return tuple(found)


def gone(written: Iterable[Document], pods: Iterable[Document]) -> tuple[NotMade, ...]:
    """Pods that a person wrote and that are there no more: Kubernetes removes a pod whose node is not there."""
    there = {itself(each) for each in pods if "deletionTimestamp" not in metadata(each)}
    return tuple(
        NotMade(
            itself(each),
            (
                f"it names the node {node}, which is not there, and was removed"
                if (node := text(each, "spec", "nodeName"))
                else "it was there and is no more: its node went, and nothing makes it again",
            ),
            gone=True,
        )
        for each in written
        if kind_of(each) == "Pod" and itself(each) not in there
    )
