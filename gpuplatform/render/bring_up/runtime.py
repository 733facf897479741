"""The shell part of user data that makes a node's NVIDIA runtime ignore NVIDIA_VISIBLE_DEVICES of containers.

The runtime is containerd's default on Amazon Linux 2023's NVIDIA image (awslabs/amazon-eks-ami 81fec2e8,
nodeadm/internal/containerd/runtime_config_nvidia.go), and its package sets nothing beside the defaults.
By default it gives a container the cards of ``NVIDIA_VISIBLE_DEVICES``, and CUDA images carry ``all``: then any
container of the node has every card, without a request (NVIDIA/nvidia-container-toolkit v1.19.1,
api/config/v1/config.go: ``AcceptEnvvarUnprivileged: true``; internal/config/image/cuda_image.go: VisibleDevices).
Mounts that name cards are refused by default (``accept-nvidia-visible-devices-as-volume-mounts`` false).

The GPU Operator could set the same by its toolkit's environment, but its toolkit is off on an image that has one.

Two kinds of container still get cards: those that request them, because the device plugin and the DRA driver name the
cards by CDI; and privileged ones, such as the operator's operands and the node monitoring agent
(NVIDIA/gpu-operator v26.7.0 assets/, validator/manifests/; aws/eks-node-monitoring-agent 51af549 charts/).

The command runs before the kubelet at a node's first boot (``install``), and the file keeps the setting. It has not
run on an EC2 instance yet.
"""

from __future__ import annotations

_CONFIG = "/etc/nvidia-container-runtime/config.toml"
"""A file that the package's post-install script makes (v1.19.1, packaging/rpm/SPECS/nvidia-container-toolkit.spec)."""

RUNTIME_SHELL = "\n".join(
    [
        "#!/bin/sh",
        "set -eu",
        f"nvidia-ctk config --config-file={_CONFIG} --in-place \\",
        "  --set accept-nvidia-visible-devices-envvar-when-unprivileged=false",
        "",
    ]
)
"""The flags are those of v1.19.1, cmd/nvidia-ctk/config/config.go."""
