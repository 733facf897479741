"""The versions page: every pinned version with its source, and the versions that no source confirms."""

from __future__ import annotations

from collections.abc import Iterable

from cli.reference.markdown import generated, table
from gpuplatform.standard.versions import (
    AL2023_IMAGE,
    CHARTS,
    KUBERNETES,
    KUBERNETES_SUPPORTED,
    Pin,
    addons,
    node_release,
    unverified,
)

_ABOUT = f"""
Nothing follows a moving tag. A pin is changed in one line of `gpuplatform/standard/versions.py`; Renovate reads the
comment above it. **Unverified** means that no public source names exactly this version for this use: look before the
first `up`. `gpuplatform check` lists those of a stack.

A stack that names no Kubernetes version gets {KUBERNETES.version}. Supported: {", ".join(KUBERNETES_SUPPORTED)}.
See [upgrading](../guides/upgrade.md).
"""


def page() -> str:
    """The page ``versions.md``."""
    texts = [
        generated("Versions", "gpuplatform/standard/versions.py"),
        _ABOUT,
        "\n## Kubernetes and node image\n\n",
        _pins((KUBERNETES, AL2023_IMAGE)),
        "\n## Charts\n\n",
        table(
            ("chart", "version", "namespace", "from", "source"),
            (
                (chart.name, _version(chart.pin), chart.namespace, chart.repository, chart.pin.source)
                for chart in CHARTS.values()
            ),
        ),
    ]
    for minor in KUBERNETES_SUPPORTED:
        unverified_pins = unverified(minor)
        pin_names = ", ".join(pin.name for pin in unverified_pins)
        pins = (node_release(minor), *addons(minor).values())
        note = f"Unverified: {pin_names}.\n\n" if pin_names else ""
        texts.append(f"\n## Managed nodes and EKS add-ons for {minor}\n\n{note}{_pins(pins)}")
    return "".join(texts)


def _pins(pins: Iterable[Pin]) -> str:
    return table(("name", "version", "source"), ((pin.name, _version(pin), pin.source) for pin in pins))


def _version(pin: Pin) -> str:
    return pin.version if pin.verified else f"{pin.version} **unverified**"
