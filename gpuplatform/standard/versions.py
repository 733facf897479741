"""Every version that the platform pins, each with its public source: Kubernetes, node image, charts, EKS add-ons.

Each pin is one line. The comment above it names the source of newer versions for Renovate (``renovate.json5``).
A version that no public source names for its use is marked: ``unverified`` lists these, so that a person verifies them
before the first ``up``. No pin follows a moving tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

_COMMON_ACCOUNT = "602401143452"
"""The account of every region that is not listed below: those from before accounts had to opt in to a region."""
_ACCOUNTS = {
    "af-south-1": "877085696533",
    "ap-east-1": "800184023465",
    "ap-east-2": "533267051163",
    "ap-south-2": "900889452093",
    "ap-southeast-3": "296578399912",
    "ap-southeast-4": "491585149902",
    "ap-southeast-5": "151610086707",
    "ap-southeast-6": "333609536671",
    "ap-southeast-7": "121268973566",
    "ca-west-1": "761377655185",
    "eu-central-2": "900612956339",
    "eu-south-1": "590381155156",
    "eu-south-2": "455263428931",
    "il-central-1": "066635153087",
    "me-central-1": "759879836304",
    "me-south-1": "558608220178",
    "mx-central-1": "730335286997",
}


def eks_registry(region: str) -> str:
    """The registry of AWS's own add-ons and device plugins in a region of the ``aws`` partition.

    A region newer than the list gets the common account. The accounts are those of the EKS user guide
    (latest/ug/workloads/add-ons-images.adoc 1cc6ebb) and of eksctl (pkg/apis/eksctl.io/v1alpha5/types.go 99984ad). They
    agree; only eksctl lists ``ap-southeast-5``.
    """
    return f"{_ACCOUNTS.get(region, _COMMON_ACCOUNT)}.dkr.ecr.{region}.amazonaws.com"


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned version and the source that names it."""

    name: str
    version: str
    source: str
    """Public repository or page, the place in it that names the version, and the date."""
    verified: bool = True
    """False: no public source names exactly this version for this use."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A Helm chart, its repository, and the namespace that it is installed into."""

    name: str
    repository: str
    """A chart repository (https), or the address of the chart itself (oci)."""
    pin: Pin
    namespace: str


# The EKS API knows which add-on versions exist. These are public records of its answers, or of versions that ran.
_DEFAULTS_OF_1_35 = (
    "skax-ca/eks-reference-infra live/dev/eks/main.tf 08c73e5: default of EKS 1.35 in ap-northeast-2 on 2026-08-04"
)
_EKSCTL = "eksctl-io/eksctl pkg/addons/default/assets 03c9a0a, written from the EKS API for each minor on 2026-08-20"
_JUSTICE = (
    "ministryofjustice/cloud-platform-infrastructure terraform/aws-accounts/cloud-platform-aws/vpc/eks/cluster.tf"
)

# renovate: datasource=endoflife-date depName=amazon-eks versioning=loose extractVersion=^(?<version>.*)-eks.+$
KUBERNETES = Pin("kubernetes", "1.35", "awslabs/amazon-eks-ami CHANGELOG.md 81fec2e: images for EKS 1.35, 2026-07-14")
"""The minor version that a stack gets when it names none."""

KUBERNETES_SUPPORTED: tuple[str, ...] = ("1.33", "1.34", "1.35", "1.36")
"""Minors that Karpenter 1.14 (upgrading/compatibility.md, 2026-08-21) and GPU Operator v26.7 (1.33 to 1.36) both
support, and that EKS offers: release v20260714 of awslabs/amazon-eks-ami has NVIDIA images for each."""

# renovate: datasource=github-releases depName=awslabs/amazon-eks-ami versioning=loose
AL2023_IMAGE = Pin("al2023", "v20260714", "awslabs/amazon-eks-ami CHANGELOG.md 81fec2e: release v20260714, 2026-07-14")
"""The alias family and release that node classes select, for standard, NVIDIA and Neuron images alike."""

_NODE_RELEASES: Mapping[str, str] = {
    "1.33": "1.33.13-20260714",
    "1.34": "1.34.9-20260714",
    "1.35": "1.35.6-20260714",
    "1.36": "1.36.2-20260714",
}
"""The same release of the image as EKS names it for managed node groups: the kubelet's patch, then the date. No data
source of Renovate knows the patch: read it in the notes of a newer release, under "Release version". A test checks that
the dates agree."""

# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter
KARPENTER = Pin("karpenter", "1.14.1", "aws/karpenter-provider-aws 1d92708 charts/karpenter/Chart.yaml, 2026-08-21")
# renovate: datasource=helm depName=gpu-operator registryUrl=https://helm.ngc.nvidia.com/nvidia
GPU_OPERATOR = Pin("gpu-operator", "v26.7.0", "NVIDIA/gpu-operator tag v26.7.0, 2026-08-20")
# renovate: datasource=docker depName=registry.k8s.io/kueue/charts/kueue
KUEUE = Pin("kueue", "0.19.2", "kubernetes-sigs/kueue tag v0.19.2, 2026-08-20")
# renovate: datasource=helm depName=kube-prometheus-stack registryUrl=https://prometheus-community.github.io/helm-charts
KUBE_PROMETHEUS_STACK = Pin("kube-prometheus-stack", "88.5.3", "prometheus-community/helm-charts tag, 2026-08-21")
# renovate: datasource=helm depName=prometheus-operator-crds registryUrl=https://prometheus-community.github.io/helm-charts
PROMETHEUS_OPERATOR_CRDS = Pin(
    "prometheus-operator-crds",
    "31.0.1",
    "prometheus-community/helm-charts tag (4529d7b): appVersion v0.93.1, as kube-prometheus-stack 88.5.3, 2026-08-10",
)
# renovate: datasource=helm depName=keda registryUrl=https://kedacore.github.io/charts
KEDA = Pin("keda", "2.20.2", "kedacore/charts tag, 2026-07-31")
# renovate: datasource=helm depName=aws-efa-k8s-device-plugin registryUrl=https://aws.github.io/eks-charts
EFA_DEVICE_PLUGIN = Pin("aws-efa-k8s-device-plugin", "v0.5.30", "aws/eks-charts stable at 5239609, 2026-07-21")
# renovate: datasource=docker depName=public.ecr.aws/neuron/neuron-helm-chart
NEURON = Pin("neuron-helm-chart", "1.10.0", "aws-neuron/neuron-helm-charts release 1.10.0 (8ca1e5c), 2026-08-19")
# renovate: datasource=helm depName=nvidia-device-plugin registryUrl=https://nvidia.github.io/k8s-device-plugin
NVIDIA_DEVICE_PLUGIN = Pin("nvidia-device-plugin", "0.20.0", "NVIDIA/k8s-device-plugin tag v0.20.0, 2026-08-19")
# renovate: datasource=docker depName=registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu
DRA_DRIVER = Pin(
    "dra-driver-nvidia-gpu",
    "0.4.1",
    "kubernetes-sigs/dra-driver-nvidia-gpu Chart.yaml 764900e of the chart; tag v0.4.1, 2026-08-07",
)

_PROMETHEUS_COMMUNITY = "https://prometheus-community.github.io/helm-charts"

CHARTS: Mapping[str, Chart] = {
    chart.name: chart
    for chart in (
        Chart("karpenter", "oci://public.ecr.aws/karpenter/karpenter", KARPENTER, "kube-system"),
        Chart("karpenter-crd", "oci://public.ecr.aws/karpenter/karpenter-crd", KARPENTER, "kube-system"),
        Chart("gpu-operator", "https://helm.ngc.nvidia.com/nvidia", GPU_OPERATOR, "gpu-operator"),
        Chart("kueue", "oci://registry.k8s.io/kueue/charts/kueue", KUEUE, "kueue-system"),
        Chart("prometheus-operator-crds", _PROMETHEUS_COMMUNITY, PROMETHEUS_OPERATOR_CRDS, "monitoring"),
        Chart("kube-prometheus-stack", _PROMETHEUS_COMMUNITY, KUBE_PROMETHEUS_STACK, "monitoring"),
        Chart("keda", "https://kedacore.github.io/charts", KEDA, "keda"),
        Chart("aws-efa-k8s-device-plugin", "https://aws.github.io/eks-charts", EFA_DEVICE_PLUGIN, "kube-system"),
        Chart("neuron-helm-chart", "oci://public.ecr.aws/neuron/neuron-helm-chart", NEURON, "kube-system"),
        Chart(
            "nvidia-device-plugin", "https://nvidia.github.io/k8s-device-plugin", NVIDIA_DEVICE_PLUGIN, "kube-system"
        ),
        Chart(
            "dra-driver-nvidia-gpu",
            "oci://registry.k8s.io/dra-driver-nvidia/charts/dra-driver-nvidia-gpu",
            DRA_DRIVER,
            "kube-system",
        ),
    )
}

# kube-proxy's minor is the cluster's, and EKS offers CoreDNS by minor, so these two have a pin for each.
_KUBE_PROXY: Mapping[str, Pin] = {
    # renovate: datasource=aws-eks-addon depName=kube-proxy kubernetes=1.33 versioning=aws-eks-addon
    "1.33": Pin("kube-proxy", "v1.33.10-eksbuild.13", f"{_JUSTICE} 372c5e3, 2026-07-07"),
    # renovate: datasource=aws-eks-addon depName=kube-proxy kubernetes=1.34 versioning=aws-eks-addon
    "1.34": Pin("kube-proxy", "v1.34.6-eksbuild.17", f"{_JUSTICE} f914464, 2026-07-29"),
    # renovate: datasource=aws-eks-addon depName=kube-proxy kubernetes=1.35 versioning=aws-eks-addon
    "1.35": Pin("kube-proxy", "v1.35.3-eksbuild.17", _DEFAULTS_OF_1_35),
    # renovate: datasource=aws-eks-addon depName=kube-proxy kubernetes=1.36 versioning=aws-eks-addon
    "1.36": Pin(
        "kube-proxy",
        "v1.36.0-eksbuild.13",
        "seen beside EKS 1.36 in public Terraform whose repository could not be named, 2026-11-21",
        verified=False,
    ),
}
_COREDNS: Mapping[str, Pin] = {
    # renovate: datasource=aws-eks-addon depName=coredns kubernetes=1.33 versioning=aws-eks-addon
    "1.33": Pin("coredns", "v1.13.2-eksbuild.11", f"{_JUSTICE} 5e43b29, 2026-07-06"),
    # renovate: datasource=aws-eks-addon depName=coredns kubernetes=1.34 versioning=aws-eks-addon
    "1.34": Pin("coredns", "v1.13.2-eksbuild.11", f"{_JUSTICE} f914464, 2026-07-29"),
    # renovate: datasource=aws-eks-addon depName=coredns kubernetes=1.35 versioning=aws-eks-addon
    "1.35": Pin("coredns", "v1.13.2-eksbuild.11", _DEFAULTS_OF_1_35),
    # renovate: datasource=aws-eks-addon depName=coredns kubernetes=1.36 versioning=aws-eks-addon
    "1.36": Pin("coredns", "v1.14.3-eksbuild.11", _EKSCTL),
}

# renovate: datasource=aws-eks-addon depName=vpc-cni kubernetes=1.35 versioning=aws-eks-addon
VPC_CNI = Pin("vpc-cni", "v1.22.3-eksbuild.1", f"{_DEFAULTS_OF_1_35}; 1.33, 1.34: {_JUSTICE} 9852bf2, f914464")
# renovate: datasource=aws-eks-addon depName=eks-pod-identity-agent kubernetes=1.35 versioning=aws-eks-addon
POD_IDENTITY_AGENT = Pin("eks-pod-identity-agent", "v1.3.10-eksbuild.3", _DEFAULTS_OF_1_35)
# renovate: datasource=aws-eks-addon depName=aws-ebs-csi-driver kubernetes=1.35 versioning=aws-eks-addon
EBS_CSI_DRIVER = Pin("aws-ebs-csi-driver", "v1.63.1-eksbuild.1", _DEFAULTS_OF_1_35)
# renovate: datasource=aws-eks-addon depName=eks-node-monitoring-agent kubernetes=1.35 versioning=aws-eks-addon
NODE_MONITORING_AGENT = Pin(
    "eks-node-monitoring-agent",
    "v1.7.0-eksbuild.1",
    "aws/eks-node-monitoring-agent 51af549, image tag in charts/eks-node-monitoring-agent/values.yaml, 2026-08-18",
    verified=False,
)
# renovate: datasource=aws-eks-addon depName=metrics-server kubernetes=1.35 versioning=aws-eks-addon
METRICS_SERVER = Pin("metrics-server", "v0.9.0-eksbuild.5", _DEFAULTS_OF_1_35)

_NAMED_FOR: Mapping[Pin, tuple[str, ...]] = {
    VPC_CNI: ("1.33", "1.34", "1.35"),
    POD_IDENTITY_AGENT: ("1.35",),
    EBS_CSI_DRIVER: ("1.35",),
    NODE_MONITORING_AGENT: (),
    METRICS_SERVER: ("1.35",),
}
"""Add-ons with one version for all minors, and the minors that their sources name."""


def addons(kubernetes: str) -> Mapping[str, Pin]:
    """The add-ons of a cluster of this minor version, by the name that EKS gives them.

    A version that its source names for other minors only is marked unverified here. A minor that the platform does not
    support is a LookupError; settings refuse it earlier.
    """
    if kubernetes not in KUBERNETES_SUPPORTED:
        raise LookupError(f"no add-ons are pinned for Kubernetes {kubernetes}; for: {', '.join(KUBERNETES_SUPPORTED)}")
    shared_addons = (_for_minor(pin, kubernetes) for pin in _NAMED_FOR)
    return {pin.name: pin for pin in (_KUBE_PROXY[kubernetes], _COREDNS[kubernetes], *shared_addons)}


def node_release(kubernetes: str) -> Pin:
    """The image of managed node groups in a cluster of this minor version, standard and NVIDIA alike.

    A minor that the platform does not support is a LookupError; settings refuse it earlier.
    """
    release = _NODE_RELEASES.get(kubernetes)
    if release is None:
        raise LookupError(f"no node image is pinned for Kubernetes {kubernetes}; for: {', '.join(_NODE_RELEASES)}")
    return replace(AL2023_IMAGE, name="eks-node-release", version=release)


def all_pins(kubernetes: str = KUBERNETES.version) -> tuple[Pin, ...]:
    """Every pin of a cluster of this minor version, each once."""
    charts = dict.fromkeys(chart.pin for chart in CHARTS.values())
    return (KUBERNETES, AL2023_IMAGE, node_release(kubernetes), *charts, *addons(kubernetes).values())


def unverified(kubernetes: str = KUBERNETES.version) -> tuple[Pin, ...]:
    """The pins that no public source names exactly, for a cluster of this minor version."""
    return tuple(pin for pin in all_pins(kubernetes) if not pin.verified)


def _for_minor(pin: Pin, kubernetes: str) -> Pin:
    if not pin.verified or kubernetes in _NAMED_FOR[pin]:
        return pin
    return replace(pin, source=f"{pin.source} (not for Kubernetes {kubernetes})", verified=False)
