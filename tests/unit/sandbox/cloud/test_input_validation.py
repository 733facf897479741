from __future__ import annotations

import pytest

from sandbox.cloud.input_validation import UNKNOWN, input_problems
from sandbox.cloud.store import Properties

CLUSTER = "aws:eks/cluster:Cluster"
RELEASE = "kubernetes:helm.sh/v3:Release"
NODEPOOL = "kubernetes:karpenter.sh/v1:NodePool"
NAMESPACE = "kubernetes:core/v1:Namespace"
QUOTA = "kubernetes:core/v1:ResourceQuota"

GOOD: dict[str, Properties] = {
    "aws:ec2/vpc:Vpc": {"cidrBlock": "10.0.0.0/16", "tags": {"any": "thing"}, "__defaults": []},
    CLUSTER: {"roleArn": UNKNOWN, "vpcConfig": {"subnetIds": UNKNOWN}},
    RELEASE: {"chart": "karpenter", "version": "1.14.1", "namespace": "kube-system", "values": {"any": {"thing": 1}}},
    NAMESPACE: {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team", "labels": {"a": "b"}}},
    NODEPOOL: {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"}, "spec": {"x": 1}},
}


@pytest.mark.parametrize("token", sorted(GOOD))
def test_inputs_that_the_real_provider_takes_are_taken(token: str) -> None:
    assert input_problems(token, GOOD[token]) == []


REFUSED: list[tuple[str, Properties, str, str]] = [
    ("aws:s3/bucket:Bucket", {}, "", "does not know the type aws:s3/bucket:Bucket"),
    ("aws:ec2/subnet:Subnet", {"cidrBlock": "10.0.0.0/24"}, "vpcId", "missing required input 'vpcId'"),
    ("aws:ec2/vpc:Vpc", {"cidrBlok": "10.0.0.0/16"}, "cidrBlok", "has no input 'cidrBlok'"),
    ("aws:ec2/vpc:Vpc", {"cidr_block": "10.0.0.0/16"}, "cidr_block", "has no input 'cidr_block'"),
    (CLUSTER, {"roleArn": "r", "vpcConfig": {}}, "vpcConfig.subnetIds", "missing required"),
    (
        CLUSTER,
        {"roleArn": "r", "vpcConfig": {"subnetIds": [], "publicAccesCidrs": []}},
        "vpcConfig.publicAccesCidrs",
        "ClusterVpcConfigArgs has none",
    ),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        {"blockDeviceMappings": [{"ebs": {}}, {"ebs": {"sise": 1}}]},
        "blockDeviceMappings[1].ebs.sise",
        "has no input",
    ),
    (
        CLUSTER,
        {"roleArn": "r", "vpcConfig": {"subnetIds": [], "endpointPublicAccess": {"x": "y"}}},
        "vpcConfig.endpointPublicAccess",
        "must be true or false",
    ),
    (CLUSTER, {"roleArn": ["r"], "vpcConfig": {"subnetIds": []}}, "roleArn", "must be text"),
    ("aws:ec2/vpc:Vpc", {"ipv4NetmaskLength": "wide"}, "ipv4NetmaskLength", "must be a number"),
    (CLUSTER, {"roleArn": "r", "vpcConfig": {"subnetIds": "s"}}, "vpcConfig.subnetIds", "must be a list"),
    (CLUSTER, {"roleArn": "r", "vpcConfig": "v"}, "vpcConfig", "must be a mapping"),
    (RELEASE, {"version": "1", "namespace": "n"}, "chart", "missing required"),
    (RELEASE, {"chart": "c", "namespace": "n"}, "version", "drifts"),
    (NAMESPACE, {"kind": "Namespace", "metadata": {"name": "n"}}, "apiVersion", "it is v1"),
    (NAMESPACE, {"apiVersion": "v2", "kind": "Namespace", "metadata": {"name": "n"}}, "apiVersion", "must be v1"),
    (NAMESPACE, {"apiVersion": "v1", "kind": "Namespace"}, "metadata.name", "missing required"),
    (NAMESPACE, {"apiVersion": "v1", "kind": "Namespace", "metadata": {}}, "metadata.name", "missing required"),
    (
        QUOTA,
        {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "q"}, "spec": {"hardd": {}}},
        "spec.hardd",
        "ResourceQuotaSpecArgs has none",
    ),
    (NODEPOOL, {**GOOD[NODEPOOL], "template": {}}, "template", "has no input 'template'"),
]


@pytest.mark.parametrize(("token", "inputs", "property_", "reason"), REFUSED)
def test_an_input_that_the_real_provider_refuses_is_named_with_its_path_and_reason(
    token: str, inputs: Properties, property_: str, reason: str
) -> None:
    problems = input_problems(token, inputs)
    assert [problem.property for problem in problems] == [property_]
    assert reason in problems[0].reason


def test_everything_wrong_is_said_at_once() -> None:
    problems = input_problems("aws:eks/nodeGroup:NodeGroup", {"clusterName": "c", "colour": "red"})
    assert {problem.property for problem in problems} == {"nodeRoleArn", "scalingConfig", "subnetIds", "colour"}
