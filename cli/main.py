"""``gpuplatform``: the command line of the platform.

Exit codes: 0 success, 1 faults were found, 2 wrong usage. A command is imported only when it is used, so that a small
command starts fast.
"""

from __future__ import annotations

import importlib
import signal

import click

_COMMANDS = {
    "block": ("cli.block", "block", "Print the YAML to paste into a pod so that it lands on a pool."),
    "calendar": ("cli.calendar", "calendar", "Show how many nodes Karpenter may disrupt, hour by hour."),
    "check": ("cli.check", "check", "Check a stack's settings and report every fault."),
    "cost": ("cli.cost.command", "cost", "Print what a stack costs, and what a change does to it."),
    "docs": ("cli.reference", "docs", "Write the generated pages of docs/reference."),
    "engine": ("cli.engine", "engine", "Run the Pulumi engine on this machine, without an AWS account."),
    "lint": ("cli.lint", "lint", "Check manifests against the policy rules."),
    "mig": ("cli.mig", "mig", "Draw a MIG layout, or explain why the card cannot hold it."),
    "plan": ("cli.plan", "plan", "Print a summary of a stack, without the Pulumi engine."),
    "sandbox": ("cli.sandbox", "sandbox", "Run the platform on this machine, with a real control plane."),
    "render": ("cli.render", "render", "Write every document and chart value of a stack."),
    "pods": ("cli.pods", "pods", "Show the pool of each pod in a file, or why it has none."),
    "simulate": ("cli.simulate.command", "simulate", "Place workloads with the real Karpenter, and print the cost."),
    "share": ("cli.share", "share", "Recommend how to share a card, by the cost for one pod."),
}


class _Lazy(click.Group):
    """A group that imports a command only when it is named."""

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
    # CI sends SIGTERM when a job is cancelled. As an interrupt it lets every command end its child processes.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
