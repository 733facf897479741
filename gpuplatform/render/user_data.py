"""User data of a node: a NodeConfig document and shell scripts as MIME parts (N19).

Karpenter appends its own NodeConfig last, and that one wins where they meet.
"""

from __future__ import annotations

_BOUNDARY = "gpu-platform"
_NODE_CONFIG_TYPE = "application/node.eks.aws"
_SHELL_TYPE = 'text/x-shellscript; charset="us-ascii"'


def user_data(node_config: str | None, *shells: str | None) -> str | None:
    """The parts as one MIME text, or None where there are none; cloud-init runs the scripts in the order given."""
    parts = [
        (kind, text)
        for kind, text in ((_NODE_CONFIG_TYPE, node_config), *((_SHELL_TYPE, shell) for shell in shells))
        if text is not None
    ]
    if not parts:
        return None
    lines = ["MIME-Version: 1.0", f'Content-Type: multipart/mixed; boundary="{_BOUNDARY}"', ""]
    for kind, text in parts:
        lines += [f"--{_BOUNDARY}", f"Content-Type: {kind}", "", text.rstrip("\n"), ""]
    return "\n".join([*lines, f"--{_BOUNDARY}--", ""])
