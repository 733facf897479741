"""The reason why a card cannot hold a layout, in words: the broken rule, and the slices that collide."""

from __future__ import annotations

from collections.abc import Iterable

from gpuplatform.analysis.mig.layout import (
    Layout,
    Placed,
    compute_needed,
    instances,
    media_rule_broken,
    memory_needed,
    place,
    times,
)
from gpuplatform.analysis.mig.listing import largest_uniform
from gpuplatform.catalog.mig import MigGeometry, MigProfile, parse_profile
from gpuplatform.standard.labels import profile_value


def why_not(geometry: MigGeometry, layout: Layout) -> str:
    """The first rule that the layout breaks; empty when the card can hold it."""
    if not layout.counts:
        return "no profile is asked for, so there is nothing to place"
    for name, count in layout.counts:
        if geometry.profile(name) is None:
            return unknown_profile(geometry, name)
        if count < 0:
            return f"{count} instances of {name} cannot be made; a count is 1 or more"
    return media_rule_broken(geometry, layout) or _too_much(geometry, layout) or _collision(geometry, layout)


def unknown_profile(geometry: MigGeometry, name: str) -> str:
    """The sentence that the card lacks a profile, with the card's nearest profiles."""
    all_profiles = f"all its profiles: {', '.join(profile.name for profile in geometry.profiles)}"
    parsed = parse_profile(name)
    if parsed is None:
        profile_name = next(
            (profile.name for profile in geometry.profiles if profile_value(profile.name) == name), None
        )
        if profile_name is not None:
            return f"{name} is how labels and resources write it; in a layout the profile is called {profile_name}"
        return (
            f"{name!r} is not written as a MIG profile such as 1g.10gb or 1g.10gb+me ({geometry.card}, {all_profiles})"
        )
    if parsed.compute_instances is not None:
        gpu_instance = name.split(".", 1)[1]
        return f"{name} is a compute instance; only whole GPU instances, here {gpu_instance}, are proven and handed out"
    family = [p.name for p in geometry.profiles if p.compute_slices == parsed.compute_slices]
    kin = f"{parsed.compute_slices}g"
    if not family:
        return f"{geometry.card} has no {name}, nor any {kin} profile ({all_profiles})"
    plural = f"its {kin} profile is" if len(family) == 1 else f"its {kin} profiles are"
    return f"{geometry.card} has no {name}; {plural} {listed(family)} ({all_profiles})"


def _too_much(geometry: MigGeometry, layout: Layout) -> str:
    compute, memory = compute_needed(geometry, layout), memory_needed(geometry, layout)
    is_uniform = len(layout.counts) == 1
    needs: list[str] = []
    if compute > geometry.compute_slices:
        needs.append(f"{compute} of {geometry.compute_slices} compute slices")
    # For several profiles together, the slices that collide say more than their sum.
    if memory > geometry.memory_slices and (is_uniform or needs):
        needs.append(f"{memory} of {geometry.memory_slices} memory slices")
    if not needs:
        return ""
    if is_uniform:
        return f"{layout} needs {' and '.join(needs)}; {largest_uniform(geometry, layout.counts[0][0])} is the most"
    return f"{layout} together need {' and '.join(needs)}"


def _collision(geometry: MigGeometry, layout: Layout) -> str:
    profiles = instances(geometry, layout)
    placements: tuple[Placed, ...] = ()
    for fitting, profile in enumerate(profiles):
        arrangement = place(profiles[: fitting + 1])
        if arrangement is None:
            return _no_room(geometry, layout, placements, profile)
        placements = arrangement
    return ""


def _no_room(geometry: MigGeometry, layout: Layout, placements: tuple[Placed, ...], left_over: MigProfile) -> str:
    by_profile: dict[str, list[Placed]] = {}
    for instance in placements:
        by_profile.setdefault(instance.profile, []).append(instance)
    occupancy = listed(
        f"{times(name, len(places))} {'occupy' if len(places) > 1 else 'occupies'} memory slices"
        f" {listed(_span(instance) for instance in places)}"
        for name, places in by_profile.items()
    )
    compute = compute_needed(geometry, layout)
    sum_text = f"the sum of g is {compute}, and still it cannot be placed"
    return f"{occupancy}, so no slice is left for {left_over.name} ({sum_text})"


def _span(instance: Placed) -> str:
    return str(instance.start) if instance.memory_slices == 1 else f"{instance.start}-{instance.slices[-1]}"


def listed(words: Iterable[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
