"""Values of the device plugins that the GPU Operator does not bring: EFA (N23) and Neuron (N14)."""

from __future__ import annotations

from gpuplatform.render.document import Document
from gpuplatform.render.gpu_operator import gpu_node_tolerations
from gpuplatform.settings.plan import efa_label
from gpuplatform.settings.settings import Settings
from gpuplatform.standard.registries import eks_registry
from gpuplatform.standard.taints import NEURON_TAINT

EFA_CHART = "aws-efa-k8s-device-plugin"
NEURON_CHART = "neuron-helm-chart"


def device_plugin_values(settings: Settings) -> dict[str, Document]:
    """Chart values by the chart's name: only the charts that some pool needs."""
    values: dict[str, Document] = {}
    if any(pool.efa for pool in settings.pools):
        values[EFA_CHART] = {
            # The chart names the registry of us-west-2 in every region; the repository is the same in each.
            "image": {"repository": f"{eks_registry(settings.region)}/eks/{EFA_CHART}"},
            "tolerations": gpu_node_tolerations(settings),
            # The plugin ends with an error on a node without EFA, and the chart asks for an instance type alone, beside
            # which it takes a selector (aws/eks-charts v0.5.30, templates/daemonset.yaml).
            "nodeSelector": efa_label(),
        }
    if settings.neuron_pools:
        tolerated = {"key": NEURON_TAINT.key, "operator": "Exists", "effect": NEURON_TAINT.effect.value}
        values[NEURON_CHART] = {"npd": {"enabled": False}, "devicePlugin": {"tolerations": [tolerated]}}
    return values
