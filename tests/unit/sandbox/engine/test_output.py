from __future__ import annotations

import io
from pathlib import Path

import pytest

from sandbox.engine.output import Relay


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return tmp_path / "trace.txt"


def relayed(text: str, trace: Path) -> tuple[str, list[str]]:
    out = io.StringIO()
    relay = Relay(out, trace)
    for line in text.split("\n"):
        relay.line(line)
    return out.getvalue(), relay.errors


def test_what_speaks_of_how_the_engine_is_run_here_is_dropped_with_its_heading(trace: Path) -> None:
    printed, errors = relayed(
        " +  aws:ec2:Vpc vpc created; 1 warning\n"
        "Diagnostics:\n"
        "  pulumi:providers:aws (aws):\n"
        "    warning: using pulumi-resource-aws from $PATH at /x/bin/pulumi-resource-aws\n"
        "\n"
        "Resources:\n"
        "    + 2 created\n"
        "The resources in the stack have been deleted, but the history and configuration are still maintained.\n"
        "If you want to remove the stack completely, run `pulumi stack rm dev`.",
        trace,
    )
    assert printed == " +  aws:ec2:Vpc vpc created\n\nResources:\n    + 2 created\n"
    assert errors == []


def test_an_error_is_kept_whole_under_its_resource_and_said_once(trace: Path) -> None:
    printed, errors = relayed(
        "    pulumi:pulumi:Stack p-dev running error: 2 faults:\n"
        "    pulumi:pulumi:Stack p-dev running error: an unhandled error occurred: 2 faults:\n"
        "Diagnostics:\n"
        "  pulumi:pulumi:Stack (p-dev):\n"
        "    error: 2 faults:\n"
        "      one\n"
        "      two\n"
        "    error: an unhandled error occurred: 2 faults:\n"
        "      one\n"
        "      two\n"
        "\n"
        "  aws:ec2:Vpc (vpc):\n"
        "    error: InvalidVpcID.NotFound: no\n"
        "\n"
        "Resources:\n"
        "    1 errored",
        trace,
    )
    assert errors == ["2 faults:\none\ntwo", "InvalidVpcID.NotFound: no"]
    assert "unhandled" not in printed
    assert printed.count("two") == 1
    assert "  aws:ec2:Vpc (vpc):\n    error: InvalidVpcID.NotFound: no\n" in printed
    assert printed.endswith("Resources:\n    1 errored\n")


def test_the_frames_of_a_mistake_go_to_a_file_and_the_reader_is_told_which(trace: Path) -> None:
    printed, errors = relayed(
        "Diagnostics:\n"
        "  pulumi:pulumi:Stack (p-dev):\n"
        "    error: python inline source runtime error: oops\n"
        "    Traceback (most recent call last):\n"
        '      File "/x/y.py", line 1, in f\n'
        "        g()\n"
        "    ValueError: oops\n"
        "    error: an unhandled error occurred: python inline source runtime error: oops\n"
        "    Traceback (most recent call last):\n"
        '      File "/x/y.py", line 1, in f\n'
        "    ValueError: oops\n"
        "\n"
        "Resources:\n"
        "    1 errored",
        trace,
    )
    assert "Traceback" not in printed
    assert printed.count("oops") == 1
    assert f"the stack trace is in {trace}" in printed
    assert errors[0].startswith("the program failed: oops")
    assert "line 1, in f" in trace.read_text(encoding="utf-8")
    assert printed.endswith("Resources:\n    1 errored\n")
