"""Amazon Managed Prometheus as a setting: Prometheus writes to one workspace, with an identity of its own."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import yaml

from sandbox.cloud.store import Entry, Properties, Store
from sandbox.engine.run import Verb, platform, run
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

WORKSPACE = "ws-12345678-90ab-cdef-1234-567890abcdef"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The dev stack with the workspace."""
    whole = yaml.safe_load((PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8"))
    settings = whole["config"]["gpu-platform:settings"]
    settings["monitoring"] = {**settings.get("monitoring", {}), "managed_workspace_id": WORKSPACE}
    file = tmp_path / "Pulumi.dev.yaml"
    file.write_text(yaml.safe_dump(whole), encoding="utf-8")
    return file


def test_prometheus_alone_may_write_to_the_workspace_and_does(
    engine_cli: PulumiCli, written: Path, tmp_path: Path
) -> None:
    del engine_cli
    out = io.StringIO()
    up = run(replace(platform(Verb.UP, "dev", written, out), state=tmp_path / "dev"))
    assert up.ok, out.getvalue()
    made = Store(tmp_path / "dev" / "world.db").everything()

    def made_entry(kind: str, name: str) -> Entry:
        (entry,) = (entry for entry in made if entry.type == kind and entry.urn.endswith(f"::{name}"))
        return entry

    account = settings_of(written)["account_id"]
    (policy,) = (entry for entry in made if "aps:" in str(entry.inputs.get("policy")))
    assert json.loads(str(policy.inputs["policy"]))["Statement"] == [
        {
            "Effect": "Allow",
            "Action": ["aps:RemoteWrite"],
            "Resource": [f"arn:aws:aps:us-east-1:{account}:workspace/{WORKSPACE}"],
        }
    ]
    (attached,) = (
        entry
        for entry in made
        if entry.type == "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
        and entry.inputs["policyArn"] == policy.outputs["arn"]
    )
    role = made_entry("aws:iam/role:Role", "monitoring-writer")
    assert attached.inputs["role"] == role.inputs["name"]
    identity = made_entry("aws:eks/podIdentityAssociation:PodIdentityAssociation", "monitoring-writer").inputs
    release = made_entry("kubernetes:helm.sh/v3:Release", "monitoring-kube-prometheus-stack").inputs
    values = cast("dict[str, Any]", release["values"])
    prometheus = values["prometheus"]
    assert identity["roleArn"] == role.outputs["arn"]
    assert identity["namespace"] == release["namespace"]
    assert identity["serviceAccount"] == prometheus["serviceAccount"]["name"]
    url = f"https://aps-workspaces.us-east-1.amazonaws.com/workspaces/{WORKSPACE}/api/v1/remote_write"
    assert prometheus["prometheusSpec"]["remoteWrite"] == [{"url": url, "sigv4": {"region": "us-east-1"}}]
    assert values["grafana"]["enabled"] is False, "boards are Amazon Managed Grafana's"


def settings_of(file: Path) -> Properties:
    return yaml.safe_load(file.read_text(encoding="utf-8"))["config"]["gpu-platform:settings"]
