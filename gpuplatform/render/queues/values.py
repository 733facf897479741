"""Values of Kueue's chart: what it watches, how long a job may take to start, and what it counts."""

from __future__ import annotations

from gpuplatform.plan.queues import QueuePlan
from gpuplatform.render.addons import PRIORITY, REPLICAS, placement, requests, spread
from gpuplatform.render.document import Document, as_yaml, kubernetes_object
from gpuplatform.settings.settings import Queues
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
"""Every kind of work that can ask for cards: in a queued namespace none of them bypasses the queue."""
_NOT_COUNTED = ("cpu", "memory", "ephemeral-storage", "hugepages-", "vpc.amazonaws.com/", "aws.amazon.com/")
"""Queues divide NVIDIA cards; they do not count a node's other resources, nor Neuron devices, which have no flavor.

Kueue never admits work that asks for a resource which is neither here nor in a queue. A ResourceQuota limits these.
"""


def configuration(plan: QueuePlan, queues: Queues) -> Document:
    """Kueue's configuration as its manager reads it, without the addresses on which it listens."""
    counted = sorted({flavor.resource for flavor in plan.flavors})
    return {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "manageJobsWithoutQueueName": True,
        "managedJobsNamespaceSelector": {"matchLabels": {keys.SCHEDULING: Scheduling.QUEUED.value}},
        "waitForPodsReady": {
            # All pods of a job start in this time, or the whole job is queued again; other jobs are admitted meanwhile.
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
    """Kueue's namespace, which the release of its chart does not make."""
    labels = {keys.MANAGED_BY: "pulumi", keys.POD_SECURITY_ENFORCE: sheets()[CHART].pod_security.value}
    return kubernetes_object("v1", "Namespace", CHARTS[CHART].namespace, labels=labels)


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
            # Its webhooks fail closed: while none of its pods runs, the API server admits no pod and no job.
            "replicas": REPLICAS,
            "podDisruptionBudget": {"enabled": True, "minAvailable": 1},
            "topologySpreadConstraints": spread(sheets()[CHART].workloads[0].labels),
            **placement(),
            "manager": {
                "priorityClassName": PRIORITY,
                # One replica decides, both serve webhooks; the chart's half a CPU suits clusters with many more queues.
                "resources": requests("200m", "512Mi"),
                # The chart's default is an image tag that moves.
                "image": {
                    "repository": "registry.k8s.io/kueue/kueue",
                    "tag": f"v{CHARTS[CHART].pin.version}",
                    "pullPolicy": "IfNotPresent",
                },
            },
        },
        "managerConfig": {"controllerManagerConfigYaml": as_yaml(configuration(plan, queues) | manager)},
    }
