"""Advice on sharing a card: whole, by MIG, by MPS or time-sliced, by the price of one pod's place, host included.

A slice that is cheap by the card may be dear by the pod: a node runs out of CPU and memory before it runs out of
slices, and is billed whole.
"""

from gpuplatform.proofs.share.advice import Advice, advise, room_in_words
from gpuplatform.proofs.share.method import Method, ruled_out
from gpuplatform.proofs.share.need import Need
from gpuplatform.proofs.share.options import (
    Option,
    also_select,
    first_tried,
    of_catalogue,
    of_stack,
    priced_candidates,
    way_of,
)
from gpuplatform.proofs.share.shortage import what_there_is
from gpuplatform.proofs.share.slots import Bound, Slots, slots

__all__ = [
    "Advice",
    "Bound",
    "Method",
    "Need",
    "Option",
    "Slots",
    "advise",
    "also_select",
    "first_tried",
    "of_catalogue",
    "of_stack",
    "priced_candidates",
    "room_in_words",
    "ruled_out",
    "slots",
    "way_of",
    "what_there_is",
]
