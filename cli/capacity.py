"""The capacity table of ``gpuplatform check``: guarantees, ceilings, and the AWS quotas that they need."""

from __future__ import annotations

from dataclasses import asdict

from cli.text_table import text_table
from gpuplatform.analysis.capacity import CapacityLine, capacity_lines, spans, vcpu_needs
from gpuplatform.settings.partial import PartialSettings
from gpuplatform.settings.settings import Settings

_HEADER = ("RESOURCE", "POOLS", "STATIC", "ELASTIC", "RESERVED", "GUARANTEED", "RATIO", "TEAMS")


def capacity_text(partial_settings: PartialSettings, settings: Settings) -> list[str]:
    """The table, the jobs that are too large for any block of nodes, the vCPU quotas, each namespace's scheduler."""
    rows = [_HEADER, *(_row(line) for line in capacity_lines(partial_settings))]
    lines = text_table(rows)
    lines.append(f"over-commit ratio limit {settings.queues.overcommit_ratio:.2f}")
    pools_without_quota = [
        offer.pool for line in capacity_lines(partial_settings) if not line.claims for offer in line.offers
    ]
    if pools_without_quota:
        lines.append(f"pools without a namespace quota: {', '.join(pools_without_quota)}")
    lines += [sentence for span in spans(partial_settings) if (sentence := span.says)]
    needs = ", ".join(
        f"{vcpu_need.families} {vcpu_need.market} {vcpu_need.vcpus:,}" for vcpu_need in vcpu_needs(partial_settings)
    )
    lines.append(f"vCPU quotas that the account needs for the ceilings: {needs}")
    namespaces_by_kind: dict[str, list[str]] = {}
    for tenant in settings.tenants:
        for namespace in tenant.namespaces:
            namespaces_by_kind.setdefault(namespace.scheduling.value, []).append(namespace.name)
    return lines + [f"{kind} namespaces: {', '.join(names)}" for kind, names in sorted(namespaces_by_kind.items())]


def capacity_json(partial_settings: PartialSettings, settings: Settings) -> dict[str, object]:
    """The same as plain data."""
    return {
        "overcommit_ratio_allowed": settings.queues.overcommit_ratio,
        "resources": [
            {
                "resource": line.resource,
                "pools": [asdict(offer) for offer in line.offers],
                "ceiling": line.units,
                "quotas": [asdict(claim) for claim in line.claims],
                "guaranteed": line.guaranteed,
                "ratio": round(line.ratio, 4),
            }
            for line in capacity_lines(partial_settings)
        ],
        "largest_jobs": [{**asdict(span), "fits_one_node_or_block": span.fits} for span in spans(partial_settings)],
        "vcpu_quotas": [asdict(vcpu_need) for vcpu_need in vcpu_needs(partial_settings)],
        "namespaces": {
            namespace.name: namespace.scheduling.value for tenant in settings.tenants for namespace in tenant.namespaces
        },
    }


def _row(line: CapacityLine) -> tuple[str, ...]:
    return (
        line.resource,
        " ".join(offer.pool for offer in line.offers),
        str(sum(offer.static for offer in line.offers)),
        str(sum(offer.elastic for offer in line.offers)),
        str(sum(offer.reserved for offer in line.offers)),
        str(line.guaranteed),
        f"{line.ratio:.2f}",
        ", ".join(f"{claim.tenant} {claim.amount}" for claim in line.claims) or "none",
    )
