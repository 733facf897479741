"""The workloads that a chart or an EKS add-on makes, and the values that configure them: facts with their sources.

``data/`` has one YAML file for each chart or add-on, with its name. The files are part of the package: a file that
cannot be read is a defect of the package and raises ``pydantic.ValidationError``.
"""

from __future__ import annotations

import enum
from functools import cache
from importlib import resources
from typing import Annotated, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, model_validator


class Kind(enum.StrEnum):
    """The kind of object that makes a workload's pods."""

    DEPLOYMENT = "Deployment"
    DAEMON_SET = "DaemonSet"
    STATEFUL_SET = "StatefulSet"
    JOB = "Job"
    POD = "Pod"


class MeantFor(enum.StrEnum):
    """The nodes that a workload is meant for."""

    SYSTEM = "system"
    """The system nodes and no others: controllers and hooks."""
    EVERY_NODE = "every-node"
    GPU_NODES = "gpu-nodes"
    """Every node with an NVIDIA card."""
    PLUGIN_NODES = "plugin-nodes"
    """GPU nodes whose cards a device plugin allocates: all except those where cards are claimed (DRA)."""
    MIG_NODES = "mig-nodes"
    """Plugin nodes whose card can be partitioned, whether or not it is."""
    MPS_NODES = "mps-nodes"
    """Plugin nodes whose cards are shared by MPS."""
    CLAIM_NODES = "claim-nodes"
    """GPU nodes whose cards are claimed (DRA)."""
    EFA_NODES = "efa-nodes"
    NEURON_NODES = "neuron-nodes"


class Maker(enum.StrEnum):
    """The component that makes a workload."""

    CHART = "chart"
    OPERATOR = "operator"
    """A controller of the chart makes it later, from an object of the chart. Helm does not wait for it."""


class Definitions(enum.StrEnum):
    """The place of a chart's CRDs, which decides whether an upgrade of the chart changes them."""

    NONE = "none"
    TEMPLATES = "templates"
    """Upgraded and deleted together with the release."""
    FOLDER = "crds-folder"
    """Created once and never upgraded."""
    FOLDER_AND_HOOK = "crds-folder-and-hook"
    """Created once; a hook of the chart upgrades them."""


class PodSecurityLevel(enum.StrEnum):
    """A level of Pod Security admission, laxest first (kubernetes.io/docs/concepts/security/pod-security-standards)."""

    PRIVILEGED = "privileged"
    BASELINE = "baseline"
    RESTRICTED = "restricted"


class _Fact(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Paths(_Fact):
    """The chart values that configure a workload's pods, as paths with dots between keys; None where no value does."""

    tolerations: str | None = None
    node_selector: str | None = None
    affinity: str | None = None
    resources: str | None = None
    """Resources of the main container."""
    priority: str | None = None
    replicas: str | None = None
    image: str | None = None
    spread: str | None = None
    disruption_budget: str | None = None
    storage: str | None = None
    """The whole spec of the volume claim."""
    service_account: str | None = None


class Requests(_Fact):
    """The requests of one container where the values set none; None where it requests nothing."""

    cpu: str | None = None
    memory: str | None = None


class AffinityRequirement(_Fact):
    """One expression of a required node affinity."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class Sidecar(_Fact):
    """A container in addition to the main one."""

    name: str
    resources: str | None = None
    """The path of the chart value that sets its resources."""
    requests: Requests = Requests()


class Workload(_Fact):
    """One workload or hook of a chart."""

    kind: Kind
    name: str
    """The rendered name. The platform names each release after its chart."""
    namespace: str | None = None
    """None: the release's own namespace."""
    service_account: str = "default"
    place: MeantFor
    made_by: Maker = Maker.CHART
    hooks: tuple[str, ...] = ()
    """Helm's hook phases, such as ``pre-install``; empty for a part of the release. Objects that only
    ``helm test`` makes are in no sheet, because nobody runs it."""
    when: str | None = None
    """The switch that has to be on for the workload to be made; None: it is always made."""
    unless: str | None = None
    """The switch that has to be off for the workload to be made."""
    replicas: int = 1
    """Number of pods by default; for a DaemonSet, on each node."""
    is_bound: bool = False
    """Whether its maker sets the node name itself, so that the scheduler and its rules do not apply."""
    paths: Paths = Paths()
    requests: Requests = Requests()
    """Requests of the main container."""
    sidecars: tuple[Sidecar, ...] = ()
    priority: str | None = None
    """Its priority class where the values set none, or where no value can set it."""
    tolerations: tuple[dict[str, str], ...] = ()
    """Tolerations of its pods by default; values replace the list."""
    always_tolerates: tuple[dict[str, str], ...] = ()
    """Further tolerations of its pods, which no value changes."""
    node_selector: dict[str, str] = Field(default_factory=dict)
    """Node selector of its pods; values only add keys to it."""
    node_terms: tuple[tuple[AffinityRequirement, ...], ...] = ()
    """Its required node affinity by default: at least one of these terms has to match with all its expressions."""
    hosts_apart: bool = False
    """Whether two of its pods never share a host by default."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels of its pods that Services and monitors select."""
    pod_security: PodSecurityLevel | None = None
    """The strictest level that its pods satisfy; None: not read."""
    answers_api_server: bool = False
    """Whether the API server calls it (a webhook that fails closed, an aggregated API). While none of its pods runs,
    the API server refuses objects of others."""


class ChartService(_Fact):
    """A Service that monitors select or the API server calls."""

    name: str
    namespace: str | None = None
    """None: the release's own namespace."""
    labels: dict[str, str] = Field(default_factory=dict)
    """Labels that a monitor may select."""
    ports: dict[str, int]
    """Port numbers by name."""
    selector: dict[str, str]
    """Labels of the pods that the Service selects."""


class Mark(_Fact):
    """Labels that a workload of the chart writes on nodes."""

    place: MeantFor
    labels: dict[str, str]


class Sheet(_Fact):
    """All facts about one chart or add-on."""

    name: str
    version: str
    source: Annotated[str, Field(min_length=1)]
    """Repository, file and tag or commit in which the facts were read, and the date."""
    verified: bool = True
    """False where the facts are those of another version than the pinned one; ``source`` names it."""
    definitions: Definitions = Definitions.NONE
    definition_count: int = 0
    definition_groups: tuple[str, ...] = ()
    """API groups of its CRDs: objects of these groups are made after the chart."""
    switches: dict[str, bool] = Field(default_factory=dict)
    """Paths of values that turn workloads on and off, with the chart's defaults."""
    reads: tuple[str, ...] = ()
    """Further paths that the chart's templates read or pass on whole. Our values may set these and the workloads' paths
    only."""
    workloads: tuple[Workload, ...]
    services: tuple[ChartService, ...] = ()
    marks: tuple[Mark, ...] = ()

    @model_validator(mode="after")
    def _name_known_switches(self) -> Self:
        conditions = {
            path for workload in self.workloads for path in (workload.when, workload.unless) if path is not None
        }
        if unknown_switches := conditions - set(self.switches):
            raise ValueError(f"{self.name}: no switch {', '.join(sorted(unknown_switches))}")
        return self

    @property
    def readable(self) -> frozenset[str]:
        """Every path of values that the chart reads."""
        paths = (path for workload in self.workloads for path in workload.paths.model_dump().values())
        sidecars = (sidecar.resources for workload in self.workloads for sidecar in workload.sidecars)
        return frozenset(path for path in (*paths, *sidecars, *self.switches, *self.reads) if path is not None)

    @property
    def pod_security(self) -> PodSecurityLevel:
        """The strictest level that every one of its pods satisfies; a pod whose level was not read satisfies none."""
        levels = tuple(PodSecurityLevel)
        return min((workload.pod_security or levels[0] for workload in self.workloads), key=levels.index)


@cache
def sheets() -> dict[str, Sheet]:
    """Every sheet by the name of its chart or add-on."""
    folder = resources.files("gpuplatform.standard.sheets") / "data"
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    parsed_sheets = (
        Sheet.model_validate(yaml.load(file.read_text("utf-8"), Loader=yaml.CSafeLoader)) for file in files
    )
    return {sheet.name: sheet for sheet in parsed_sheets}
