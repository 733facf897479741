"""The capacity table of ``gpuplatform check``: what is guaranteed, what there can be, and what AWS has to allow."""

from __future__ import annotations

from dataclasses import asdict

from cli.tables import aligned
from gpuplatform.proofs.capacity import CapacityLine, capacity_lines, spans, vcpu_needs
from gpuplatform.settings.draft import Draft
from gpuplatform.settings.settings import Settings

_HEADER = ("RESOURCE", "POOLS", "STATIC", "ELASTIC", "RESERVED", "GUARANTEED", "RATIO", "TEAMS")


def capacity_text(draft: Draft, settings: Settings) -> list[str]:
    """The table, the jobs that no block of nodes holds, the vCPUs, and who schedules each namespace."""
    rows = [_HEADER, *(_row(line) for line in capacity_lines(draft))]
    lines = aligned(rows)
    lines.append(f"quotas may be {settings.queues.overcommit_ratio:.2f} times what the pools can have")
    unused = [each.pool for line in capacity_lines(draft) if not line.claims for each in line.offers]
    if unused:
        lines.append(f"pools of which no namespace has a quota: {', '.join(unused)}")
    lines += [said for each in spans(draft) if (said := each.says)]
    needs = ", ".join(f"{each.families} {each.market} {each.vcpus:,}" for each in vcpu_needs(draft))
    lines.append(f"vCPU quotas of the account that the ceilings need: {needs}")
    by_kind: dict[str, list[str]] = {}
    for tenant in settings.tenants:
        for namespace in tenant.namespaces:
            by_kind.setdefault(namespace.scheduling.value, []).append(namespace.name)
    return lines + [f"{kind} namespaces: {', '.join(names)}" for kind, names in sorted(by_kind.items())]


def capacity_json(draft: Draft, settings: Settings) -> dict[str, object]:
    """The same as plain data."""
    return {
        "overcommit_ratio_allowed": settings.queues.overcommit_ratio,
        "resources": [
            {
                "resource": line.resource,
                "pools": [asdict(each) for each in line.offers],
                "ceiling": line.units,
                "quotas": [asdict(each) for each in line.claims],
                "guaranteed": line.guaranteed,
                "ratio": round(line.ratio, 4),
            }
            for line in capacity_lines(draft)
        ],
        "largest_jobs": [{**asdict(each), "fits_one_node_or_block": each.fits} for each in spans(draft)],
        "vcpu_quotas": [asdict(each) for each in vcpu_needs(draft)],
        "namespaces": {each.name: each.scheduling.value for tenant in settings.tenants for each in tenant.namespaces},
    }


def _row(line: CapacityLine) -> tuple[str, ...]:
    return (
        line.resource,
        " ".join(each.pool for each in line.offers),
        str(sum(each.static for each in line.offers)),
        str(sum(each.elastic for each in line.offers)),
        str(sum(each.reserved for each in line.offers)),
        str(line.guaranteed),
        f"{line.ratio:.2f}",
        ", ".join(f"{each.tenant} {each.amount}" for each in line.claims) or "none",
    )
