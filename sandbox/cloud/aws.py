"""The AWS stand-in: what a type's id, ARN and other outputs look like, and what AWS refuses."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sandbox.cloud.refusals import RefusedError
from sandbox.cloud.signatures import signatures
from sandbox.cloud.types import AWS_TYPES, AwsType
from sandbox.cloud.world import Entry, Plain, Properties, World

_MINTED = re.compile(r"^(vpc|subnet|igw|eipalloc|nat|rtb|vpce|sg|lt)-[0-9a-f]{17}$")
_OWN_ARN = re.compile(r"^arn:aws:(iam|kms|sqs|eks)::?[a-z0-9-]*:\d{12}:")
_REFERENCES = frozenset(
    {"roleArn", "nodeRoleArn", "principalArn", "policyArn", "keyArn", "targetKeyId", "clusterName", "role", "rule"}
)
_CLUSTER = "aws:eks/cluster:Cluster"


@dataclass(frozen=True, slots=True)
class Account:
    """Where the provider instance works."""

    region: str
    account: str


def faults(token: str, inputs: Properties) -> list[tuple[str, str]]:
    """(input, reason) for everything that the SDK's signature of the type does not allow."""
    if token not in AWS_TYPES:
        return [("", f"the stand-in does not know the type {token}; `gpuplatform engine types` lists what it knows")]
    signature = signatures("pulumi_aws")[token]
    given = {name for name in inputs if not name.startswith("__")}
    missing = [(name, f"missing required input {name!r}") for name in sorted(signature.required - given)]
    unknown = [(name, f"{token} has no input {name!r}") for name in sorted(given - signature.known)]
    return missing + unknown


def replaced_by(token: str) -> set[str]:
    """Inputs of which a change makes a new resource."""
    return set(AWS_TYPES[token].replaces)


def create(world: World, urn: str, token: str, inputs: Properties, at: Account) -> Entry:
    """Make a resource, or refuse as AWS would."""
    _resolve(world, token, inputs)
    kind = AWS_TYPES[token]
    minted = _identifier(world, urn, kind)
    named = {**inputs, **_names(kind, urn, inputs)}
    outputs = {**named, **_outputs(kind, named, minted, at)}
    id_ = ":".join(str(outputs[each]) for each in kind.id_from) if kind.id_from else minted
    outputs["id"] = id_
    if world.find(token, id_) is not None:
        raise RefusedError(f"EntityAlreadyExists: {token} {id_} already exists")
    entry = Entry(urn, token, id_, inputs, outputs)
    world.create(entry, _identities(entry), _uses(inputs))
    return entry


def update(world: World, old: Entry, inputs: Properties, at: Account) -> Entry:
    """Change a resource in place."""
    _resolve(world, old.type, inputs)
    kind = AWS_TYPES[old.type]
    kept = {key: value for key, value in old.outputs.items() if key not in old.inputs}
    named = {**kept, **inputs}
    entry = Entry(old.urn, old.type, old.id, inputs, {**named, **_kept_outputs(kind, named, old, at)})
    world.update(entry, _identities(entry), _uses(inputs))
    return entry


def delete(world: World, entry: Entry) -> None:
    """Remove a resource, or refuse as AWS would while something needs it."""
    if entry.type == _CLUSTER and entry.inputs.get("deletionProtection") is True:
        raise RefusedError(
            f"InvalidRequestException: Cluster {entry.id} cannot be deleted because deletion protection is enabled."
            " Set cluster.deletion_protection: false in the stack's settings, run `up`, then `down` again."
        )
    if users := world.users(entry):
        names = ", ".join(sorted(each.urn.rsplit("::", 1)[-1] for each in users)[:5])
        raise RefusedError(f"DependencyViolation: {entry.type} {entry.id} is still used by {names}")
    world.delete(entry)


def _resolve(world: World, token: str, inputs: Properties) -> None:
    for key, value in _leaves(inputs):
        minted = _MINTED.match(value) is not None
        named = key in _REFERENCES and (_OWN_ARN.match(value) is not None or not value.startswith("arn:"))
        if (minted or named) and not _is_foreign(key, value) and not world.named(value):
            raise RefusedError(f"InvalidParameterValue: {token}: {key} names {value}, which does not exist")


def _is_foreign(key: str, value: str) -> bool:
    return key == "principalArn" and _OWN_ARN.match(value) is not None


def _leaves(value: Plain, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _leaves(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from _leaves(each, key)
    elif isinstance(value, str):
        yield key, value


def _uses(inputs: Properties) -> set[str]:
    return {value for key, value in _leaves(inputs) if _MINTED.match(value) or key in _REFERENCES}


def _identities(entry: Entry) -> set[str]:
    own = {entry.id} | {
        str(entry.outputs[key]) for key in ("arn", "name", "keyId") if isinstance(entry.outputs.get(key), str)
    }
    if entry.type == _CLUSTER:
        own |= {value for key, value in _leaves(entry.outputs["vpcConfig"]) if key == "clusterSecurityGroupId"}
    return own


def _identifier(world: World, urn: str, kind: AwsType) -> str:
    digits = hashlib.sha256(f"{urn}#{world.creations(urn)}".encode()).hexdigest()
    if kind.token == "aws:kms/key:Key":
        return str(uuid.UUID(digits[:32]))
    return f"{kind.prefix}-{digits[:17]}"


def _names(kind: AwsType, urn: str, inputs: Properties) -> Properties:
    if "name" in inputs or "name" not in signatures("pulumi_aws")[kind.token].known:
        return {}
    return {"name": f"{urn.rsplit('::', 1)[-1]}-{hashlib.sha256(urn.encode()).hexdigest()[:7]}"}


def _outputs(kind: AwsType, named: Mapping[str, Plain], minted: str, at: Account) -> Properties:
    words = {key: value for key, value in named.items() if isinstance(value, str)}
    outputs: Properties = {}
    if kind.arn:
        unique = str(uuid.uuid5(uuid.NAMESPACE_URL, minted))
        end = kind.arn.format_map({**words, "id": minted, "region": at.region, "account": at.account, "uuid": unique})
        outputs["arn"] = f"arn:aws:{end}"
    match kind.token:
        case "aws:eks/cluster:Cluster":
            outputs |= _cluster(words["name"], dict(named), at)
        case "aws:sqs/queue:Queue":
            outputs["url"] = f"https://sqs.{at.region}.amazonaws.com/{at.account}/{words['name']}"
        case "aws:kms/key:Key":
            outputs["keyId"] = minted
        case "aws:ec2/launchTemplate:LaunchTemplate":
            outputs |= {"latestVersion": 1, "defaultVersion": 1}
        case _:
            pass
    return outputs


def _kept_outputs(kind: AwsType, named: Properties, old: Entry, at: Account) -> Properties:
    if kind.token == _CLUSTER:
        return _cluster(str(old.outputs["name"]), named, at)
    if kind.token == "aws:ec2/launchTemplate:LaunchTemplate":
        latest = old.outputs.get("latestVersion")
        return {"latestVersion": (int(latest) if isinstance(latest, int | float) else 1) + 1}
    return {}


def _cluster(name: str, named: Properties, at: Account) -> Properties:
    digits = hashlib.sha256(f"{at.account}/{at.region}/{name}".encode()).hexdigest()
    unique = digits[:32].upper()
    authority = base64.b64encode(f"stand-in certificate of {name}".encode()).decode()
    network = named.get("vpcConfig")
    return {
        "endpoint": f"https://{unique}.gr7.{at.region}.eks.amazonaws.com",
        "certificateAuthority": {"data": authority},
        "certificateAuthorities": [{"data": authority}],
        "identities": [{"oidcs": [{"issuer": f"https://oidc.eks.{at.region}.amazonaws.com/id/{unique}"}]}],
        "status": "ACTIVE",
        "vpcConfig": {**(network if isinstance(network, dict) else {}), "clusterSecurityGroupId": f"sg-{digits[:17]}"},
    }


def account_of(config: Mapping[str, str]) -> Account:
    """Region and account from a provider instance's configuration."""
    region = config.get("region")
    if not region:
        raise RefusedError("the AWS provider needs a region")
    allowed = json.loads(config.get("allowedAccountIds") or "[]")
    return Account(region, str(allowed[0]) if allowed else "123456789012")
