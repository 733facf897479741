"""The pods of EKS add-ons, from their fact sheets and their configuration; one without a sheet has none here."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import cast

from gpuplatform.standard.sheets.sheet import sheets
from sandbox.cloud.api import Api
from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.release_pods import ReleasePods
from sandbox.cloud.workloads import Release
from sandbox.cloud.world import Entry, Properties, World

ADDON = "aws:eks/addon:Addon"
_NAMESPACE = "kube-system"


@dataclass(frozen=True, slots=True)
class Addons:
    """The add-ons of one cluster."""

    world: World
    api: Api

    def make(self, addon: Entry) -> None:
        """Have an add-on's pods stand; RefusedError where EKS would find it degraded.

        EKS leaves such an add-on as it is. Here it is taken away again, so that the next run finds nothing of it.
        """
        release, before = release_of(addon), self.world.find(ADDON, addon.id)
        if release is None:
            return
        try:
            ReleasePods(self.api).install(release, release_of(before) if before else None)
        except RefusedError as error:
            raise RefusedError(f"the add-on is DEGRADED: InsufficientNumberOfReplicas: {error}") from error

    def remove(self, addon: Entry) -> None:
        """Take them away."""
        release = release_of(addon)
        if release is not None:
            ReleasePods(self.api).uninstall(release)


def release_of(addon: Entry) -> Release | None:
    """An add-on as what stands behind it; None where nothing is known of its pods."""
    sheet = sheets().get(str(addon.inputs["addonName"]))
    configuration = addon.inputs.get("configurationValues")
    values = cast(Properties, json.loads(configuration)) if isinstance(configuration, str) else {}
    return Release(sheet, values, _NAMESPACE) if sheet else None
