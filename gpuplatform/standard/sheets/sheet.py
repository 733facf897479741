"""What a chart or an EKS add-on makes in a cluster, and which values reach it: facts, each with its source.

One YAML file a chart or add-on in ``data/``, named like it. The files are part of the package: one that cannot be read
is a defect of the package, and raises ``pydantic.ValidationError``.
"""

from __future__ import annotations

import enum
from functools import cache
from importlib import resources
from typing import Annotated

import yaml
from pydantic import BaseModel, ConfigDict, Field


class Kind(enum.StrEnum):
    """What makes a workload's pods."""

    DEPLOYMENT = "Deployment"
    DAEMON_SET = "DaemonSet"
    STATEFUL_SET = "StatefulSet"
    JOB = "Job"
    POD = "Pod"


class Place(enum.StrEnum):
    """The nodes that a workload is meant for."""

    SYSTEM = "system"
    """The system group and no other node: controllers and hooks."""
    EVERY_NODE = "every-node"
    GPU_NODES = "gpu-nodes"
    EFA_NODES = "efa-nodes"
    NEURON_NODES = "neuron-nodes"
    CLAIM_NODES = "claim-nodes"
    """Nodes of pools whose cards are claimed (DRA)."""


class Maker(enum.StrEnum):
    """Who makes a workload."""

    CHART = "chart"
    OPERATOR = "operator"
    """A controller of the chart, later, from an object that the chart makes. Helm does not wait for it."""


class Definitions(enum.StrEnum):
    """Where a chart keeps its CRDs, which decides whether an upgrade of the chart changes them."""

    NONE = "none"
    TEMPLATES = "templates"
    """Upgraded, and deleted, with the release."""
    FOLDER = "crds-folder"
    """Made once and never upgraded."""
    FOLDER_AND_HOOK = "crds-folder-and-hook"
    """Made once; a hook of the chart upgrades them."""


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Paths(_Fact):
    """Where the values of the chart reach a workload's pods; None where nothing does. Dots part the keys."""

    tolerations: str | None = None
    node_selector: str | None = None
    affinity: str | None = None
    resources: str | None = None
    priority: str | None = None
    replicas: str | None = None
    image: str | None = None
    spread: str | None = None
    disruption_budget: str | None = None


class Requests(_Fact):
    """What one pod asks for where the values say nothing; None: nothing."""

    cpu: str | None = None
    memory: str | None = None


class Workload(_Fact):
    """One workload or hook of a chart."""

    kind: Kind
    name: str
    """As it is rendered for the platform's release, whose name is the chart's."""
    namespace: str | None = None
    """None: the release's own."""
    service_account: str = "default"
    place: Place
    made_by: Maker = Maker.CHART
    hooks: tuple[str, ...] = ()
    """Helm's hook phases, such as ``pre-install``; empty for a part of the release."""
    when: str | None = None
    """A path of the values that has to be true for it to be made; None: always."""
    unless: str | None = None
    """A path of the values that must not be true."""
    replicas: int = 1
    """Pods by default; for a DaemonSet, pods on each node."""
    paths: Paths = Paths()
    requests: Requests = Requests()
    tolerations: tuple[dict[str, str], ...] = ()
    """What its pods tolerate where the values say nothing."""
    node_selector: dict[str, str] = Field(default_factory=dict)
    """What its pods select where the values say nothing, or whatever the values say."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Its pods' labels that Services and monitors select."""
    privileged: bool = False
    """Whether its pods need the Pod Security level ``privileged``."""


class Sheet(_Fact):
    """Everything that is known of one chart or add-on."""

    name: str
    version: str
    source: Annotated[str, Field(min_length=1)]
    """Repository, file and tag or commit that the facts were read in, and the date."""
    verified: bool = True
    """False where the source is of another version than the one pinned; ``source`` says which."""
    definitions: Definitions = Definitions.NONE
    definition_count: int = 0
    workloads: tuple[Workload, ...]


@cache
def sheets() -> dict[str, Sheet]:
    """Every sheet by the name of its chart or add-on."""
    folder = resources.files("gpuplatform.standard.sheets") / "data"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    read = (Sheet.model_validate(yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)) for file in files)
    return {sheet.name: sheet for sheet in read}
