"""``gpuplatform``: what the platform knows, asked from a terminal.

Exit codes: 0 all is well, 1 faults were found, 2 the command was misused. Commands are imported when they are used, so
that asking a small question stays fast.
"""

from __future__ import annotations

import importlib
import signal

import click

_COMMANDS = {
    "block": ("cli.block", "block", "Print what a pod pastes to land on a pool."),
    "calendar": ("cli.calendar", "calendar", "Show when Karpenter may disrupt which nodes, hour by hour."),
    "check": ("cli.check", "check", "Judge a stack's settings: every fault in one report."),
    "cost": ("cli.cost.command", "cost", "Print what a stack costs, and what a change does to it."),
    "docs": ("cli.reference", "docs", "Write the generated pages of docs/reference."),
    "engine": ("cli.engine", "engine", "Run the real engine on this machine, without an account."),
    "lint": ("cli.lint", "lint", "Judge plain manifests by the pack's rules."),
    "mig": ("cli.mig", "mig", "Draw a MIG layout, or say why no card can make it."),
    "plan": ("cli.plan", "plan", "Summarise a stack without the engine."),
    "sandbox": ("cli.sandbox", "sandbox", "Run the platform on one machine: a real control plane."),
    "render": ("cli.render", "render", "Write every document and chart value of a stack."),
    "pods": ("cli.pods", "pods", "Say where each pod of a file lands, and what keeps it away."),
    "simulate": ("cli.simulate.command", "simulate", "Place workloads on the real Karpenter, and say at what price."),
    "share": ("cli.share", "share", "Recommend how to share a card, by the price of one pod's place."),
}


class _Lazy(click.Group):
    """A group whose commands are imported when they are named."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        module, attribute, _ = _COMMANDS[cmd_name]
        command: object = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command), f"{module}.{attribute} is a command"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, _, summary) in sorted(_COMMANDS.items())])


@click.group(cls=_Lazy, context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """A GPU platform on AWS, proven before money is spent."""
    # CI ends a cancelled job this way: it is an interrupt like any other, and nobody is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
