"""User data of a node: NodeConfig documents and shell scripts as MIME parts (N19).

Karpenter appends its own NodeConfig last, and that one wins where they meet.
"""

from __future__ import annotations

from collections.abc import Iterable

_BOUNDARY = "gpu-platform"
_NODE_CONFIG_TYPE = "application/node.eks.aws"
_SHELL_TYPE = 'text/x-shellscript; charset="us-ascii"'


def user_data(node_configs: Iterable[str | None], shells: Iterable[str | None]) -> str:
    """The parts as one MIME text.

    nodeadm merges the NodeConfigs and cloud-init runs the scripts in the order given; what is None is left out.
    """
    parts = [(_NODE_CONFIG_TYPE, config) for config in node_configs if config is not None]
    parts += [(_SHELL_TYPE, shell) for shell in shells if shell is not None]
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for kind, text in parts:
        lines += [f"--{_BOUNDARY}", f"Content-Type: {kind}", "", text.rstrip("\n"), ""]
    return "\n".join([*lines, f"--{_BOUNDARY}--", ""])
