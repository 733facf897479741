"""``python -m tests.bench.peer.ours PATH``: ``gpuplatform lint`` with only the rule that the peer has too."""

from __future__ import annotations

from unittest.mock import patch

from cli.lint import lint
from policies import judge
from policies.rules import labels

if __name__ == "__main__":
    with patch.object(judge, "RULES", (labels.GPU_LABELS_COMPLETE,)):
        lint()
