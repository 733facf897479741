"""How the cluster itself holds the standard."""

from __future__ import annotations

import enum


class AdmissionMode(enum.StrEnum):
    """What the API server does with an object that breaks a rule. A stack begins with `audit` and tightens."""

    AUDIT = "audit"  # accepts it, and writes the finding into the audit log
    WARN = "warn"  # accepts it, and tells whoever applied it
    DENY = "deny"  # refuses it, unless the caller is in the break-glass group
