"""What a chart or an EKS add-on makes in a cluster, and which values reach it: facts, each with its source.

One YAML file a chart or add-on in ``data/``, named like it. The files are part of the package: one that cannot be read
is a defect of the package, and raises ``pydantic.ValidationError``.
"""

from __future__ import annotations

import enum
from functools import cache
from importlib import resources
from typing import Annotated, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator


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
    """Every node with an NVIDIA card."""
    PLUGIN_NODES = "plugin-nodes"
    """GPU nodes whose cards a device plugin hands out: all but those where cards are claimed (DRA)."""
    MIG_NODES = "mig-nodes"
    """Plugin nodes whose card can be partitioned, whether or not it is."""
    MPS_NODES = "mps-nodes"
    """Plugin nodes whose cards are shared by MPS."""
    CLAIM_NODES = "claim-nodes"
    """GPU nodes whose cards are claimed (DRA)."""
    EFA_NODES = "efa-nodes"
    NEURON_NODES = "neuron-nodes"


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


class PodSecurity(enum.StrEnum):
    """A level of Pod Security admission, laxest first (kubernetes.io/docs/concepts/security/pod-security-standards)."""

    PRIVILEGED = "privileged"
    BASELINE = "baseline"
    RESTRICTED = "restricted"


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Paths(_Fact):
    """Where the values of the chart reach a workload's pods; None where nothing does. Dots part the keys."""

    tolerations: str | None = None
    node_selector: str | None = None
    affinity: str | None = None
    resources: str | None = None
    """Of the main container."""
    priority: str | None = None
    replicas: str | None = None
    image: str | None = None
    spread: str | None = None
    disruption_budget: str | None = None
    storage: str | None = None
    """The whole spec of the volume claim."""
    service_account: str | None = None


class Requests(_Fact):
    """What one container asks for where the values say nothing; None: nothing."""

    cpu: str | None = None
    memory: str | None = None


class Requirement(_Fact):
    """One line of a required node affinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class Sidecar(_Fact):
    """A container beside the main one."""

    name: str
    resources: str | None = None
    """The path of the values that reaches its resources."""
    requests: Requests = Requests()


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
    """Helm's hook phases, such as ``pre-install``; empty for a part of the release. What only ``helm test`` makes is in
    no sheet: nobody runs it."""
    when: str | None = None
    """A switch of the sheet that has to be on for it to be made; None: always."""
    unless: str | None = None
    """A switch of the sheet that has to be off."""
    replicas: int = 1
    """Pods by default; for a DaemonSet, pods on each node."""
    is_bound: bool = False
    """Whether its maker names the node itself, so that the scheduler and its rules are passed by."""
    paths: Paths = Paths()
    requests: Requests = Requests()
    """Of the main container."""
    sidecars: tuple[Sidecar, ...] = ()
    priority: str | None = None
    """Its priority class where the values say nothing, or whatever the values say."""
    tolerations: tuple[dict[str, str], ...] = ()
    """What its pods tolerate where the values say nothing: values replace the list."""
    always_tolerates: tuple[dict[str, str], ...] = ()
    """What its pods tolerate beside that, whatever the values say."""
    node_selector: dict[str, str] = Field(default_factory=dict)
    """What its pods select, whatever the values say: values add keys to it."""
    node_terms: tuple[tuple[Requirement, ...], ...] = ()
    """Its required node affinity where the values say nothing, one term of which has to match whole."""
    hosts_apart: bool = False
    """Whether two of its pods refuse to share a host where the values say nothing."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Its pods' labels that Services and monitors select."""
    pod_security: PodSecurity | None = None
    """The strictest level that its pods satisfy; None: not read."""
    answers_api_server: bool = False
    """Whether the API server asks it (a webhook that fails closed, an aggregated API): where none of its pods stands,
    objects of others are refused."""


class Service(_Fact):
    """A Service that monitors or the API server read."""

    name: str
    namespace: str | None = None
    """None: the release's own."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Those that a monitor may select."""
    ports: dict[str, int]
    """By name."""
    selector: dict[str, str]
    """Labels of the pods behind it."""


class Mark(_Fact):
    """Labels that a workload of the chart writes on nodes, and on which."""

    place: Place
    labels: dict[str, str]


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
    definition_groups: tuple[str, ...] = ()
    """API groups of its CRDs: an object of one is made after the chart."""
    switches: dict[str, bool] = Field(default_factory=dict)
    """Paths of values that turn workloads on and off, and what the chart takes where the values say nothing."""
    reads: tuple[str, ...] = ()
    """Paths of values that the chart's templates read or pass on whole, beside those of its workloads: what our values
    may set."""
    workloads: tuple[Workload, ...]
    services: tuple[Service, ...] = ()
    marks: tuple[Mark, ...] = ()

    @model_validator(mode="after")
    def _name_known_switches(self) -> Self:
        named = {path for workload in self.workloads for path in (workload.when, workload.unless) if path is not None}
        if unknown := named - set(self.switches):
            raise ValueError(f"{self.name}: no switch {', '.join(sorted(unknown))}")
        return self

    @property
    def readable(self) -> frozenset[str]:
        """Every path of values that something in the chart reads."""
        paths = (path for workload in self.workloads for path in workload.paths.model_dump().values())
        sidecars = (sidecar.resources for workload in self.workloads for sidecar in workload.sidecars)
        return frozenset(path for path in (*paths, *sidecars, *self.switches, *self.reads) if path is not None)

    @property
    def pod_security(self) -> PodSecurity:
        """The strictest level that every one of its pods satisfies; a pod whose level was not read satisfies none."""
        levels = tuple(PodSecurity)
        return min((workload.pod_security or levels[0] for workload in self.workloads), key=levels.index)


@cache
def sheets() -> dict[str, Sheet]:
    """Every sheet by the name of its chart or add-on."""
    folder = resources.files("gpuplatform.standard.sheets") / "data"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    read = (Sheet.model_validate(yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)) for file in files)
    return {sheet.name: sheet for sheet in read}
