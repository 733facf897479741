"""Values of Kueue's chart: what it watches, how long a job may take to start, and what it counts (Q6-Q8)."""

from __future__ import annotations

from gpuplatform.render.controllers import PRIORITY, REPLICAS, placement, requests, spread
from gpuplatform.render.document import Document, a, as_yaml
from gpuplatform.settings.flavors import QueuePlan
from gpuplatform.settings.queues import Queues
from gpuplatform.settings.tenants import Scheduling
from gpuplatform.standard import keys, resources
from gpuplatform.standard.sheets.sheet import sheets
from gpuplatform.standard.versions import CHARTS

CHART = "kueue"
FRAMEWORKS = (
    "batch/job",
    "jobset.x-k8s.io/jobset",
    "kubeflow.org/tfjob",
    "kubeflow.org/pytorchjob",
    "kubeflow.org/mpijob",
    "ray.io/raycluster",
    "ray.io/rayjob",
    "leaderworkerset.x-k8s.io/leaderworkerset",
    "deployment",
    "statefulset",
    "pod",
)
"""Every kind that can ask for cards: in a queued namespace none of them goes past the queue."""
_NOT_COUNTED = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/", "aws.amazon.com/")
"""Queues are about NVIDIA cards; the rest is what nodes have beside them, and Neuron devices, which no flavor divides.

A resource that is neither here nor in a queue is one that Kueue never admits; a ResourceQuota holds these.
"""


def configuration(plan: QueuePlan, queues: Queues) -> Document:
    """Kueue's own configuration, as its manager reads it; where it listens is left to whoever starts it."""
    counted = sorted({each.resource for each in plan.flavors})
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchLabels": {keys.SCHEDULING: Scheduling.QUEUED.value}},
        "waitForPodsReady": {
            # All of a job starts in this time or all of it waits again; others are admitted meanwhile.
            "timeout": f"{queues.start_timeout_minutes}m",
            "blockAdmission": False,
            "recoveryTimeout": f"{queues.start_timeout_minutes}m",
            "requeuingStrategy": {"timestamp": "Eviction", "backoffBaseSeconds": 60, "backoffMaxSeconds": 3600},
        },
        "integrations": {"frameworks": list(FRAMEWORKS)},
        "fairSharing": {"preemptionStrategies": ["LessThanOrEqualToFinalShare", "LessThanInitialShare"]},
        "resources": {
            "excludeResourcePrefixes": list(_NOT_COUNTED),
            "transformations": [
                {
                    "input": resource,
                    "strategy": "Retain",
                    "outputs": {resources.SEVENTHS: str(resources.sevenths(resource))},
                }
                for resource in counted
            ],
        },
    }


def kueue_namespace() -> Document:
    """Kueue's own namespace: a chart's release does not make it."""
    name = CHARTS[CHART].namespace
    document = a("v1", "Namespace", name)
    labels = {keys.MANAGED_BY: "pulumi", keys.POD_SECURITY_ENFORCE: sheets()[CHART].pod_security.value}
    document["metadata"] = {"name": name, "labels": labels}
    return document


def kueue_values(plan: QueuePlan, queues: Queues) -> Document:
    """The chart's values, where they differ from its defaults or must not be left to them."""
    manager: Document = {
        "health": {"healthProbeBindAddress": ":8081"},
        "metrics": {"bindAddress": ":8443", "enableClusterQueueResources": True},
        "webhook": {"port": 9443},
        "leaderElection": {"leaderElect": True, "resourceName": "c1f6bfd2.kueue.x-k8s.io"},
    }
    return {
        "controllerManager": {
            # Its webhooks fail closed: with none of its pods there, nobody's pods and jobs are admitted.
            "replicas": REPLICAS,
            "podDisruptionBudget": {"enabled": True, "minAvailable": 1},
            "topologySpreadConstraints": spread(sheets()[CHART].workloads[0].labels),
            **placement(),
            "manager": {
                "priorityClassName": PRIORITY,
                # One of the two decides, both answer; the chart's half a CPU is for a cluster of many more queues.
                "resources": requests("200m", "512Mi"),
                # The chart's source names an image that moves.
                "image": {
                    "repository": "registry.k8s.io/kueue/kueue",
                    "tag": f"v{CHARTS[CHART].pin.version}",
                    "pullPolicy": "IfNotPresent",
                },
            },
        },
        "managerConfig": {"controllerManagerConfigYaml": as_yaml(configuration(plan, queues) | manager)},
    }
