"""Workloads that keep every rule about pods: as a team writes them, and as a stack's block has them."""

from __future__ import annotations


def block(purpose: str, **more: str) -> dict[str, object]:
    """The block of a pool, for whole cards of workers."""
    return {
        "runtimeClassName": "nvidia",
        "nodeSelector": {"gpu.pool": purpose, "gpu.role": "worker", "gpu.mig": "disabled", **more},
        "tolerations": [
            {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "dedicated", "operator": "Exists", "effect": "NoSchedule"},
            {"key": "gpu.pool", "operator": "Equal", "value": purpose, "effect": "NoSchedule"},
        ],
    }


def resources(amount: object = "1", resource: str = "nvidia.com/gpu") -> dict[str, object]:
    """Requests and limits alike."""
    return {"requests": {resource: amount, "cpu": "1", "memory": "4Gi"}, "limits": {resource: amount, "memory": "4Gi"}}


def a_deployment() -> dict[str, object]:
    """A server on two whole cards, each somewhere else."""
    main = {"name": "main", "image": "registry.example/server:1", "resources": resources()}
    apart = [
        {
            "topologyKey": key,
            "maxSkew": 1,
            "whenUnsatisfiable": "ScheduleAnyway",
            "labelSelector": {"matchLabels": {"app": "chat"}},
        }
        for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone")
    ]
    pod = {
        **block("infer"),
        "priorityClassName": "inference-critical",
        "topologySpreadConstraints": apart,
        "containers": [main],
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "chat", "namespace": "ml-serving"},
        "spec": {"replicas": 2, "template": {"metadata": {"labels": {"app": "chat"}}, "spec": pod}},
    }


def a_job() -> dict[str, object]:
    """Training on two nodes whose pods connect to the rank-0 pod."""
    command = ["torchrun", "--nnodes=2", "--node-rank=$(JOB_COMPLETION_INDEX)", "--master-addr=pretrain-0.peers"]
    main = {"name": "main", "command": command, "resources": resources("8")}
    pod = {
        **block("train", **{"gpu.model": "A100", "gpu.mem": "40gb"}),
        "priorityClassName": "training-normal",
        "subdomain": "peers",
        "containers": [main],
    }
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "pretrain", "namespace": "ml-training"},
        "spec": {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "template": {"spec": pod}},
    }


def a_headless_service() -> dict[str, object]:
    """The headless Service that gives the Job's pods their names."""
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "peers", "namespace": "ml-training"},
        "spec": {"clusterIP": "None", "selector": {"app": "pretrain"}},
    }


def a_config_map() -> dict[str, object]:
    """A ConfigMap that a server reads into its environment."""
    metadata = {"name": "server", "namespace": "ml-serving"}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"MODEL": "chat"}}


def a_secret() -> dict[str, object]:
    return {**a_config_map(), "kind": "Secret", "data": {"MODEL_TOKEN": "MTIz"}}


def a_cluster_policy() -> dict[str, object]:
    """The operator's own object, as its chart names it."""
    tolerations = [{"key": key, "operator": "Exists"} for key in ("nvidia.com/gpu", "dedicated", "gpu.pool")]
    return {
        "apiVersion": "nvidia.com/v1",
        "kind": "ClusterPolicy",
        "metadata": {"name": "cluster-policy"},
        "spec": {
            "driver": {"enabled": False},
            "toolkit": {"enabled": False},
            "mig": {"strategy": "mixed"},
            "daemonsets": {"tolerations": tolerations},
        },
    }


def a_service_monitor() -> dict[str, object]:
    """The ServiceMonitor that scrapes the card metrics."""
    return {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": {"name": "cards", "namespace": "monitoring"},
        "spec": {
            "selector": {"matchLabels": {"app": "nvidia-dcgm-exporter"}},
            "endpoints": [{"port": "gpu-metrics", "interval": "15s"}],
        },
    }


PODS: tuple[dict[str, object], ...] = (
    a_deployment(),
    a_job(),
    a_headless_service(),
    a_config_map(),
    a_secret(),
)

OPERATOR_OBJECTS: tuple[dict[str, object], ...] = (a_service_monitor(), a_cluster_policy())
