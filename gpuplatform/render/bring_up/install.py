"""The shell part of user data that installs the partition script and its unit, and starts them on the first boot.

User scripts run once in an instance's life, and MIG instances do not survive a reboot, so the work is a systemd unit
that runs at every boot. It runs before ``nodeadm-run.service`` and ``kubelet.service`` and both require it, so that a
node never joins the cluster with cards that are not partitioned as its labels say. On Amazon Linux 2023
``nodeadm-run.service`` is ordered after ``cloud-final.service``, which runs user data (awslabs/amazon-eks-ami 81fec2e8,
2026-07-23), so the first boot is covered too. It has not run on an EC2 instance yet.
"""

from __future__ import annotations

from pathlib import Path

from gpuplatform.plan.node_pools import mig_profile
from gpuplatform.render.bring_up.layout import layout_text
from gpuplatform.settings.pools import MigBringUp, Pool

_HERE = Path(__file__).parent
UNIT = "gpu-partition.service"
SCRIPT_PATH = "/usr/local/sbin/gpu-partition"
LAYOUT_PATH = "/etc/gpu-partition/layout"
_END = "END_OF_FILE"


def partition_shell(pool: Pool) -> str | None:
    """The script that user data runs; None where the GPU Operator partitions the cards, or no card is partitioned."""
    if mig_profile(pool) is None or pool.mig_bring_up is not MigBringUp.BEFORE_KUBELET:
        return None
    return "\n".join(
        [
            "#!/bin/sh",
            "set -eu",
            *_file(SCRIPT_PATH, _packaged("partition.sh"), mode="0755"),
            *_file(LAYOUT_PATH, layout_text(pool), mode="0644"),
            *_file(f"/etc/systemd/system/{UNIT}", _packaged(UNIT), mode="0644"),
            "systemctl daemon-reload",
            f"systemctl enable {UNIT}",
            f"systemctl start {UNIT}",
            "",
        ]
    )


def _packaged(name: str) -> str:
    return (_HERE / name).read_text(encoding="ascii")


def _file(path: str, text: str, mode: str) -> list[str]:
    """Shell lines that write a file with this text."""
    return [
        f"mkdir -p {path.rsplit('/', 1)[0]}",
        f"cat >{path} <<'{_END}'",
        text.rstrip("\n"),
        _END,
        f"chmod {mode} {path}",
    ]
