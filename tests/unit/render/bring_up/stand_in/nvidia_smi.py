"""A stand-in for ``nvidia-smi``: as much of it as partitioning needs, behaving as NVIDIA's MIG User Guide says.

It knows nothing of the platform. The cards are in the JSON file that GPU_STATE names; every call is written to a log
beside it. Ampere leaves a change of MIG mode pending where the card cannot be reset (in a virtual machine, by
passthrough), Hopper changes at once; compute instances go before GPU instances; an empty list is an error.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TypedDict


class Instance(TypedDict):
    """A GPU instance and the names of its compute instances."""

    id: int
    profile: int
    name: str
    compute: list[str]


class Card(TypedDict):
    """A card's state."""

    model: str
    current: str
    pending: str
    instances: list[Instance]
    passthrough: bool
    """In a virtual machine that may not reset it."""
    busy: bool
    """Another process holds it."""
    stubborn: bool
    """A reboot does not settle its mode."""
    broken: bool
    """It refuses every change."""


Profiles = dict[int, tuple[str, int, int, int]]
"""By profile id: name, compute slices, memory slices, most of it (NVIDIA MIG User Guide, supported profiles)."""

_LARGE: Profiles = {19: ("1g.10gb", 1, 1, 7), 14: ("2g.20gb", 2, 2, 3), 9: ("3g.40gb", 3, 4, 2)}
MODELS: dict[str, tuple[str, bool, Profiles]] = {
    "A100-80GB": ("0x20B210DE", True, {**_LARGE, 5: ("4g.40gb", 4, 4, 1), 0: ("7g.80gb", 7, 8, 1)}),
    "A100-40GB": ("0x20B010DE", True, {19: ("1g.5gb", 1, 1, 7), 15: ("1g.10gb", 1, 2, 4)}),
    "H100-80GB": ("0x233010DE", False, _LARGE),
}
"""Device id, whether it is of the Ampere generation, profiles."""


class RefusalError(Exception):
    """What nvidia-smi prints when it exits with an error."""


def main(arguments: list[str], cards: list[Card]) -> str:
    """Run one command line on the cards; what it prints."""
    if not cards:
        raise RefusalError("No devices were found")
    chosen_index = None
    if "-i" in arguments:
        at = arguments.index("-i")
        chosen_index = int(arguments[at + 1])
        arguments = arguments[:at] + arguments[at + 2 :]
    return "\n".join(
        run(arguments, index, card) for index, card in enumerate(cards) if chosen_index is None or chosen_index == index
    )


def run(arguments: list[str], index: int, card: Card) -> str:
    """One command on one card."""
    bus = f"00000000:00:{index:02X}.0"
    match arguments:
        case [query, "--format=csv,noheader"] if query.startswith("--query-gpu="):
            properties = {
                "index": str(index),
                "pci.device_id": MODELS[card["model"]][0],
                "mig.mode.current": card["current"],
                "mig.mode.pending": card["pending"],
            }
            return ", ".join(properties[part] for part in query.partition("=")[2].split(","))
        case ["-mig", "1"]:
            return enable_mig(card, bus)
        case ["--gpu-reset"] if card["passthrough"]:
            raise RefusalError(f"Resetting GPU {bus} is not supported.")
        case ["--gpu-reset"]:
            card.update(current=card["pending"], instances=[], busy=False)
            return f"GPU {bus} was successfully reset.\nAll done."
        case ["mig", *_] if card["current"] != "Enabled":
            raise RefusalError("No MIG-enabled devices found.")
        case ["mig", "-cgi", profiles, "-C"]:
            return "\n".join(create(int(part), index, card) for part in profiles.split(","))
        case ["mig", command]:
            return list_or_destroy(command, index, card["instances"])
        case _:
            raise RefusalError(f"Invalid combination of input arguments: {arguments}")


def enable_mig(card: Card, bus: str) -> str:
    """At once, or pending where a reset is needed and cannot be had."""
    if card["broken"]:
        raise RefusalError(f"Unable to enable MIG Mode for GPU {bus}: Unknown Error")
    card["pending"] = "Enabled"
    if MODELS[card["model"]][1] and (card["passthrough"] or card["busy"]):
        reason = "Not Supported" if card["passthrough"] else "In use by another client"
        return f"Warning: MIG mode is in pending enable state for GPU {bus}:{reason}\nAll done."
    card["current"] = "Enabled"
    return f"Enabled MIG Mode for GPU {bus}\nAll done."


def list_or_destroy(command: str, index: int, instances: list[Instance]) -> str:
    """``-lgi``, ``-lci``, ``-dci`` and ``-dgi`` on a card in MIG mode."""
    compute = [(instance["id"], name) for instance in instances for name in instance["compute"]]
    kind, held = ("GPU", instances) if command in {"-lgi", "-dgi"} else ("compute", compute)
    if not held:
        raise RefusalError(f"No {kind} instances found: Not Found")
    if command == "-lgi":
        rows = [
            f"{index:4}  MIG {instance['name']:<15}{instance['profile']:3}{instance['id']:9}          0:1"
            for instance in instances
        ]
        return table("GPU instances:", rows)
    if command == "-lci":
        return table(
            "Compute instances:", [f"{index:4}{at:7}       MIG {name:<15} 0         0  0:1" for at, name in compute]
        )
    if command == "-dci":
        for instance in instances:
            instance["compute"] = []
    elif compute:
        raise RefusalError(f"Unable to destroy GPU instances on GPU {index}: In use by another client")
    else:
        instances.clear()
    return f"Successfully destroyed {kind} instances from GPU {index}"


def create(profile: int, index: int, card: Card) -> str:
    """One GPU instance and the compute instance that fills it."""
    profiles, instances = MODELS[card["model"]][2], card["instances"]
    failed = f"Unable to create a GPU instance on GPU {index:2} using profile {profile}"
    if card["broken"]:
        raise RefusalError(f"{failed}: Unknown Error")
    if profile not in profiles:
        raise RefusalError(f"{failed}: Invalid Argument")
    name, compute, memory, most = profiles[profile]
    held = [profiles[instance["profile"]] for instance in instances]
    fits = sum(placed[1] for placed in held) + compute <= 7 and sum(placed[2] for placed in held) + memory <= 8
    if not fits or [instance["profile"] for instance in instances].count(profile) == most:
        raise RefusalError(f"{failed}: Insufficient Resources")
    number = 1 + max((instance["id"] for instance in instances), default=0)
    instances.append({"id": number, "profile": profile, "name": name, "compute": [name]})
    return f"Successfully created GPU instance ID {number:2} on GPU {index:2} using profile MIG {name} (ID {profile:2})"


def table(title: str, rows: list[str]) -> str:
    """The box that nvidia-smi draws."""
    rule = "+" + "-" * 60 + "+"
    head = [f"| {title:<59}|", "| GPU   Name             Profile  Instance   Placement       |"]
    return "\n".join([rule, *head, *(f"|{row:<60}|\n{rule}" for row in rows)])


def _call(arguments: list[str], file: str) -> int:
    with open(f"{file}.calls", "a") as log:  # noqa: PTH123 - every call starts this program: pathlib is slow to import
        log.write(" ".join(arguments) + "\n")
    with open(file) as state:  # noqa: PTH123
        cards: list[Card] = json.load(state)
    try:
        print(main(arguments, cards))
    except RefusalError as refusal:
        print(refusal)
        return 6
    finally:
        with open(file, "w") as state:  # noqa: PTH123
            json.dump(cards, state)
    return 0


if __name__ == "__main__":
    sys.exit(_call(sys.argv[1:], os.environ["GPU_STATE"]))
