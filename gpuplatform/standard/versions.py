"""Every version that the platform pins, each with its public source: Kubernetes, node image, charts, EKS add-ons.

One pin a line. The comment in front tells Renovate where newer ones are announced (``renovate.json5`` reads it).
A version that no public source names for its use is still pinned, and marked: ``unverified`` lists those, so that a
person looks before the first ``up``. Nothing follows a moving tag.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pin:
    """One pinned version and who says that it exists."""

    name: str
    version: str
    source: str
    """Public repository or page, what in it names the version, and the date."""
    verified: bool = True
    """False: no public source names exactly this version for this use."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A Helm chart, where it is had, and the namespace that it is installed into."""

    name: str
    repository: str
    """A chart repository (https), or the address of the chart itself (oci)."""
    pin: Pin
    namespace: str


# Which add-on versions exist is what the EKS API answers. These are public records of its answers, or of what ran.
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
source of Renovate knows the patch: whoever takes a newer image reads it in that release's notes, under "Release
version", and a test holds the dates together."""

# renovate: datasource=docker depName=public.ecr.aws/karpenter/karpenter
KARPENTER = Pin("karpenter", "1.14.1", "aws/karpenter-provider-aws 1d92708 charts/karpenter/Chart.yaml, 2026-08-21")
# renovate: datasource=helm depName=gpu-operator registryUrl=https://helm.ngc.nvidia.com/nvidia
GPU_OPERATOR = Pin("gpu-operator", "v26.7.0", "NVIDIA/gpu-operator tag v26.7.0, 2026-08-20")
# renovate: datasource=docker depName=registry.k8s.io/kueue/charts/kueue
KUEUE = Pin("kueue", "0.19.2", "kubernetes-sigs/kueue tag v0.19.2, 2026-08-20")
# renovate: datasource=helm depName=kube-prometheus-stack registryUrl=https://prometheus-community.github.io/helm-charts
KUBE_PROMETHEUS_STACK = Pin("kube-prometheus-stack", "88.5.3", "prometheus-community/helm-charts tag, 2026-08-21")
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

CHARTS: Mapping[str, Chart] = {
    chart.name: chart
    for chart in (
        Chart("karpenter", "oci://public.ecr.aws/karpenter/karpenter", KARPENTER, "kube-system"),
        Chart("karpenter-crd", "oci://public.ecr.aws/karpenter/karpenter-crd", KARPENTER, "kube-system"),
        Chart("gpu-operator", "https://helm.ngc.nvidia.com/nvidia", GPU_OPERATOR, "gpu-operator"),
        Chart("kueue", "oci://registry.k8s.io/kueue/charts/kueue", KUEUE, "kueue-system"),
        Chart(
            "kube-prometheus-stack",
            "https://prometheus-community.github.io/helm-charts",
            KUBE_PROMETHEUS_STACK,
            "monitoring",
        ),
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
"""Add-ons with one version for every minor, and the minors that their sources name."""


def addons(kubernetes: str) -> Mapping[str, Pin]:
    """The add-ons of a cluster of this minor version, by the name that EKS gives them.

    A version that its source names for other minors only is marked unverified here. A minor that the platform does not
    support is a LookupError; settings refuse it before.
    """
    if kubernetes not in KUBERNETES_SUPPORTED:
        raise LookupError(f"no add-ons are pinned for Kubernetes {kubernetes}; for: {', '.join(KUBERNETES_SUPPORTED)}")
    shared = (_for_minor(pin, kubernetes) for pin in _NAMED_FOR)
    return {pin.name: pin for pin in (_KUBE_PROXY[kubernetes], _COREDNS[kubernetes], *shared)}


def node_release(kubernetes: str) -> Pin:
    """The image of managed node groups in a cluster of this minor version, standard and NVIDIA alike.

    A minor that the platform does not support is a LookupError; settings refuse it before.
    """
    release = _NODE_RELEASES.get(kubernetes)
    if release is None:
        raise LookupError(f"no node image is pinned for Kubernetes {kubernetes}; for: {', '.join(_NODE_RELEASES)}")
    return replace(AL2023_IMAGE, name="eks-node-release", version=release)


def all_pins(kubernetes: str = KUBERNETES.version) -> tuple[Pin, ...]:
    """Everything pinned for a cluster of this minor version, each once."""
    charts = dict.fromkeys(chart.pin for chart in CHARTS.values())
    return (KUBERNETES, AL2023_IMAGE, node_release(kubernetes), *charts, *addons(kubernetes).values())


def unverified(kubernetes: str = KUBERNETES.version) -> tuple[Pin, ...]:
    """The pins that no public source names exactly, for a cluster of this minor version."""
    return tuple(pin for pin in all_pins(kubernetes) if not pin.verified)


def _for_minor(pin: Pin, kubernetes: str) -> Pin:
    if not pin.verified or kubernetes in _NAMED_FOR[pin]:
        return pin
    return replace(pin, source=f"{pin.source} (not for Kubernetes {kubernetes})", verified=False)
