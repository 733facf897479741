"""The engine and the stand-ins, with a tiny program: its life cycle, refusals and interruptions.

The tests of interruptions run this file as a program: ``python test_engine_tiny.py VERB STATE INTERRUPTION``.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pulumi
import pytest
from filelock import FileLock

from sandbox.cloud.store import Store
from sandbox.engine.run import EngineResult, Request, Verb, run
from sandbox.errors import SandboxError
from sandbox.tools.pulumi import PulumiCli

pytestmark = [
    pytest.mark.engine,
    # The Automation API leaves the event loop of a failed program open.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

STACK = "tiny"
ADMIN = "arn:aws:iam::111122223333:role/admin"
TINY_RESOURCES = 19
LIMIT_SECONDS = 120
Program = Callable[[], None]


class Plain(pulumi.CustomResource):
    """Any resource by its token, so that a test can give inputs that an SDK would refuse."""

    def __init__(self, token: str, name: str, props: dict[str, object], opts: pulumi.ResourceOptions) -> None:
        super().__init__(token, name, {**dict.fromkeys(("arn", "kubeconfigJson", "endpoint")), **props}, opts)


def aws_provider() -> pulumi.ProviderResource:
    from pulumi_aws.provider import Provider  # noqa: PLC0415

    return Provider("aws", region="us-east-1", allowed_account_ids=["111122223333"])


def tiny(*, protected: bool = False, interrupt: Callable[[], None] | None = None, zones: str = "ab") -> None:
    """A VPC, a cluster, and a few objects in the cluster."""
    import pulumi_eks as eks  # noqa: PLC0415
    from pulumi_kubernetes.provider import Provider  # noqa: PLC0415

    aws = aws_provider()
    on_aws = pulumi.ResourceOptions(provider=aws)
    vpc = Plain("aws:ec2/vpc:Vpc", "vpc", {"cidrBlock": "10.0.0.0/16"}, on_aws)
    subnets = [
        Plain(
            "aws:ec2/subnet:Subnet",
            f"subnet-{zone}",
            {"vpcId": vpc.id, "cidrBlock": f"10.0.{index}.0/24", "availabilityZone": f"us-east-1{zone}"},
            on_aws,
        )
        for index, zone in enumerate(zones)
    ]
    trust = json.dumps({"Version": "2012-10-17", "Statement": []})
    Plain("aws:iam/role:Role", "role", {"name": "tiny", "assumeRolePolicy": trust}, on_aws)
    if interrupt is not None:
        subnets[0].id.apply(lambda _: interrupt())
    cluster = eks.Cluster(
        "cluster",
        name="tiny",
        version="1.35",
        vpc_id=vpc.id,
        private_subnet_ids=[subnet.id for subnet in subnets],
        authentication_mode=eks.AuthenticationMode.API,
        access_entries={"admin": eks.AccessEntryArgs(principal_arn=ADMIN)},
        vpc_cni_options=eks.VpcCniOptionsArgs(addon_version="v1.21.1-eksbuild.1"),
        kube_proxy_addon_options=eks.KubeProxyAddonOptionsArgs(version="v1.35.0-eksbuild.2"),
        coredns_addon_options=eks.CoreDnsAddonOptionsArgs(enabled=False),
        skip_default_node_group=True,
        skip_default_security_groups=True,
        create_instance_role=False,
        deletion_protection=protected,
        opts=pulumi.ResourceOptions(providers=[aws]),
    )
    inside = Provider("kubernetes", kubeconfig=cluster.kubeconfig_json)

    def after(*resources: pulumi.Resource) -> pulumi.ResourceOptions:
        return pulumi.ResourceOptions(provider=inside, depends_on=list(resources))

    def release(chart: str, *before: pulumi.Resource) -> Plain:
        props: dict[str, object] = {"name": chart, "chart": chart, "version": "1.14.1", "namespace": "kube-system"}
        return Plain("kubernetes:helm.sh/v3:Release", chart, props, after(*before))

    team: dict[str, object] = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}}
    Plain("kubernetes:core/v1:Namespace", "team", team, after())
    controller = release("karpenter", release("karpenter-crd"))
    pool: dict[str, object] = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "pool"}}
    Plain("kubernetes:karpenter.sh/v1:NodePool", "pool", {**pool, "spec": {}}, after(controller))
    pulumi.export("endpoint", cluster.eks_cluster.endpoint)


def request(verb: Verb, state: Path, program: Program, out: io.TextIOBase) -> Request:
    state.parent.mkdir(parents=True, exist_ok=True)
    stack_file = state.parent / f"Pulumi.{STACK}.yaml"
    stack_file.write_text(f"config:\n  gpu-platform:admin: {ADMIN}\n", encoding="utf-8")
    return Request(verb, STACK, cast(Any, out), stack_file, state, program, None)


Runner = Callable[..., tuple[EngineResult, str]]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state" / STACK


@pytest.fixture
def engine(engine_cli: PulumiCli, state: Path) -> Runner:
    """Runs a verb; returns the result and the output."""
    del engine_cli

    def runner(verb: Verb, program: Program = tiny) -> tuple[EngineResult, str]:
        out = io.StringIO()
        outcome = run(request(verb, state, program, out))
        assert "Traceback" not in out.getvalue()
        return outcome, out.getvalue()

    return runner


def names(state: Path) -> list[str]:
    return sorted(entry.urn.rsplit("::", 1)[-1] for entry in Store(state / "world.db").everything())


def test_a_stack_is_previewed_made_kept_changed_and_taken_down_in_order(engine: Runner, state: Path) -> None:
    preview, printed = engine(Verb.PREVIEW)
    assert preview.ok, printed
    assert preview.changes == {"create": TINY_RESOURCES}
    assert names(state) == []

    up, printed = engine(Verb.UP)
    assert up.ok, printed
    assert f"+ {TINY_RESOURCES} created" in printed
    assert "$PATH" not in printed
    assert str(up.outputs["endpoint"]).endswith(".eks.amazonaws.com")
    made = names(state)

    again, printed = engine(Verb.UP)
    assert again.changes == {"same": TINY_RESOURCES}, printed
    assert names(state) == made

    down, printed = engine(Verb.DOWN)
    assert down.ok, printed
    assert not state.exists()
    gone = [event.urn.rsplit("::", 1)[-1] for event in down.journal if event.operation == "delete"]
    order = ["pool", "karpenter", "karpenter-crd", "cluster-eksCluster", "subnet-a", "vpc"]
    assert [name for name in gone if name in order] == order
    assert "pulumi stack rm" not in printed


def planted_inputs() -> None:
    options = pulumi.ResourceOptions(provider=aws_provider())
    network = {"subnetIds": ["subnet-0123456789abcdef0"], "publicAccesCidrs": ["10.0.0.0/8"]}
    Plain("aws:eks/cluster:Cluster", "misspelt", {"roleArn": ADMIN, "vpcConfig": network}, options)


def planted_missing() -> None:
    options = pulumi.ResourceOptions(provider=aws_provider())
    Plain("aws:ec2/subnet:Subnet", "homeless", {"cidrBlock": "10.0.0.0/24"}, options)


def planted_type() -> None:
    Plain("aws:s3/bucket:Bucket", "stray", {}, pulumi.ResourceOptions(provider=aws_provider()))


def planted_reference() -> None:
    options = pulumi.ResourceOptions(provider=aws_provider())
    Plain("aws:ec2/subnet:Subnet", "lost", {"vpcId": "vpc-0123456789abcdef0"}, options)


def planted_look_up() -> None:
    pulumi.runtime.invoke("aws:index/getRegion:getRegion", {}, pulumi.InvokeOptions(provider=aws_provider()))


def one_zone() -> None:
    tiny(zones="a")


@pytest.mark.parametrize(
    ("verb", "program", "resource", "cause"),
    [
        (Verb.PREVIEW, planted_inputs, "misspelt", "has no input 'vpcConfig.publicAccesCidrs'"),
        (Verb.PREVIEW, planted_missing, "homeless", "missing required input 'vpcId'"),
        (Verb.PREVIEW, planted_type, "stray", "does not know the type aws:s3/bucket:Bucket"),
        (Verb.PREVIEW, planted_look_up, "getRegion", "look-ups are not allowed"),
        (
            Verb.UP,
            planted_reference,
            "lost",
            "InvalidVpcID.NotFound: The vpc ID 'vpc-0123456789abcdef0'",
        ),
        (Verb.UP, one_zone, "cluster-eksCluster", "at least two different AZs"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_what_the_real_provider_would_refuse_is_refused_by_name_and_cause(
    engine: Runner, verb: Verb, program: Program, resource: str, cause: str
) -> None:
    outcome, printed = engine(verb, program)
    assert not outcome.ok
    assert resource in printed
    assert any(cause in error for error in outcome.errors), printed


def test_a_program_that_refuses_says_so_once_and_makes_nothing(engine: Runner, state: Path) -> None:
    def refusing() -> None:
        raise pulumi.RunError("2 faults:\n  pools[a]: given 1\n  pools[b]: given 2")

    outcome, printed = engine(Verb.UP, refusing)
    assert not outcome.ok
    assert outcome.errors == ("2 faults:\npools[a]: given 1\npools[b]: given 2",)
    assert printed.count("pools[b]: given 2") == 1
    assert names(state) == []


def test_a_mistake_in_the_program_is_one_line_and_its_frames_are_in_a_file(engine: Runner, state: Path) -> None:
    def mistaken() -> None:
        raise ValueError("no such thing")

    outcome, printed = engine(Verb.PREVIEW, mistaken)
    assert not outcome.ok
    assert "error: the program failed: no such thing" in printed
    trace = state / "trace.txt"
    assert str(trace) in printed
    assert "in mistaken" in trace.read_text(encoding="utf-8")


def test_a_protected_cluster_is_kept_whole_until_it_is_unprotected(engine: Runner, state: Path) -> None:
    def protected() -> None:
        tiny(protected=True)

    assert engine(Verb.UP, protected)[0].ok
    made = names(state)
    with pytest.raises(SandboxError, match=r"cluster\.deletion_protection: false in Pulumi\.tiny\.yaml"):
        engine(Verb.DOWN, protected)
    assert names(state) == made
    assert engine(Verb.UP)[0].ok
    assert engine(Verb.DOWN)[0].ok


def test_a_second_run_is_refused_while_one_is_under_way(engine: Runner, state: Path) -> None:
    state.parent.mkdir(parents=True)
    with FileLock(state.parent / f"{STACK}.lock"), pytest.raises(SandboxError, match="another run of the stack tiny"):
        engine(Verb.UP)


@pytest.mark.parametrize("interruption", ["SIGKILL", "SIGINT"])
def test_an_interrupted_run_goes_on_and_nothing_is_lost_or_doubled(
    engine: Runner, state: Path, interruption: str
) -> None:
    victim = subprocess.run(
        [sys.executable, __file__, "up", str(state), interruption],
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert victim.returncode != 0
    assert "Traceback" not in victim.stdout + victim.stderr
    before = names(state)
    assert "subnet-a" in before
    assert "pool" not in before

    up, printed = engine(Verb.UP)
    assert up.ok, printed
    after = names(state)
    assert len(after) == len(set(after)), "nothing is made twice"
    assert set(before) < set(after)
    assert engine(Verb.UP)[0].changes == {"same": TINY_RESOURCES}
    assert engine(Verb.DOWN)[0].ok


def test_what_was_made_unseen_is_taken_over_and_what_was_unmade_unseen_is_made_again(
    engine: Runner, state: Path
) -> None:
    assert engine(Verb.UP)[0].ok
    world = Store(state / "world.db")
    made = {entry.urn.rsplit("::", 1)[-1]: entry for entry in world.everything()}
    world.delete(made["pool"])
    checkpoint = state / "backend" / ".pulumi" / "stacks" / "gpu-platform" / f"{STACK}.json"
    document = json.loads(checkpoint.read_text(encoding="utf-8"))
    latest = document["checkpoint"]["latest"]
    resources = {resource["urn"].rsplit("::", 1)[-1]: resource for resource in latest["resources"]}
    unseen = {key: value for key, value in resources["team"].items() if key not in ("id", "outputs")}
    latest["resources"].remove(resources["team"])
    latest["pending_operations"] = [
        {"resource": unseen, "type": "creating"},
        {"resource": resources["pool"], "type": "deleting"},
    ]
    checkpoint.write_text(json.dumps(document), encoding="utf-8")

    up, printed = engine(Verb.UP)
    assert up.ok, printed
    assert "team: the interrupted run made it as team; this run adds it to the state" in printed
    assert "pool: the interrupted run deleted it; this run removes it from the state" in printed
    assert up.changes == {"same": TINY_RESOURCES - 1, "create": 1}
    assert names(state) == sorted(made)


def main() -> int:
    """The interrupted program: the signal comes as soon as the first subnet exists."""
    verb, path, interruption = sys.argv[1:]

    def interrupt() -> None:
        os.killpg(0, signal.Signals[interruption])  # the whole process group, as a terminal does

    try:
        outcome = run(request(Verb(verb), Path(path), lambda: tiny(interrupt=interrupt), cast(Any, sys.stdout)))
    except KeyboardInterrupt:
        return 1
    return 0 if outcome.ok else 1


if __name__ == "__main__":
    sys.exit(main())
