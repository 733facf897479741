"""``make soak``: kills processes at random moments of `up` and `down`, from a printed seed; each run must recover.

Every process of the sandbox is killed at least twice, including the engine, the supervisor and the command itself.
After each kill the command runs once more. Then the sandbox must be up or gone, and at the end nothing of it is left.
"""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil

from sandbox.session.folder import SessionFolder
from sandbox.session.session import discard
from tests.builders import ROOT

KILLS = 20
PARTS = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok", "karpenter")
VICTIMS = (*PARTS, "supervisor", "engine", "command")
LONGEST_SECONDS = {"up": 25.0, "down": 20.0}
LIMIT_SECONDS = 600.0


@dataclass(frozen=True, slots=True)
class Kill:
    """The process to kill, the verb during which it is killed, and when."""

    victim: str
    verb: str
    after_seconds: float


def plan(seed: int) -> list[Kill]:
    """Each victim twice, once during each verb, and further kills by chance."""
    chance = random.Random(seed)
    chosen = [(victim, verb) for victim in VICTIMS for verb in ("up", "down")]
    chosen += [(chance.choice(VICTIMS), chance.choice(("up", "down"))) for _ in range(KILLS - len(chosen))]
    chance.shuffle(chosen)
    return [Kill(victim, verb, chance.uniform(0, LONGEST_SECONDS[verb])) for victim, verb in chosen]


def begin(verb: str, folder: SessionFolder, log: Path) -> subprocess.Popen[bytes]:
    """Start a command."""
    with log.open("ab") as sink:
        command = [sys.executable, "-m", "tests.soak.once", verb, str(folder.path)]
        return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=sink, stderr=sink)


def end(process: subprocess.Popen[bytes]) -> bool:
    """Whether a command ended with exit code 0."""
    return process.wait(timeout=LIMIT_SECONDS) == 0


def find(victim: str, folder: SessionFolder, command: subprocess.Popen[bytes]) -> psutil.Process | None:
    """The process, if it runs now."""
    try:
        command_process = psutil.Process(command.pid)
        if victim == "command":
            return command_process if command_process.status() != psutil.STATUS_ZOMBIE else None
        if victim == "engine":
            return next(
                (process for process in command_process.children(recursive=True) if process.name() == "pulumi"), None
            )
    except psutil.NoSuchProcess:
        return None
    if victim == "supervisor":
        return folder.supervisor()
    status = folder.status()
    pids = {part.name: part.pid for part in status.parts} if status else {}
    return psutil.Process(pids[victim]) if psutil.pid_exists(pids.get(victim, -1)) else None


def strike(kill: Kill, folder: SessionFolder, command: subprocess.Popen[bytes]) -> str:
    """Kill the victim at its moment, or as soon as it runs; returns when that was."""
    begun = time.monotonic()
    time.sleep(kill.after_seconds)
    while True:
        process = find(kill.victim, folder, command)
        if process is not None:
            process.send_signal(signal.SIGKILL)
            return f"after {time.monotonic() - begun:.1f} s"
        if command.poll() is not None:
            return "it had already ended at its moment"
        time.sleep(0.05)


def kill_and_recover(kill: Kill, folder: SessionFolder, log: Path) -> list[str]:
    """One kill and the recovery from it; returns what went wrong."""
    faults: list[str] = []

    def must(verb: str, why: str) -> None:
        if not end(begin(verb, folder, log)):
            faults.append(f"{verb} failed {why}")

    if kill.verb == "down":
        must("up", "before anything was killed")
    command = begin(kill.verb, folder, log)
    when = strike(kill, folder, command)
    end(command)
    if kill.verb == "up":
        must("up", "after the kill")
        must("down", "after the recovery")
    elif folder.path.exists():
        must("down", "after the kill")
    faults += left(folder)
    print(f"{kill.victim:24} in {kill.verb:4} {when:42} {'; '.join(faults) or 'recovered'}", flush=True)
    return faults


def left(folder: SessionFolder) -> list[str]:
    """The processes and files that remain of a sandbox that was taken down."""

    def of_it(process: psutil.Process) -> bool:
        try:
            return any(str(folder.path) in word for word in process.cmdline())
        except psutil.Error:
            return False

    processes = [f"process {process.pid} {process.name()}" for process in psutil.process_iter() if of_it(process)]
    return [*processes, *([str(folder.path)] if folder.path.exists() else [])]


def main(arguments: list[str], pick: Callable[[], int] = lambda: random.SystemRandom().randrange(10**6)) -> int:
    """Exit code 1 when a run did not recover from its kill; then the logs are kept."""
    seed = int(arguments[0]) if arguments else pick()
    print(f"seed {seed}; again: make soak SEED={seed}", flush=True)
    home = Path(tempfile.mkdtemp(prefix="gpu-platform-soak-"))
    failed = 0
    for number, kill in enumerate(plan(seed)):
        folder, log = SessionFolder(home / str(number)), home / f"{number}.log"
        try:
            failed += bool(kill_and_recover(kill, folder, log))
        finally:
            discard(folder)
    print(f"{KILLS} kills, {failed} not recovered from{f'; the logs are in {home}' if failed else ''}")
    if not failed:
        shutil.rmtree(home)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
