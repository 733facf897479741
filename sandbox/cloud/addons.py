"""The pods of EKS add-ons, from their fact sheets and their configuration. An add-on without a sheet has none here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from gpuplatform.standard.sheets.sheet import sheets
from sandbox.cloud.release_pods import ReleasePods
from sandbox.cloud.store import Entry, Properties, Store
from sandbox.cloud.workloads import Release
from sandbox.control_plane.api import Api
from sandbox.errors import RefusedError

ADDON = "aws:eks/addon:Addon"
_NAMESPACE = "kube-system"


@dataclass(frozen=True, slots=True)
class Addons:
    """The add-ons of one cluster."""

    world: Store
    api: Api

    def make(self, addon: Entry) -> None:
        """Make an add-on's pods. Raises RefusedError where EKS would report the add-on as degraded.

        EKS leaves such an add-on in place. Here its pods are removed again, so that the next run starts clean.
        """
        release, before = release_of(addon), self.world.find(ADDON, addon.id)
        if release is None:
            return
        try:
            ReleasePods(self.api).install(release, release_of(before) if before else None)
        except RefusedError as error:
            raise RefusedError(f"the add-on is DEGRADED: InsufficientNumberOfReplicas: {error}") from error

    def remove(self, addon: Entry) -> None:
        """Remove an add-on's pods."""
        release = release_of(addon)
        if release is not None:
            ReleasePods(self.api).uninstall(release)


def release_of(addon: Entry) -> Release | None:
    """The release behind an add-on; None where it has no fact sheet, so that its pods are unknown."""
    sheet = sheets().get(str(addon.inputs["addonName"]))
    configuration = addon.inputs.get("configurationValues")
    values = cast(Properties, json.loads(configuration)) if isinstance(configuration, str) else {}
    return Release(sheet, values, _NAMESPACE) if sheet else None
