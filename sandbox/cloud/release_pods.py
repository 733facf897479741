"""The pods of charts and add-ons that are made from their fact sheets: in Helm's order, each placed before the next.

Helm waits for hooks and for what the chart makes. What an operator makes later is awaited here too, where it is meant
for nodes that are there: on EKS nobody would say that it has no place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpuplatform.standard.sheets.sheet import Kind, Maker, Place, Sheet
from sandbox.cloud.api import Api
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.rollout import Rollout
from sandbox.cloud.sheet_values import Pods, pods_of
from sandbox.cloud.workloads import RELEASE, account, is_made, workload
from sandbox.cloud.world import Properties

_MANAGER = "helm"
_AWAITED = (Place.SYSTEM, Place.EVERY_NODE)
_GONE_SECONDS = 300.0
_BUILT_IN_ACCOUNT = "default"


@dataclass(frozen=True, slots=True)
class Release:
    """A chart or add-on with values, in a namespace."""

    sheet: Sheet
    values: Properties
    namespace: str

    @property
    def name(self) -> str:
        """The release's, which is the chart's."""
        return self.sheet.name

    def pods(self, maker: Maker | None = None) -> list[Pods]:
        """What stands by itself, of one maker or of both."""
        made = (pods for pods in self._all() if not pods.hooks)
        return [pods for pods in made if maker in (None, pods.made_by)]

    def hooks(self, phase: str) -> list[Pods]:
        """The hooks of a phase, such as ``pre-install``."""
        return [pods for pods in self._all() if phase in pods.hooks]

    def every_hook(self) -> list[Pods]:
        """The hooks of every phase."""
        return [pods for pods in self._all() if pods.hooks]

    def _all(self) -> Iterable[Pods]:
        return filter(is_made, pods_of(self.sheet, self.values, self.namespace))


@dataclass(frozen=True, slots=True)
class ReleasePods:
    """The pods of releases on one API server."""

    api: Api

    def install(self, release: Release, earlier: Release | None) -> None:
        """Have every pod stand; RefusedError says which has no place, and then all is as it was before."""
        if earlier is None:
            try:
                self._install(release, "install")
            except RefusedError:
                self.remove(release)
                raise
            return
        before = earlier.pods()
        try:
            self._install(release, "upgrade")
        except RefusedError:
            self._delete(release, [*_without(release.pods(), before), *release.every_hook()])
            for pods in before:
                self._make(pods, release)
            raise
        self._delete(release, _without(before, release.pods()))

    def uninstall(self, release: Release) -> None:
        """Take every pod away, with the hooks of a deletion before and after, and what the pods ran as."""
        self._run_hooks(release, "pre-delete")
        self._delete(release, release.pods())
        self._run_hooks(release, "post-delete")
        self.remove(release)

    def remove(self, release: Release) -> None:
        """Take away all that was made, and run no hook."""
        self._delete(release, [*release.pods(), *release.every_hook()])
        for made in self.api.items("/api/v1/serviceaccounts", labelSelector=f"{RELEASE}={release.name}"):
            self.api.remove(self.api.place({"apiVersion": "v1", "kind": "ServiceAccount", **made}))

    def _install(self, release: Release, action: str) -> None:
        self._run_hooks(release, f"pre-{action}")
        self._stand(release, "the release", release.pods(Maker.CHART))
        self._run_hooks(release, f"post-{action}")
        self._stand(release, "what its operator makes", release.pods(Maker.OPERATOR))

    def _run_hooks(self, release: Release, phase: str) -> None:
        for hook in release.hooks(phase):
            # Every hook of these charts says so: helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded.
            self._delete(release, [hook])
            self._stand(release, f"the {phase} hook", [hook])
            self._delete(release, [hook])

    def _stand(self, release: Release, what: str, several: Sequence[Pods]) -> None:
        for pods in several:
            self._make(pods, release)
        awaited = [pods for pods in several if pods.made_by is Maker.CHART or pods.place in _AWAITED]
        places = [self.api.place(workload(pods, release.name)) for pods in awaited]
        Rollout(self.api).await_standing(f"{release.name}: {what} has pods without a node", places)

    def _make(self, pods: Pods, release: Release) -> None:
        if pods.service_account != _BUILT_IN_ACCOUNT:
            self.api.put(account(pods, release.name), _MANAGER)
        made = workload(pods, release.name)
        try:
            self.api.put(made, _MANAGER)
        except RefusedError:
            # What cannot be changed in place is made anew, as prometheus-operator does (6adcebc
            # pkg/prometheus/server/operator.go).
            if pods.kind is not Kind.STATEFUL_SET or self.api.read(self.api.place(made)) is None:
                raise
            self.api.delete(self.api.place(made), _GONE_SECONDS)
            self.api.put(made, _MANAGER)

    def _delete(self, release: Release, several: Sequence[Pods]) -> None:
        for pods in several:
            self.api.delete(self.api.place(workload(pods, release.name)), _GONE_SECONDS)


def _without(several: Sequence[Pods], others: Sequence[Pods]) -> list[Pods]:
    names = {(pods.kind, pods.name) for pods in others}
    return [pods for pods in several if (pods.kind, pods.name) not in names]
