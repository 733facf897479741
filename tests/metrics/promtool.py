"""Samples put to the real promtool: whether an alert fires on them, and what an expression then has for a value."""

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
"""By series, a minute apart, from minute 0; not a number is no sample."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a stack in a file, and the program that reads it."""

    promtool: Path
    file: Path

    @classmethod
    def of(cls, settings: Settings, file: Path) -> Rules:
        """Written into a file; the test is skipped, or fails, where promtool is not at hand."""
        file.write_text(yaml.safe_dump(rules(settings)["spec"]), encoding="utf-8")
        return cls(tiers.at_hand("metrics", at_hand(PROMTOOL)).command, file)

    def checked(self) -> subprocess.CompletedProcess[str]:
        """Whether the rules are what Prometheus reads."""
        return self._run("check", "rules", "--lint-fatal", self.file)

    def fault(self, series: Samples, minute: int, **alerts: bool) -> str:
        """What promtool has against this: at the minute, each alert fires or does not; nothing where it is so."""
        return self.fault_of(
            series,
            minute,
            {
                f'(count(ALERTS{{alertname="{name}",alertstate="firing"}}) > bool 0) or vector(0)': {"{}": float(fires)}
                for name, fires in alerts.items()
            },
        )

    def fault_of(self, series: Samples, minute: int, values: Mapping[str, Mapping[str, float]]) -> str:
        """The same of expressions: to each, its values by their labels."""
        return self.fault_of_test(
            series,
            promql_expr_test=[
                {
                    "expr": expr,
                    "eval_time": f"{minute}m",
                    "exp_samples": [{"labels": labels, "value": value} for labels, value in wanted.items()],
                }
                for expr, wanted in values.items()
            ],
        )

    def fault_of_test(self, series: Samples, **wanted: object) -> str:
        """The same of a test in promtool's own words."""
        asked = {
            "interval": "1m",
            "input_series": [
                {"series": name, "values": " ".join(map(_sample, samples))} for name, samples in series.items()
            ],
            **wanted,
        }
        file = self.file.with_suffix(".test.yaml")
        tests = {"rule_files": [self.file.name], "evaluation_interval": "1m", "tests": [asked]}
        file.write_text(yaml.safe_dump(tests), encoding="utf-8")
        told = self._run("test", "rules", file)
        return told.stdout + told.stderr if told.returncode else ""

    def _run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.promtool, *arguments], capture_output=True, text=True, check=False)


def _sample(value: float) -> str:
    """As promtool reads it."""
    if math.isnan(value):
        return "_"
    return f"{value:g}" if value < 1e5 else str(int(value))
