"""A machine for tests: a folder as its disk, stand-ins for its commands, and boots as EC2 and systemd make them.

cloud-init runs the shell parts of user data once, on the first boot, one after the other whatever they return; systemd
starts what is enabled on every boot, and starts a unit only after what it requires has succeeded.
"""

from __future__ import annotations

import email
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from tests.unit.render.bring_up.stand_in.nvidia_smi import MODELS, Card
from tests.unit.render.bring_up.units import Unit, read_unit

STAND_IN = Path(__file__).parent / "stand_in"
_ABSOLUTE = re.compile(r"(?<![\w./])/(?=(?:etc|usr/local|var/lib)/)")

_SYSTEMCTL = """#!/bin/sh
set -eu
echo "$*" >>"$MACHINE_ROOT/systemctl.calls"
case "$1" in
daemon-reload | enable) ;;
start)
    "$(sed -n 's/^ExecStart=//p' "$MACHINE_ROOT/etc/systemd/system/$2")"
    touch "$MACHINE_ROOT/active-$2"
    ;;
reboot) touch "$MACHINE_ROOT/rebooting" ;;
*) exit 64 ;;
esac
"""


_NVIDIA_CTK = """#!/bin/sh
set -eu
[ "$1" = config ] && [ "$3" = --in-place ] && [ "$4" = --set ]
file="${2#--config-file=}"
mkdir -p "${file%/*}"
echo "$5" | sed 's/=/ = /' >>"$file"
"""
"""NVIDIA/nvidia-container-toolkit v1.19.1, cmd/nvidia-ctk/config/config.go, as far as a node calls it."""


@dataclass(frozen=True, slots=True)
class Boot:
    """How a boot went."""

    kubelet_started: bool
    wants_reboot: bool
    output: str
    calls: list[str]
    """Calls of nvidia-smi."""

    def created(self) -> list[str]:
        """The calls that made instances."""
        return [call for call in self.calls if "-cgi" in call]


@dataclass(slots=True)
class Machine:
    """One instance with its cards, from launch on."""

    root: Path
    cards: list[Card] = field(default_factory=list[Card])

    def __post_init__(self) -> None:
        """Put the commands in place."""
        commands = self.root / "bin"
        commands.mkdir()
        python = f"exec {sys.executable} -I -S {STAND_IN / 'nvidia_smi.py'}"
        for name, text in (
            ("nvidia-smi", f'#!/bin/sh\n{python} "$@"\n'),
            ("systemctl", _SYSTEMCTL),
            ("nvidia-ctk", _NVIDIA_CTK),
            ("sleep", "#!/bin/sh\n"),
            ("sync", "#!/bin/sh\n"),
        ):
            (commands / name).write_text(text)
            (commands / name).chmod(0o755)
        self._write_cards(self.cards)

    def first_boot(self, user_data: str) -> Boot:
        """cloud-init runs the user data, then the kubelet's turn comes."""
        output, parts = "", [part for part in email.message_from_string(user_data).walk() if not part.is_multipart()]
        for number, part in enumerate(parts):
            if part.get_content_type() == "text/x-shellscript":
                script = self.root / f"part-{number:03}"
                script.write_text(self.rooted(str(part.get_payload())))
                script.chmod(0o755)
                output += self._run(str(script))
        return self._finished(output)

    def reboot(self) -> Boot:
        """What the cards keep of it, and a boot without user data."""
        (self.root / "rebooting").unlink(missing_ok=True)
        cards = self.read_cards()
        for card in cards:
            pending = card["pending"] if MODELS[card["model"]][1] else "Disabled"
            card.update(current="Disabled" if card["stubborn"] else pending, pending=pending, instances=[], busy=False)
        self._write_cards(cards)
        units = self._enabled()
        output = ""
        for name, unit in units.items():
            (self.root / f"active-{name}").unlink(missing_ok=True)
            if "multi-user.target" in unit["Install"]["WantedBy"]:
                output += self._run("systemctl", "start", name)
        return self._finished(output)

    def read_cards(self) -> list[Card]:
        """The cards as they are."""
        cards: list[Card] = json.loads(self._state.read_text())
        return cards

    def layouts(self) -> list[list[str]]:
        """The profiles of each card's GPU instances."""
        return [sorted(instance["name"] for instance in card["instances"]) for card in self.read_cards()]

    def rooted(self, text: str) -> str:
        """A text whose absolute paths lie on this machine's disk."""
        return _ABSOLUTE.sub(f"{self.root}/", text)

    def file(self, path: str) -> Path:
        """A file on this machine's disk."""
        return self.root / path.lstrip("/")

    @property
    def _state(self) -> Path:
        return self.root / "cards.json"

    def _write_cards(self, cards: list[Card]) -> None:
        self._state.write_text(json.dumps(cards))

    def _enabled(self) -> dict[str, Unit]:
        log = self.root / "systemctl.calls"
        calls = log.read_text().splitlines() if log.exists() else []
        names = [call.removeprefix("enable ") for call in calls if call.startswith("enable ")]
        return {name: read_unit(self.file(f"/etc/systemd/system/{name}").read_text()) for name in names}

    def _may_start(self, service: str) -> bool:
        """Whether all that the service requires has succeeded in this boot."""
        required = [name for name, unit in self._enabled().items() if service in unit["Install"]["RequiredBy"]]
        return all((self.root / f"active-{name}").exists() for name in required)

    def _run(self, *command: str) -> str:
        environment = {
            "PATH": f"{self.root / 'bin'}:/usr/bin:/bin",
            "GPU_STATE": str(self._state),
            "MACHINE_ROOT": str(self.root),
        }
        command = (str(self.root / "bin" / command[0]), *command[1:])
        done = subprocess.run(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=60,
        )
        return done.stdout

    def _finished(self, output: str) -> Boot:
        log = self.root / "cards.json.calls"
        calls = log.read_text().splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return Boot(
            kubelet_started=self._may_start("nodeadm-run.service") and self._may_start("kubelet.service"),
            wants_reboot=(self.root / "rebooting").exists(),
            output=output,
            calls=calls,
        )
