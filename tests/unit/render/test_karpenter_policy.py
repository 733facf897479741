import csv
from pathlib import Path
from typing import cast

import pytest

from gpuplatform.render.karpenter import INTERRUPTION_EVENTS, controller_policies, queue_policy
from tests.builders import some_settings
from tests.unit.render.reading import list_at, mapping_at

SETTINGS = some_settings()
CLUSTER, REGION, ACCOUNT = "gpu-test", "us-east-1", "111122223333"
POLICIES = controller_policies(SETTINGS)
TABLE = Path(__file__).parent / "karpenter_statements.csv"

Statement = tuple[str, str, frozenset[str], frozenset[str], frozenset[tuple[str, str, frozenset[str]]]]


def filled(text: str) -> str:
    for name, value in {
        "cluster": CLUSTER,
        "region": REGION,
        "account": ACCOUNT,
        "node-role": f"{CLUSTER}-karpenter-node",
    }.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def arn(short: str) -> str:
    """``ec2:*:instance/*`` as the whole ARN; IAM's have no region."""
    if short == "*":
        return short
    service, account, resource = filled(short).split(":", 2)
    return f"arn:aws:{service}:{'' if service == 'iam' else REGION}:{account}:{resource}"


def key_of(short: str) -> str:
    if short.startswith(("RequestTag/", "ResourceTag/")):
        kind, _, tag = short.partition("/")
        return f"aws:{kind}/" + (f"kubernetes.io/cluster/{CLUSTER}" if tag == "owned" else tag)
    return short


def published() -> set[Statement]:
    lines = [line for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    statements: set[Statement] = set()
    for row in csv.DictReader(lines):
        conditions = [part.strip().split("|") for part in row["conditions"].split(";") if part.strip()]
        statements.add(
            (
                row["document"],
                row["statement"],
                frozenset(row["actions"].split()),
                frozenset(map(arn, row["resources"].split())),
                frozenset((how, key_of(key), frozenset(filled(values).split())) for how, key, values in conditions),
            )
        )
    return statements


def as_set(value: object) -> frozenset[str]:
    return frozenset([value] if isinstance(value, str) else cast("list[str]", value))


def ours() -> set[Statement]:
    statements: set[Statement] = set()
    for name, document in POLICIES.items():
        for statement in list_at(document, "Statement"):
            conditions = mapping_at(statement, "Condition") if "Condition" in statement else {}
            statements.add(
                (
                    name,
                    str(statement["Sid"]),
                    as_set(statement["Action"]),
                    as_set(statement["Resource"]),
                    frozenset(
                        (how, key, as_set(value))
                        for how in conditions
                        for key, value in mapping_at(conditions, how).items()
                    ),
                )
            )
    return statements


@pytest.mark.parametrize("statement", sorted({row[1] for row in published()}))
def test_a_statement_is_karpenters_published_one(statement: str) -> None:
    assert {our for our in ours() if our[1] == statement} == {
        theirs for theirs in published() if theirs[1] == statement
    }


def test_the_controller_may_do_nothing_that_karpenter_does_not_publish() -> None:
    assert len(published()) == 17
    assert ours() == published()


def test_every_statement_allows_and_says_its_version() -> None:
    for document in POLICIES.values():
        assert document["Version"] == "2012-10-17"
        assert {statement["Effect"] for statement in list_at(document, "Statement")} == {"Allow"}


def test_no_statement_allows_every_action() -> None:
    assert not any("*" in action for our in ours() for action in our[2])


def test_only_events_may_write_to_the_queue_and_only_over_tls() -> None:
    allow, deny = list_at(queue_policy(SETTINGS), "Statement")
    assert (allow["Effect"], allow["Action"]) == ("Allow", "sqs:SendMessage")
    assert allow["Principal"] == {"Service": ["events.amazonaws.com", "sqs.amazonaws.com"]}
    assert (deny["Effect"], deny["Action"]) == ("Deny", "sqs:*")
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
    assert allow["Resource"] == deny["Resource"] == f"arn:aws:sqs:{REGION}:{ACCOUNT}:{CLUSTER}"


def test_five_kinds_of_event_feed_the_queue() -> None:
    assert sorted((str(event["source"]), str(event["detail-type"])) for event in INTERRUPTION_EVENTS.values()) == [
        ("['aws.ec2']", "['EC2 Capacity Reservation Instance Interruption Warning']"),
        ("['aws.ec2']", "['EC2 Instance Rebalance Recommendation']"),
        ("['aws.ec2']", "['EC2 Instance State-change Notification']"),
        ("['aws.ec2']", "['EC2 Spot Instance Interruption Warning']"),
        ("['aws.health']", "['AWS Health Event']"),
    ]
