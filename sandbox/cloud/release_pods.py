"""The pods of charts and add-ons, made from their fact sheets in Helm's order; each step waits for the one before.

Helm waits for hooks and for the chart's own workloads. Workloads that an operator makes later are awaited here too,
where they are meant for nodes that exist: on EKS nothing would report that they have no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from gpuplatform.analysis.workloads import Made
from gpuplatform.standard.sheets.sheet import Kind, Maker, MeantFor
from sandbox.cloud.references import at_path
from sandbox.cloud.rollout import Rollout
from sandbox.cloud.store import Properties
from sandbox.cloud.workloads import RELEASE, Release
from sandbox.control_plane.api import Api
from sandbox.errors import RefusedError

_MANAGER = "helm"
_AWAITED = (MeantFor.SYSTEM, MeantFor.EVERY_NODE)
_GONE_SECONDS = 300.0
_BUILT_IN_ACCOUNT = "default"


@dataclass(frozen=True, slots=True)
class ReleasePods:
    """The pods of releases on one API server."""

    api: Api

    def install(self, release: Release, earlier: Release | None) -> None:
        """Make every pod. Raises RefusedError for a pod that has no place; then the earlier state is restored."""
        try:
            self._install(release, "install" if earlier is None else "upgrade")
        except RefusedError:
            self._roll_back(release, earlier)
            raise
        if earlier is not None:
            self._delete(release, _without(earlier.parts(), release.parts()))

    def uninstall(self, release: Release) -> None:
        """Remove every pod and service account, and run the hooks before and after a deletion."""
        self._run_hooks(release, "pre-delete")
        self._delete(release, release.parts())
        self._run_hooks(release, "post-delete")
        self._remove_all("ServiceAccount", release)

    def _install(self, release: Release, action: str) -> None:
        self._run_hooks(release, f"pre-{action}")
        self._stand(release, "the release", release.parts(Maker.CHART))
        self._run_hooks(release, f"post-{action}")
        self._stand(release, "what its operator makes", release.parts(Maker.OPERATOR))

    def _roll_back(self, release: Release, earlier: Release | None) -> None:
        before = [] if earlier is None else earlier.parts()
        self._delete(release, [*_without(release.parts(), before), *release.hooks()])
        if earlier is None:
            self._remove_all("ServiceAccount", release)
            # Else a claim that cannot be bound would still exist after its cause is fixed.
            self._remove_all("PersistentVolumeClaim", release)
            return
        for part in before:
            self._make(earlier, part)

    def _run_hooks(self, release: Release, phase: str) -> None:
        for hook in release.hooks(phase):
            # Every hook of these charts has helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded.
            self._delete(release, [hook])
            self._stand(release, f"the {phase} hook", [hook])
            self._delete(release, [hook])

    def _stand(self, release: Release, what: str, parts: Sequence[Made]) -> None:
        for part in parts:
            self._make(release, part)
        awaited = [part for part in parts if part.fact.made_by is Maker.CHART or part.fact.place in _AWAITED]
        places = [self.api.place(release.workload(part)) for part in awaited]
        Rollout(self.api).await_standing(f"{release.name}: {what} has pods without a node", places)

    def _make(self, release: Release, part: Made) -> None:
        if part.service_account != _BUILT_IN_ACCOUNT:
            self.api.put(release.account(part), _MANAGER)
        workload = release.workload(part)
        try:
            self.api.put(workload, _MANAGER)
        except RefusedError:
            # A StatefulSet that cannot be changed in place is made anew, as prometheus-operator does (6adcebc
            # pkg/prometheus/server/operator.go).
            if part.fact.kind is not Kind.STATEFUL_SET or self.api.read(self.api.place(workload)) is None:
                raise
            self.api.delete(self.api.place(workload), _GONE_SECONDS)
            self.api.put(workload, _MANAGER)

    def _delete(self, release: Release, parts: Sequence[Made]) -> None:
        places = [self.api.place(release.workload(part)) for part in parts]
        for place in places:
            self.api.remove(place, foreground=True)

        def gone() -> bool:
            remaining = [place for place in places if self.api.read(place) is not None]
            if remaining:
                self._bury(release)
            return not remaining

        if not self.api.wait(gone, _GONE_SECONDS):
            raise RefusedError(f"{release.name}: its pods are not gone after {_GONE_SECONDS:g} s")

    def _bury(self, release: Release) -> None:
        """Delete pods whose node, and so their kubelet, is gone; a cluster does so a minute later."""
        nodes = {str(cast(Properties, node["metadata"])["name"]) for node in self.api.items("v1", "Node")}
        for pod in self.api.items("v1", "Pod", labels={RELEASE: release.name}):
            node = next(at_path(pod, "spec.nodeName"), None)
            if node is not None and node not in nodes:
                self.api.remove(self.api.place(pod), grace_seconds=0)

    def _remove_all(self, kind: str, release: Release) -> None:
        for item in self.api.items("v1", kind, labels={RELEASE: release.name}):
            self.api.delete(self.api.place(item), _GONE_SECONDS)


def _without(parts: Sequence[Made], others: Sequence[Made]) -> list[Made]:
    names = {(part.fact.kind, part.fact.name) for part in others}
    return [part for part in parts if (part.fact.kind, part.fact.name) not in names]
