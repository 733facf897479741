"""The table of tools: how each is built, and which versions on PATH are accepted instead of a build."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sandbox.tools.go import Version, as_text, parse_version


class Tier(StrEnum):
    """What a tool is needed for; the name also selects all tools of the tier."""

    ENGINE = "engine"
    """The real engine: ``make up``, ``make preview``."""
    CLUSTER = "cluster"
    """A real API server: the tests of what it accepts and refuses."""
    PLACEMENT = "placement"
    """Nodes and placement on top of the API server."""
    METRICS = "metrics"
    """Tests of the alert rules and of the metrics that they read."""
    BENCH = "bench"
    """Other projects' tools that `make bench` compares with ours; no test needs one."""


NEEDED_BY_TESTS = (Tier.ENGINE, Tier.CLUSTER, Tier.PLACEMENT, Tier.METRICS)
"""The tiers whose tools `make tools` builds."""


@dataclass(frozen=True, slots=True)
class Accepts:
    """The versions on PATH that are accepted instead of a build."""

    minimum: Version
    below: Version | None = None
    """The first later version that is not accepted; None where every later version is."""

    def fits(self, output: str) -> bool:
        """Whether the version in a command's output is accepted; False where there is no version."""
        version = parse_version(output)
        if version is None or version < self.minimum:
            return False
        return self.below is None or version < self.below

    def in_words(self) -> str:
        """``1.33.0 or newer``."""
        upper_bound = "" if self.below is None else f", below {as_text(self.below)}"
        return f"{as_text(self.minimum)} or newer{upper_bound}"


@dataclass(frozen=True, slots=True)
class Tool:
    """A command that can be built from public Go modules."""

    name: str
    module: str
    """The Go module that holds the command."""
    version: str
    """The module's version, with its leading ``v``."""
    package: str
    """The command's package inside the module, such as ``/cmd/pulumi``; empty where it is the module itself."""
    expected_minutes: float
    """The time of a cold build on two cores."""
    check: tuple[str, ...]
    """Arguments with which the command prints its version and succeeds: the proof that it runs."""
    needed_by: Tier
    accepts: Accepts
    build_flags: tuple[str, ...] = ("-ldflags=-s -w",)
    """Flags after ``go build -mod=mod -trimpath``."""
    companions: tuple[str, ...] = ()
    """Further ``module@version`` to pin, because the module itself pins them by replace directives."""
    own_sums: bool = False
    """Whether the module's own go.sum is used: the public checksum database lacks one of its dependencies."""
    staging_version: str | None = None
    """The published version of the modules that this module replaces by its own ``./staging/`` folders."""

    @property
    def folder(self) -> str:
        """The folder of this row's build in the cache; another version has another folder."""
        return f"{self.name}-{self.version}"


PULUMI = Tool(
    name="pulumi",
    module="github.com/pulumi/pulumi/pkg/v3",
    version="v3.259.0",
    package="/cmd/pulumi",
    # The module replaces its SDK by a neighbouring folder, which a module from the proxy does not have.
    companions=("github.com/pulumi/pulumi/sdk/v3@v3.259.0",),
    build_flags=(
        "-tags=osusergo,grpcnotrace",
        "-ldflags=-s -w -X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=v3.259.0",
    ),
    expected_minutes=4,
    check=("version",),
    needed_by=Tier.ENGINE,
    accepts=Accepts((3, 259, 0)),
)
"""The newest CLI whose modules are all on the public Go module proxy and that the SDK accepts."""

_KUBERNETES_FLAGS = (
    "-ldflags=-s -w"
    " -X k8s.io/component-base/version.gitVersion=v1.35.4"
    " -X k8s.io/component-base/version.gitMajor=1"
    " -X k8s.io/component-base/version.gitMinor=35",
)
_THIS_KUBERNETES = Accepts((1, 35, 0), below=(1, 36, 0))
"""The platform is tested on one minor version; another version admits objects and sets defaults differently."""


def _kubernetes(name: str, minutes: float, tier: Tier, accepts: Accepts, check: tuple[str, ...]) -> Tool:
    return Tool(
        name=name,
        module="k8s.io/kubernetes",
        version="v1.35.4",
        package=f"/cmd/{name}",
        staging_version="v0.35.4",
        build_flags=_KUBERNETES_FLAGS,
        expected_minutes=minutes,
        check=check,
        needed_by=tier,
        accepts=accepts,
    )


KUBE_APISERVER = _kubernetes("kube-apiserver", 3.5, Tier.CLUSTER, _THIS_KUBERNETES, ("--version",))
KUBECTL = _kubernetes("kubectl", 1, Tier.CLUSTER, Accepts((1, 33, 0)), ("version", "--client"))
KUBE_SCHEDULER = _kubernetes("kube-scheduler", 1, Tier.PLACEMENT, _THIS_KUBERNETES, ("--version",))
KUBE_CONTROLLER_MANAGER = _kubernetes("kube-controller-manager", 1, Tier.PLACEMENT, _THIS_KUBERNETES, ("--version",))

ETCD = Tool(
    name="etcd",
    # go.etcd.io/etcd/v3 is only the root of the repository and contains no server.
    module="go.etcd.io/etcd/server/v3",
    version="v3.6.5",
    package="",
    expected_minutes=0.5,
    check=("--version",),
    needed_by=Tier.CLUSTER,
    accepts=Accepts((3, 5, 24), below=(4, 0, 0)),
)
HELM = Tool(
    name="helm",
    module="helm.sh/helm/v3",
    version="v3.20.2",
    package="/cmd/helm",
    # Without the two chartutil flags `helm template` assumes Kubernetes 1.20 and refuses today's charts.
    build_flags=(
        "-ldflags=-s -w"
        " -X helm.sh/helm/v3/internal/version.version=v3.20.2"
        " -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor=1"
        " -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=35",
    ),
    expected_minutes=1,
    check=("version", "--short"),
    needed_by=Tier.CLUSTER,
    accepts=Accepts((3, 15, 0)),
)
KWOK = Tool(
    name="kwok",
    module="sigs.k8s.io/kwok",
    version="v0.7.0",
    package="/cmd/kwok",
    expected_minutes=1.5,
    check=("--version",),
    needed_by=Tier.PLACEMENT,
    accepts=Accepts((0, 7, 0)),
)

KUEUE = Tool(
    name="kueue",
    module="sigs.k8s.io/kueue",
    version="v0.19.2",
    package="/cmd/kueue",
    own_sums=True,
    expected_minutes=3.5,
    check=("--help",),
    needed_by=Tier.PLACEMENT,
    # It prints no version by which another build could be known.
    accepts=Accepts((0, 19, 0), below=(0, 20, 0)),
)

TRAINING_OPERATOR = Tool(
    name="training-operator",
    module="github.com/kubeflow/training-operator",
    version="v1.9.3",
    package="/cmd/training-operator.v1",
    expected_minutes=2,
    check=("--help",),
    needed_by=Tier.PLACEMENT,
    # It prints no version by which another build could be known.
    accepts=Accepts((1, 9, 3), below=(1, 10, 0)),
)


def _prometheus(name: str, minutes: float) -> Tool:
    """Module v0.314.0 is release 3.14.0: Prometheus numbers its Go modules differently from its releases."""
    return Tool(
        name=name,
        module="github.com/prometheus/prometheus",
        version="v0.314.0",
        package=f"/cmd/{name}",
        build_flags=("-ldflags=-s -w -X github.com/prometheus/common/version.Version=3.14.0",),
        expected_minutes=minutes,
        check=("--version",),
        needed_by=Tier.METRICS,
        accepts=Accepts((3, 0, 0)),
    )


PROMTOOL = _prometheus("promtool", 7)
PROMETHEUS = _prometheus("prometheus", 2)
CONFTEST = Tool(
    name="conftest",
    module="github.com/open-policy-agent/conftest",
    version="v0.71.1",
    package="",
    build_flags=("-ldflags=-s -w -X github.com/open-policy-agent/conftest/internal/version.Version=0.71.1",),
    expected_minutes=5,
    check=("--version",),
    needed_by=Tier.BENCH,
    accepts=Accepts((0, 60, 0)),
)

TOOLS: tuple[Tool, ...] = (
    PULUMI,
    # The largest command of each module comes first: the others then find most of their packages compiled.
    KUBE_APISERVER,
    ETCD,
    KUBECTL,
    HELM,
    KUBE_SCHEDULER,
    KUBE_CONTROLLER_MANAGER,
    KWOK,
    KUEUE,
    TRAINING_OPERATOR,
    PROMTOOL,
    PROMETHEUS,
    CONFTEST,
)
