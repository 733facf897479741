"""``gpuplatform mig``: shows how a layout cuts a card, or why it cannot; and checks a mig-parted configuration."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gpuplatform.analysis.mig import Placed, Proof, prove
from gpuplatform.analysis.mig.file import DEVICES_PER_NODE, EntryVerdict, FileVerdict, judge
from gpuplatform.catalog.mig import MigGeometry, geometries, geometry, parse_profile, unplaced
from gpuplatform.faults import Fault, errors
from gpuplatform.standard.labels import profile_value

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLOURS = ("cyan", "green", "yellow", "magenta", "blue", "red")
_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_MARGIN = "memory slice "
_COLUMNS = 80


@click.command("mig")
@click.argument("card", required=False)
@click.argument("profiles", metavar="[PROFILE[:N]...]", nargs=-1)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Check a mig-parted configuration file instead.")
@click.option("--card", "file_card", metavar="CARD", help="With --file: the card for entries without a device filter.")
@click.option(
    "--devices",
    type=click.IntRange(min=1, max=64),
    default=DEVICES_PER_NODE,
    show_default=True,
    help="With --file: number of cards in one node.",
)
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.pass_context
def mig(
    context: click.Context,
    *,
    card: str | None,
    profiles: tuple[str, ...],
    file: Path | None,
    file_card: str | None,
    devices: int,
    output: str,
) -> None:
    """Draw how a layout cuts CARD and which slices are stranded, or explain why the card cannot hold it.

    CARD is a card such as A100-40GB; PROFILE[:N] is a MIG profile and how many of it, such as 1g.5gb:7.
    Exit code: 0 the layout is legal, 1 it is impossible, 2 wrong usage.
    """
    if file is not None:
        if card is not None:
            raise click.UsageError("with --file, write the card as --card CARD and name no profiles")
        verdict = _judge_file(file, None if file_card is None else _card(file_card), devices)
        _print_file(file, verdict, as_json=output == "json")
        context.exit(1 if errors(verdict.faults) else 0)
    if file_card is not None:
        raise click.UsageError("--card needs --file; without --file, CARD is the first word after mig")
    if card is None:
        raise click.UsageError(f"give CARD and PROFILE[:N], or --file FILE. Cards: {', '.join(geometries())}")
    card_geometry = _card(card)
    proof = prove(card_geometry, _counts(card_geometry, profiles))
    _print_proof(card_geometry, proof, as_json=output == "json")
    context.exit(0 if proof.legal else 1)


def _card(name: str) -> MigGeometry:
    """The card's geometry; an unknown card is wrong usage."""
    card_geometry = geometry(name)
    if card_geometry is None:
        card_names = f"Cards: {', '.join(geometries())}"
        if name in unplaced():
            raise click.UsageError(
                f"{name} has MIG, but its placements are not published: nothing can be proven. {card_names}"
            )
        raise click.UsageError(f"no card {name!r} with MIG is known. {card_names}")
    return card_geometry


def _counts(card: MigGeometry, arguments: Sequence[str]) -> dict[str, int]:
    """Counts by profile from ``PROFILE[:N]`` words, added up; a malformed word is wrong usage."""
    if not arguments:
        raise click.UsageError(f"name at least one PROFILE[:N]. {card.card} has {_names(card)}")
    counts: dict[str, int] = {}
    for argument in arguments:
        name, colon, count = argument.partition(":")
        if parse_profile(name) is None:
            profile_name = next(
                (profile.name for profile in card.profiles if profile_value(profile.name) == name), None
            )
            correction = (
                f"is called {profile_name} here"
                if profile_name
                else "is not written as a MIG profile such as 1g.10gb or 1g.10gb+me"
            )
            raise click.UsageError(f"{name!r} {correction}. {card.card} has {_names(card)}")
        if colon and not (count.isascii() and count.isdecimal() and len(count) <= 3 and int(count) > 0):
            raise click.UsageError(f"{argument!r}: the count after the colon is a whole number from 1 to 999")
        counts[name] = counts.get(name, 0) + (int(count) if colon else 1)
    return counts


def _names(card: MigGeometry) -> str:
    return ", ".join(profile.name for profile in card.profiles)


def _judge_file(file: Path, card: MigGeometry | None, devices: int) -> FileVerdict:
    """The verdict on a file; a file that cannot be read has one fault."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        problem = "a file that is not UTF-8 text"
    except OSError as error:
        problem = error.strerror or "a file that cannot be read"
    else:
        return judge(text, card, devices, str(file))
    return FileVerdict((), (Fault(str(file), problem, "a mig-parted configuration in YAML", "give the path of one"),))


def _print_proof(card: MigGeometry, proof: Proof, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(_proof_as_json(card, proof), indent=2))
        return
    console = _console()
    if not proof.legal:
        _say(console, f"{card.card} cannot hold {proof.layout}")
        _say(console, f"Why: {proof.reason}.")
        for index, layout in enumerate(proof.nearest):
            _say(console, f"{'Nearest legal:' if index == 0 else '':<15}{layout}")
        return
    _say(console, f"{card.card} holds {proof.layout}")
    for line in _drawing(card, proof.placed):
        console.print(line, soft_wrap=True)
    compute, memory = card.compute_slices - proof.free_compute, card.memory_slices - proof.free_memory
    _say(
        console,
        f"Used: {compute} of {card.compute_slices} compute slices, {memory} of {card.memory_slices} memory slices.",
    )
    _say(console, _stranded_slices(proof))
    additions = " or ".join(str(layout) for layout in proof.also_fits)
    _say(console, f"Also fits: {additions}." if additions else "Also fits: nothing.")


def _stranded_slices(proof: Proof) -> str:
    clauses = [
        f"{_WORDS[count]} {kind} {'slice is' if count == 1 else 'slices are'} stranded"
        for count, kind in ((proof.stranded_compute, "compute"), (proof.stranded_memory, "memory"))
        if count
    ]
    if not clauses:
        return "No slice is stranded."
    sentence = " and ".join(clauses)
    them = "it" if proof.stranded_compute + proof.stranded_memory == 1 else "them"
    return f"{sentence[0].upper()}{sentence[1:]}: nothing that fits beside this layout can use {them}."


def _drawing(card: MigGeometry, instances: Sequence[Placed]) -> list[Text]:
    """The card's memory slices as a row of boxes, one box for each instance and each free slice, within 80 columns."""
    from rich.text import Text  # noqa: PLC0415 - loaded only when something is drawn

    width = min(8, (_COLUMNS - len(_MARGIN) - 1) // card.memory_slices)
    ruler = "".join(f" {index:<{width - 1}}" for index in range(card.memory_slices))
    lines = [Text(f"{_MARGIN}{ruler}".rstrip())]
    names = list(dict.fromkeys(instance.profile for instance in instances))
    starts = {instance.start: instance for instance in instances}
    # A narrow box has room for 1g.10gb and not for 1g.10gb+me: the attribute goes to a row of its own.
    name_parts = [_base_and_attribute(card, instance.profile) for instance in instances]
    for row in range(2 if any(attribute for _, attribute in name_parts) else 1):
        line = Text(" " * len(_MARGIN))
        index = 0
        while index < card.memory_slices:
            instance = starts.get(index)
            if instance is None:
                line.append(f"|{'free' if row == 0 else '':<{width - 1}}", style="dim")
                index += 1
                continue
            word = _base_and_attribute(card, instance.profile)[row]
            style = f"bold {_COLOURS[names.index(instance.profile) % len(_COLOURS)]}"
            line.append("|").append(f"{word:<{width * instance.memory_slices - 1}}", style=style)
            index += instance.memory_slices
        lines.append(line.append("|"))
    return lines


def _base_and_attribute(card: MigGeometry, name: str) -> tuple[str, str]:
    profile = card.profile(name)
    attribute = (profile.attribute if profile else None) or ""
    return name.removesuffix(attribute), attribute


def _proof_as_json(card: MigGeometry, proof: Proof) -> dict[str, object]:
    return {
        "card": card.card,
        "compute_slices": card.compute_slices,
        "memory_slices": card.memory_slices,
        "layout": proof.layout.as_dict(),
        "legal": proof.legal,
        "placed": [
            {"profile": instance.profile, "start": instance.start, "memory_slices": instance.memory_slices}
            for instance in proof.placed
        ],
        "free_compute": proof.free_compute,
        "free_memory": proof.free_memory,
        "stranded_compute": proof.stranded_compute,
        "stranded_memory": proof.stranded_memory,
        "reason": proof.reason,
        "nearest": [layout.as_dict() for layout in proof.nearest],
        "also_fits": [layout.as_dict() for layout in proof.also_fits],
    }


def _print_file(file: Path, verdict: FileVerdict, *, as_json: bool) -> None:
    if as_json:
        answer = {
            "file": str(file),
            "legal": not errors(verdict.faults),
            "entries": [_entry_as_json(entry) for entry in verdict.entries],
            "faults": [fault.as_json() for fault in verdict.faults],
        }
        click.echo(json.dumps(answer, indent=2))
        return
    console = _console()
    for entry in verdict.entries:
        _say(console, f"{entry.path}: {_entry_in_words(entry)}")
    for fault in verdict.faults:
        _say(console, f"{fault.severity}: {fault}")
    error_count = len(errors(verdict.faults))
    if verdict.entries:
        _say(console, f"{len(verdict.entries)} entries checked, {error_count} errors.")


def _entry_in_words(entry: EntryVerdict) -> str:
    if entry.layout is None:
        return "no instances"
    if not (entry.legal_on or entry.impossible_on):
        return f"{entry.layout}: proven for no card"
    legal = f"legal on {', '.join(entry.legal_on) or 'no card'}"
    impossible = f"; impossible on {', '.join(entry.impossible_on)}" if entry.impossible_on else ""
    return f"{entry.layout}: {legal}{impossible}"


def _entry_as_json(entry: EntryVerdict) -> dict[str, object]:
    return {
        "path": entry.path,
        "layout": entry.layout.as_dict() if entry.layout else {},
        "legal_on": list(entry.legal_on),
        "impossible_on": list(entry.impossible_on),
    }


def _console() -> Console:
    from rich.console import Console  # noqa: PLC0415 - loaded only when something is drawn

    return Console(highlight=False, markup=False, emoji=False)


def _say(console: Console, text: str) -> None:
    """One line; wrapped on a terminal, not wrapped in a file or a pipe.

    Control characters of a file are shown as replacement characters and never sent to the terminal.
    """
    plain = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    console.print(plain, soft_wrap=not console.is_terminal)
