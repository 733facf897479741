"""The real promtool on given samples: whether an alert fires, and which value an expression has."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from gpuplatform.render.monitoring.stack import rules
from gpuplatform.settings.settings import Settings
from sandbox.tools.acquire import at_hand
from sandbox.tools.table import PROMTOOL
from tests import tiers

Samples = Mapping[str, Sequence[float]]
"""Samples of each series, a minute apart, from minute 0; NaN means that there is no sample."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a stack in a file, and the program that reads it."""

    promtool: Path
    file: Path

    @classmethod
    def of(cls, settings: Settings, file: Path) -> Rules:
        """The stack's rules in a file. The test is skipped, or fails, if promtool is not there."""
        file.write_text(yaml.safe_dump(rules(settings)["spec"]), encoding="utf-8")
        return cls(tiers.at_hand("metrics", at_hand(PROMTOOL)).command, file)

    def checked(self) -> subprocess.CompletedProcess[str]:
        """Whether Prometheus can read the rules."""
        return self._run("check", "rules", "--lint-fatal", self.file)

    def fault(self, series: Samples, minute: int, **alerts: bool) -> str:
        """What promtool reports when alerts do not fire as expected at the minute; empty if they do."""
        return self.fault_of(
            series,
            minute,
            {
                f'(count(ALERTS{{alertname="{name}",alertstate="firing"}}) > bool 0) or vector(0)': {"{}": float(fires)}
                for name, fires in alerts.items()
            },
        )

    def fault_of(self, series: Samples, minute: int, values: Mapping[str, Mapping[str, float]]) -> str:
        """The same for expressions: the expected values of each, by their labels."""
        return self.fault_of_test(
            series,
            promql_expr_test=[
                {
                    "expr": expr,
                    "eval_time": f"{minute}m",
                    "exp_samples": [{"labels": labels, "value": value} for labels, value in expected.items()],
                }
                for expr, expected in values.items()
            ],
        )

    def fault_of_test(self, series: Samples, **checks: object) -> str:
        """The same for a test in promtool's own format."""
        asked = {
            "interval": "1m",
            "input_series": [
                {"series": name, "values": " ".join(map(_sample, samples))} for name, samples in series.items()
            ],
            **checks,
        }
        file = self.file.with_suffix(".test.yaml")
        tests = {"rule_files": [self.file.name], "evaluation_interval": "1m", "tests": [asked]}
        file.write_text(yaml.safe_dump(tests), encoding="utf-8")
        run = self._run("test", "rules", file)
        return run.stdout + run.stderr if run.returncode else ""

    def _run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.promtool, *arguments], capture_output=True, text=True, check=False)


def _sample(value: float) -> str:
    """A sample as promtool reads it."""
    if math.isnan(value):
        return "_"
    return f"{value:g}" if value < 1e5 else str(int(value))
