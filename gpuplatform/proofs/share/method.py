"""The four ways to give a pod its part of a card, and which of them make sense for a need."""

from __future__ import annotations

import enum

from gpuplatform.proofs.share.need import Need


class Method(enum.StrEnum):
    """How a card is shared, the best isolated first."""

    WHOLE = "whole card"
    MIG = "MIG"
    MPS = "MPS"
    TIME_SLICING = "time-slicing"


def ruled_out(method: Method, need: Need) -> str | None:
    """Why a method does not suit a need at any price, or None where it may."""
    if method is Method.WHOLE:
        return None
    if need.cards > 1:
        return "a pod with several cards takes them whole"
    if method is Method.MIG:
        return None
    if need.isolation:
        return "it walls off neither memory nor faults, and isolation is wanted"
    if method is Method.MPS and need.bursty:
        return "its parts of the memory are fixed and stand idle with bursty work; it is for steady work of one team"
    if method is Method.TIME_SLICING and not need.bursty:
        return "pods take turns, so steady work waits for its neighbours; it is for bursty, interactive work"
    return None
