"""The platform's own program and policy pack on the real engine, with stand-ins for AWS, EKS and Kubernetes."""

from __future__ import annotations

import io
import runpy
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
import yaml

from gpuplatform import outputs
from gpuplatform.plan.node_pools import PlannedNodePool
from gpuplatform.render import stack as rendering
from gpuplatform.render.document import Document
from gpuplatform.settings.settings import Settings
from gpuplatform.standard import labels
from gpuplatform.standard.aliases import Vocabulary
from sandbox.cloud.references import at_path
from sandbox.cloud.store import Store
from sandbox.cloud.types import type_names
from sandbox.engine.run import EngineResult, Request, Verb, platform, run
from sandbox.errors import SandboxError
from sandbox.tools.pulumi import PulumiCli

PROJECT = Path(__file__).parents[2]
pytestmark = pytest.mark.engine

Runner = Callable[..., tuple[EngineResult, str]]


@pytest.fixture
def engine(engine_cli: PulumiCli, tmp_path: Path) -> Runner:
    """Runs a verb on a stack in a state folder of the test's own; returns the result and the output."""
    del engine_cli

    def runner(verb: Verb, stack: str = "dev", stack_file: Path | None = None) -> tuple[EngineResult, str]:
        out = io.StringIO()
        request = platform(verb, stack, stack_file or PROJECT / f"Pulumi.{stack}.yaml", out)
        return run(replace(request, state=tmp_path / stack)), out.getvalue()

    return runner


@pytest.mark.xdist_group("platform-life")
def test_dev_goes_up_once_changes_nothing_the_second_time_and_leaves_nothing(engine: Runner, tmp_path: Path) -> None:
    up, printed = engine(Verb.UP)
    assert up.ok, printed
    assert up.changes["create"] >= 150
    made = Store(tmp_path / "dev" / "world.db")
    types = {entry.type for entry in made.everything()}
    assert types <= set(type_names())
    assert set(up.outputs) == {"kubeconfig", "platform"}
    assert up.outputs["kubeconfig"] == "[secret]"

    again, printed = engine(Verb.UP)
    assert again.ok, printed
    assert set(again.changes) == {"same"}

    down, printed = engine(Verb.DOWN)
    assert down.ok, printed
    assert not (tmp_path / "dev").exists()
    of_spot = [event.operation for event in down.journal if event.urn.endswith("::karpenter-spot")]
    assert of_spot == ["create"], "other stacks of the account buy spot by that role"


def test_pools_go_before_node_classes_before_karpenter_before_its_crds_before_the_nodes_it_runs_on(
    engine: Runner,
) -> None:
    assert engine(Verb.UP)[0].ok
    down, printed = engine(Verb.DOWN)
    assert down.ok, printed
    deleted = [event.urn for event in down.journal if event.operation == "delete"]

    def places(ending: str) -> list[int]:
        indexes = [index for index, urn in enumerate(deleted) if ending in urn.split("::", 2)[2].rsplit("$", 1)[-1]]
        assert indexes, f"nothing deleted is called {ending}"
        return indexes

    order = [
        ":NodePool::",
        ":EC2NodeClass::",
        ":Release::karpenter-controller",
        ":Release::karpenter-crds",
        ":NodeGroup::",
    ]
    for earlier, later in pairwise(order):
        assert max(places(earlier)) < min(places(later)), f"{earlier} is gone before {later}"


@pytest.mark.parametrize("stack", ["staging", "prod"])
def test_every_stack_previews_cleanly_with_the_pack(engine: Runner, stack: str) -> None:
    preview, printed = engine(Verb.PREVIEW, stack)
    assert preview.ok, printed
    assert preview.changes["create"] >= 150
    assert "gpu-platform@" in printed, "the policy pack ran"


def test_a_pool_without_one_label_is_refused_by_name(engine: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rendering.nodepool

    def without_model(planned: PlannedNodePool, vocabulary: Vocabulary | None) -> Document:
        document = whole(planned, vocabulary)
        if planned.name == "worker-a100-40gb-on-demand":
            template = document["spec"]["template"]  # pyright: ignore[reportIndexIssue, reportUnknownVariableType]
            del template["metadata"]["labels"][labels.MODEL.key]  # pyright: ignore[reportUnknownMemberType]
        return document

    monkeypatch.setattr(rendering, "nodepool", without_model)
    preview, printed = engine(Verb.PREVIEW, "staging")
    assert not preview.ok
    assert "gpu-labels-complete" in printed
    assert "worker-a100-40gb-on-demand" in printed
    assert labels.MODEL.key in printed
    assert "Traceback" not in printed


def test_a_published_bill_above_its_budget_is_refused_by_name(engine: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    # The settings pass their own checks, so only the pack can refuse the stack.
    def tampered(settings: Settings, endpoint: str) -> outputs.PlatformOutputs:
        whole = outputs.describe(settings, endpoint)
        assert whole.cost is not None
        return whole.model_copy(update={"cost": whole.cost.model_copy(update={"monthly_budget_usd": 1000})})

    monkeypatch.setattr("components.program.describe", tampered)
    preview, printed = engine(Verb.PREVIEW, "dev")
    assert not preview.ok
    assert "budget-kept" in printed
    assert "1,000, the monthly_budget_usd" in printed
    assert "Traceback" not in printed


def test_refused_settings_end_the_program_with_the_report_and_nothing_made(engine: Runner, tmp_path: Path) -> None:
    text = (PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8")
    broken = tmp_path / "Pulumi.dev.yaml"
    broken.write_text(
        text.replace("g6.xlarge, g6.2xlarge", "g6.xlarge, g5.xlarge").replace("mig: 1g.10gb", "mig: 1g.5gb"),
        encoding="utf-8",
    )
    up, printed = engine(Verb.UP, stack_file=broken)
    assert not up.ok
    assert "pools[infer].cards[L4-24GB].instance_types" in printed
    assert "pools[worker].sharing.mig" in printed
    assert "Traceback" not in printed
    assert Store(tmp_path / "dev" / "world.db").everything() == ()


@pytest.mark.xdist_group("platform-prod")
def test_a_protected_stack_is_not_taken_down_and_the_way_to_unprotect_it_is_said(
    engine: Runner, tmp_path: Path
) -> None:
    assert engine(Verb.UP, "prod")[0].ok
    with pytest.raises(SandboxError, match=r"deletion_protection: false in Pulumi\.prod\.yaml"):
        engine(Verb.DOWN, "prod")
    text = (PROJECT / "Pulumi.prod.yaml").read_text(encoding="utf-8")
    unprotected = tmp_path / "Pulumi.prod.yaml"
    unprotected.write_text(text.replace("deletion_protection: true", "deletion_protection: false"), encoding="utf-8")
    assert engine(Verb.UP, "prod", unprotected)[0].ok
    down, printed = engine(Verb.DOWN, "prod", unprotected)
    assert down.ok, printed


def test_a_deferred_stack_stops_at_the_cluster(engine: Runner, tmp_path: Path) -> None:
    text = (PROJECT / "Pulumi.staging.yaml").read_text(encoding="utf-8")
    deferred = tmp_path / "Pulumi.staging.yaml"
    deferred.write_text(text.replace('version: "1.35"', 'version: "1.35"\n      contents: deferred'), encoding="utf-8")
    up, printed = engine(Verb.UP, "staging", deferred)
    assert up.ok, printed
    kinds = {entry.type.split(":")[0] for entry in Store(tmp_path / "staging" / "world.db").everything()}
    assert kinds == {"aws"}


def test_a_stack_on_an_existing_network_changes_nothing_in_it_and_the_pack_accepts_it(
    engine: Runner, tmp_path: Path
) -> None:
    whole = yaml.safe_load((PROJECT / "Pulumi.staging.yaml").read_text(encoding="utf-8"))
    subnets = {f"subnet-0123456789abcdef{index}": f"ap-northeast-2{letter}" for index, letter in enumerate("abc")}
    whole["config"]["gpu-platform:settings"]["network"] = {
        "existing": {
            "vpc_id": "vpc-0123456789abcdef0",
            "private_subnets": [{"id": subnet, "zone": zone} for subnet, zone in subnets.items()],
        }
    }
    existing = tmp_path / "Pulumi.staging.yaml"
    existing.write_text(yaml.safe_dump(whole), encoding="utf-8")
    up, printed = engine(Verb.UP, "staging", existing)
    assert up.ok, printed
    assert "gpu-platform@" in printed, "the policy pack ran"
    made = Store(tmp_path / "staging" / "world.db").everything()
    tagged = {str(entry.inputs["resourceId"]) for entry in made if entry.type == "aws:ec2/tag:Tag"}
    assert len(tagged) == 1, "the cluster's security group"
    assert not tagged & set(subnets)
    selected = [
        list(at_path(entry.inputs, "spec.subnetSelectorTerms.id"))
        for entry in made
        if entry.type.endswith(":EC2NodeClass")
    ]
    assert selected
    assert all(ids == list(subnets) for ids in selected)


def test_an_error_of_the_program_names_the_resource_and_the_cause(engine_cli: PulumiCli, tmp_path: Path) -> None:
    del engine_cli
    program = tmp_path / "__main__.py"
    program.write_text(
        "import pulumi\n"
        "from pulumi_aws.provider import Provider\n"
        "aws = Provider('aws', region='us-east-1')\n"
        "pulumi.CustomResource('aws:s3/bucket:Bucket', 'stray', {}, pulumi.ResourceOptions(provider=aws))\n",
        encoding="utf-8",
    )
    out = io.StringIO()
    request = Request(
        Verb.PREVIEW,
        "dev",
        out,
        PROJECT / "Pulumi.dev.yaml",
        tmp_path / "dev",
        lambda: runpy.run_path(str(program)),
        None,
    )
    assert not run(request).ok
    assert "stray" in out.getvalue()
    assert "does not know the type aws:s3/bucket:Bucket" in out.getvalue()


def test_with_the_alpha_gates_off_shared_pools_are_managed_node_groups_and_the_pack_accepts_them(
    engine: Runner, tmp_path: Path
) -> None:
    whole = yaml.safe_load((PROJECT / "Pulumi.dev.yaml").read_text(encoding="utf-8"))
    settings = whole["config"]["gpu-platform:settings"]
    settings["feature_gates"] = {"node_overlay": False, "static_capacity": False}
    for pool in settings["pools"]:
        if "sharing" in pool:
            pool |= {"provisioner": "managed-node-group", "nodes": 1}
            pool["cards"][0]["markets"] = [{"market": "on-demand"}]
            pool["cards"][0]["instance_types"] = pool["cards"][0]["instance_types"][:1]
            pool.pop("disruption")
            pool.pop("expire_after_hours", None)
    settings["cost"] |= {"monthly_floor_limit_usd": 60000}
    for namespace in (space for tenant in settings["tenants"] for space in tenant["namespaces"]):
        namespace["quota"] = {key: min(amount, 2) for key, amount in namespace["quota"].items()}
    gated = tmp_path / "Pulumi.dev.yaml"
    gated.write_text(yaml.safe_dump(whole), encoding="utf-8")
    up, printed = engine(Verb.UP, stack_file=gated)
    assert up.ok, printed
    made = Store(tmp_path / "dev" / "world.db").everything()
    kinds = {entry.type for entry in made}
    assert "kubernetes:karpenter.sh/v1alpha1:NodeOverlay" not in kinds
    groups = {
        str(entry.outputs["nodeGroupName"]).rpartition("-")[0]: entry.inputs
        for entry in made
        if entry.type == "aws:eks/nodeGroup:NodeGroup"
    }
    chief = groups["chief-h100-80gb-on-demand-us-east-1a"]
    assert chief["labels"] == {
        "gpu.vendor": "nvidia",
        "gpu.model": "H100",
        "gpu.mem": "80gb",
        "gpu.mig": "enabled",
        "gpu.mig.profile": "3g.40gb",
        "gpu.role": "chief",
        "gpu.pool": "train",
        "nvidia.com/mig.config": "h100-80gb.3g.40gb-x2",
    }
    assert len(groups) == 4, "system nodes, chief, worker, dev"


def test_another_teams_program_reads_the_platform_through_a_stack_reference(
    engine: Runner, engine_cli: PulumiCli, tmp_path: Path
) -> None:
    del engine_cli
    assert engine(Verb.UP, "staging")[0].ok
    program = tmp_path / "__main__.py"
    program.write_text(
        "import pulumi\n"
        "from components.reader import read_platform\n"
        "platform = read_platform('organization/gpu-platform/staging')\n"
        "pulumi.export('cluster', platform.cluster_name)\n"
        "pulumi.export('slices', platform.apply(lambda read: read.pool('worker').resource))\n",
        encoding="utf-8",
    )
    out = io.StringIO()
    request = Request(
        Verb.UP,
        "reader",
        out,
        PROJECT / "Pulumi.staging.yaml",
        tmp_path / "staging",  # one backend holds both stacks
        lambda: runpy.run_path(str(program)),
        None,
    )
    outcome = run(request)
    assert outcome.ok, out.getvalue()
    assert outcome.outputs == {"cluster": "gpu-staging", "slices": "nvidia.com/mig-1g.5gb"}
