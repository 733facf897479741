from __future__ import annotations

import pytest

from sandbox.cloud.eks import Inputs, refusals
from sandbox.cloud.kubeconfig import kubeconfig_of

CLUSTER = "eks:index:Cluster"
GOOD: Inputs = {
    "name": "c",
    "skipDefaultNodeGroup": True,
    "skipDefaultSecurityGroups": True,
    "vpcCniOptions": {"addonVersion": "v1", "enableNetworkPolicy": True},
    "kubeProxyAddonOptions": {"version": "v1"},
    "providerCredentialOpts": {},
    "corednsAddonOptions": {"enabled": False},
    "accessEntries": {"admin": {"principalArn": "arn:aws:iam::111122223333:role/admin"}},
}


def test_what_the_stand_in_builds_is_taken() -> None:
    assert refusals(CLUSTER, GOOD) == []


REFUSED: list[tuple[Inputs, str, str]] = [
    ({"colour": "red"}, "colour", "has no input 'colour'"),
    ({"providerCredentialOpts": {"roleArn": "r"}}, "providerCredentialOpts.roleArn", "does not act on"),
    ({"gpu": True}, "gpu", "does not act on gpu"),
    ({"vpcCniOptions": {"addonVersion": "v1", "logLevel": "DEBUG"}}, "vpcCniOptions.logLevel", "does not act on"),
    ({"vpcCniOptions": {"addonVersion": "v1", "logLevle": "DEBUG"}}, "vpcCniOptions.logLevle", "has no input"),
    ({"accessEntries": {"admin": {}}}, "accessEntries[admin].principalArn", "missing required input"),
    ({"corednsAddonOptions": {"enabled": True}}, "corednsAddonOptions.version", "not pinned"),
    ({"skipDefaultNodeGroup": False}, "skipDefaultNodeGroup", "set skipDefaultNodeGroup to true"),
]


@pytest.mark.parametrize(("changed", "property_", "reason"), REFUSED)
def test_what_would_be_lost_or_drift_is_refused_with_its_path(changed: Inputs, property_: str, reason: str) -> None:
    (problem,) = refusals(CLUSTER, {**GOOD, **changed})
    assert problem.property == property_
    assert reason in problem.reason


def test_a_kubeconfig_names_a_profile_only_where_it_is_bound_to_one() -> None:
    arn = "arn:aws:eks:us-east-1:111122223333:cluster/c"
    free, bound = (str(kubeconfig_of(arn, "https://c", {"data": "x"}, profile)) for profile in (None, "somebody"))
    assert "--profile" not in free
    assert "'--profile', 'somebody'" in bound
