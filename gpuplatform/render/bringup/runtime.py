"""The shell part of user data that tells a node's NVIDIA runtime to obey no container's variable.

The runtime is containerd's default on Amazon Linux 2023's NVIDIA image (awslabs/amazon-eks-ami 81fec2e8,
nodeadm/internal/containerd/runtime_config_nvidia.go), and its package writes no setting of its own beside the defaults.
By default it gives a container the cards of ``NVIDIA_VISIBLE_DEVICES``, and CUDA images carry ``all``: any container of
the node then has every card, without a request (NVIDIA/nvidia-container-toolkit v1.19.1, api/config/v1/config.go:
``AcceptEnvvarUnprivileged: true``; internal/config/image/cuda_image.go: VisibleDevices). Mounts that name cards are
refused by default (``accept-nvidia-visible-devices-as-volume-mounts`` false).

The GPU Operator could say the same by its toolkit's environment, but its toolkit is off on an image that has one.

Who has cards all the same: containers that ask for them, since the device plugin and the DRA driver name them by CDI;
and privileged ones, as all of the operator's operands and the node monitoring agent are that look at cards
(NVIDIA/gpu-operator v26.7.0 assets/, validator/manifests/; aws/eks-node-monitoring-agent 51af549 charts/).

It runs before the kubelet at a node's first boot (``install``) and stays in the file. Not run on an instance yet.
"""

from __future__ import annotations

_CONFIG = "/etc/nvidia-container-runtime/config.toml"
"""Where the package's post-install script makes it (v1.19.1, packaging/rpm/SPECS/nvidia-container-toolkit.spec)."""

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
