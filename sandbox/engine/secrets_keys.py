"""The secrets provider of a stack file, which this machine's engine replaces by its own passphrase.

Three keys name a stack file's secrets provider (pulumi v3.259.0, sdk/go/common/workspace/project.go, ProjectStack):
``secretsprovider``, ``encryptedkey`` and ``encryptionsalt``. The engine here encrypts its state with a passphrase of
its own. With the keys of the repository's file it would need a service or a passphrase that this machine does not have.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import cast

_KEYS = ("secretsprovider", "encryptedkey", "encryptionsalt")
_LINE = re.compile(rf"""^(["']?)({"|".join(_KEYS)})\1\s*:""")
_PROJECT = "gpu-platform"


def without_secrets_keys(text: str) -> str:
    """A stack file's text without the three keys, each with the indented or blank lines that continue its value."""
    lines: list[str] = []
    inside = False
    for line in text.splitlines(keepends=True):
        inside = bool(_LINE.match(line)) or (inside and line[:1] in " \t\r\n")
        if not inside:
            lines.append(line)
    return "".join(lines)


def salt_of_state(backend: Path, stack: str) -> str | None:
    """The salt with which the engine's own state was written; None where there is no state or no salt."""
    checkpoint = backend / ".pulumi" / "stacks" / _PROJECT / f"{stack}.json"
    try:
        value = cast(object, json.loads(checkpoint.read_text(encoding="utf-8")))
    except (OSError, ValueError):
        return None
    for key in ("checkpoint", "latest", "secrets_providers", "state"):
        value = cast(dict[str, object], value).get(key) if isinstance(value, dict) else None
    salt = cast(dict[str, object], value).get("salt") if isinstance(value, dict) else None
    return salt if isinstance(salt, str) else None
