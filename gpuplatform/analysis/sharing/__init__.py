"""Advice on sharing a card: whole, by MIG, by MPS or time-sliced. Options are compared by the price of one pod.

A slice that is a cheap part of a card may still be expensive for a pod: a node may run out of CPU and memory before it
runs out of slices, and AWS bills the whole node.
"""

from gpuplatform.analysis.sharing.advice import SharingAdvice, advise, room_in_words, what_there_is
from gpuplatform.analysis.sharing.need import Bound, Method, Need, Slots, ruled_out, slots
from gpuplatform.analysis.sharing.options import (
    Option,
    also_select,
    first_tried,
    of_catalog,
    of_stack,
    priced_candidates,
    way_of,
)

__all__ = [
    "Bound",
    "Method",
    "Need",
    "Option",
    "SharingAdvice",
    "Slots",
    "advise",
    "also_select",
    "first_tried",
    "of_catalog",
    "of_stack",
    "priced_candidates",
    "room_in_words",
    "ruled_out",
    "slots",
    "way_of",
    "what_there_is",
]
