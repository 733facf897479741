"""The AWS stand-in: the ids, ARNs and other outputs of resources, and the requests that AWS refuses."""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from sandbox.cloud.input_validation import RefusedError
from sandbox.cloud.references import (
    INTERNET_GATEWAY,
    at_path,
    in_use_refusal,
    missing_internet_gateway,
    missing_reference,
    names_in_use,
    nat_gateways_behind,
    reference_name,
)
from sandbox.cloud.signatures import resource_class, signature
from sandbox.cloud.store import Entry, Plain, Properties, Store
from sandbox.cloud.types import AWS_TYPES, AwsType

_CLUSTER = "aws:eks/cluster:Cluster"
_SERVICE_ROLE = "aws:iam/serviceLinkedRole:ServiceLinkedRole"
_SERVICE_ROLES = {"spot.amazonaws.com": "AWSServiceRoleForEC2Spot"}
"""Names that AWS gives to service-linked roles, one of each an account (EC2 user guide, Spot's service-linked role)."""
_CLUSTER_SUBNETS = 2
"""EKS requires subnets in at least two zones."""
_DOCUMENTATION_ACCOUNT = "123456789012"


class Inside(Protocol):
    """The changes that EKS makes inside a real cluster."""

    def make(self, entry: Entry) -> None:
        """Make or change the objects in the cluster that a resource stands for."""
        ...

    def remove(self, entry: Entry) -> None:
        """Remove the objects in the cluster that a resource stands for."""
        ...


@dataclass(frozen=True, slots=True)
class Account:
    """The account and region of a provider instance."""

    region: str
    account: str
    existing_names: frozenset[str] = frozenset()
    """Ids and ARNs that exist in the account before the stack makes anything."""
    default_tags: Mapping[str, Plain] = field(default_factory=dict[str, Plain])
    """The tags that the provider puts on every resource that takes tags."""


def replaces(token: str, old: Properties, new: Properties, changed_inputs: set[str]) -> set[str]:
    """Which of the changed inputs make a new resource."""
    paths = (path for path in AWS_TYPES[token].replaces if path.partition(".")[0] in changed_inputs)
    return {path.partition(".")[0] for path in paths if list(at_path(old, path)) != list(at_path(new, path))}


def has_chosen_name(token: str, new: Properties) -> bool:
    """Whether the program chose the whole name in AWS.

    The provider then deletes the old resource before it makes the new one, even where the name changes
    (pulumi-terraform-bridge pkg/tfbridge/schema.go, nameRequiresDeleteBeforeReplace).
    """
    return new.get(AWS_TYPES[token].named_by) is not None


def create(world: Store, urn: str, token: str, inputs: Properties, at: Account, inside: Inside | None = None) -> Entry:
    """Make a resource, or refuse as AWS would; after an interruption the next run makes it anew."""
    _check_request(world, token, inputs, at)
    kind = AWS_TYPES[token]
    generated_id = _identifier(world, urn, kind)
    named_inputs = {**inputs, **_names(kind, urn, inputs, generated_id)}
    outputs = {**named_inputs, **_outputs(kind, named_inputs, generated_id, at)}
    id_ = ":".join(str(outputs[output_name]) for output_name in kind.id_from) if kind.id_from else generated_id
    outputs["id"] = id_
    if world.find(token, id_) is not None:
        raise RefusedError(_name_taken(token, id_, outputs))
    entry = Entry(urn, token, id_, inputs, outputs)
    if inside is not None:
        inside.make(entry)
    world.create(entry, _identities(entry), names_in_use(entry.type, inputs))
    return entry


def update(world: Store, old: Entry, inputs: Properties, at: Account, inside: Inside | None = None) -> Entry:
    """Change a resource in place."""
    _check_request(world, old.type, inputs, at)
    kind = AWS_TYPES[old.type]
    old_outputs = {key: value for key, value in old.outputs.items() if key not in old.inputs}
    named_inputs = {**old_outputs, **inputs}
    entry = Entry(old.urn, old.type, old.id, inputs, {**named_inputs, **_kept_outputs(kind, named_inputs, old, at)})
    if inside is not None:
        inside.make(entry)
    world.update(entry, _identities(entry), names_in_use(entry.type, inputs))
    return entry


def delete(world: Store, entry: Entry, inside: Inside | None = None) -> None:
    """Remove a resource, or refuse as AWS would while it is in use. In a sandbox protection does not refuse."""
    if entry.type == _CLUSTER and entry.inputs.get("deletionProtection") is True and inside is None:
        raise RefusedError(
            f"InvalidRequestException: Cluster {entry.id} cannot be deleted because deletion protection is enabled."
            " Set cluster.deletion_protection: false in the stack's settings, run `up`, then `down` again."
        )
    nat_gateways = nat_gateways_behind(world, entry) if entry.type == INTERNET_GATEWAY else ()
    if users := (*world.users(entry), *nat_gateways):
        raise RefusedError(in_use_refusal(entry, users))
    if inside is not None:
        inside.remove(entry)
    world.delete(entry)
    if entry.type == _CLUSTER:  # its objects go with it, except for Karpenter's
        for content in world.of_kind("kubernetes:"):
            if not content.type.startswith("kubernetes:karpenter."):
                world.delete(content)


def _name_taken(token: str, id_: str, outputs: Properties) -> str:
    if token == _SERVICE_ROLE:
        return f"InvalidInput: Service role name {outputs['name']} has been taken in this account"
    return f"EntityAlreadyExists: {token} {id_} already exists"


def _check_request(world: Store, token: str, inputs: Properties, at: Account) -> None:
    if refusal := missing_reference(world, token, inputs, at.existing_names) or missing_internet_gateway(
        world, token, inputs
    ):
        raise RefusedError(refusal)
    if token == _SERVICE_ROLE and inputs["awsServiceName"] not in _SERVICE_ROLES:
        services = ", ".join(_SERVICE_ROLES)
        raise RefusedError(f"the stand-in has service-linked roles for {services}, not {inputs['awsServiceName']}")
    if token == _SERVICE_ROLE and inputs.get("customSuffix"):
        raise RefusedError(f"InvalidInput: Custom suffix is not allowed for {inputs['awsServiceName']}")
    if token == _CLUSTER and len(list(at_path(inputs, "vpcConfig.subnetIds"))) < _CLUSTER_SUBNETS:
        raise RefusedError("InvalidParameterException: Subnets specified must be in at least two different AZs")


def _identities(entry: Entry) -> set[str]:
    identities = {entry.id, *(str(entry.outputs[key]) for key in ("arn", "keyId") if key in entry.outputs)}
    if entry.type == _CLUSTER:
        identities |= {str(group) for group in at_path(entry.outputs, "vpcConfig.clusterSecurityGroupId")}
    elif entry.type == "aws:eks/accessEntry:AccessEntry":
        identities.add(str(entry.inputs["principalArn"]))
    return {reference_name(entry.type, identity) for identity in identities}


def _identifier(world: Store, urn: str, kind: AwsType) -> str:
    digits = hashlib.sha256(f"{urn}#{world.creations(urn)}".encode()).hexdigest()
    if kind.token == "aws:kms/key:Key":
        return str(uuid.UUID(digits[:32]))
    return f"{kind.prefix}-{digits[:17]}"


def _names(kind: AwsType, urn: str, inputs: Properties, generated_id: str) -> Properties:
    """A name where the program gives none, or only a prefix, made as the provider or AWS makes it."""
    if kind.token == _SERVICE_ROLE:
        return {"name": _SERVICE_ROLES[str(inputs["awsServiceName"])]}
    name = kind.named_by
    if name in inputs or not _takes(kind.token, name):
        return {}
    prefix = inputs.get(f"{name}Prefix")
    if isinstance(prefix, str):
        return {name: f"{prefix}{generated_id.rpartition('-')[2]}"}
    return {name: f"{urn.rsplit('::', 1)[-1]}-{hashlib.sha256(urn.encode()).hexdigest()[:7]}"}


def _takes(token: str, name: str) -> bool:
    reference = resource_class(token)
    return reference is not None and name in signature(reference)


def _tags(token: str, inputs: Mapping[str, Plain], at: Account) -> Properties:
    tags = inputs.get("tags")
    return (
        {"tagsAll": {**dict(at.default_tags), **(tags if isinstance(tags, dict) else {})}}
        if _takes(token, "tags")
        else {}
    )


def _outputs(kind: AwsType, named_inputs: Mapping[str, Plain], generated_id: str, at: Account) -> Properties:
    texts = {key: value for key, value in named_inputs.items() if isinstance(value, str)}
    outputs: Properties = _tags(kind.token, named_inputs, at)
    if kind.arn:
        unique = str(uuid.uuid5(uuid.NAMESPACE_URL, generated_id))
        arn_end = kind.arn.format_map(
            {**texts, "id": generated_id, "region": at.region, "account": at.account, "uuid": unique}
        )
        outputs["arn"] = f"arn:aws:{arn_end}"
    match kind.token:
        case "aws:eks/cluster:Cluster":
            outputs |= _cluster(texts["name"], dict(named_inputs), at)
        case "aws:sqs/queue:Queue":
            outputs["url"] = f"https://sqs.{at.region}.amazonaws.com/{at.account}/{texts['name']}"
        case "aws:kms/key:Key":
            outputs["keyId"] = generated_id
        case "aws:ec2/launchTemplate:LaunchTemplate":
            outputs |= {"latestVersion": 1, "defaultVersion": 1}
        case _:
            pass
    return outputs


def _kept_outputs(kind: AwsType, named_inputs: Properties, old: Entry, at: Account) -> Properties:
    outputs = _tags(kind.token, named_inputs, at)
    if kind.token == _CLUSTER:
        outputs |= _cluster(str(old.outputs["name"]), named_inputs, at)
    elif kind.token == "aws:ec2/launchTemplate:LaunchTemplate":
        latest_version = old.outputs.get("latestVersion")
        outputs["latestVersion"] = (int(latest_version) if isinstance(latest_version, int | float) else 1) + 1
    return outputs


def _cluster(name: str, named_inputs: Properties, at: Account) -> Properties:
    digits = hashlib.sha256(f"{at.account}/{at.region}/{name}".encode()).hexdigest()
    unique = digits[:32].upper()
    authority = base64.b64encode(f"stand-in certificate of {name}".encode()).decode()
    network = named_inputs.get("vpcConfig")
    return {
        "endpoint": f"https://{unique}.gr7.{at.region}.eks.amazonaws.com",
        "certificateAuthority": {"data": authority},
        "certificateAuthorities": [{"data": authority}],
        "identities": [{"oidcs": [{"issuer": f"https://oidc.eks.{at.region}.amazonaws.com/id/{unique}"}]}],
        "status": "ACTIVE",
        "vpcConfig": {**(network if isinstance(network, dict) else {}), "clusterSecurityGroupId": f"sg-{digits[:17]}"},
    }


def account_of(config: Mapping[str, str], existing_names: frozenset[str]) -> Account:
    """The account and region of a provider instance, from its configuration; values that are not text are JSON."""
    region = config.get("region")
    if not region:
        raise RefusedError("the AWS provider needs a region")
    account_ids: list[object] = json.loads(config.get("allowedAccountIds") or "[]")
    defaults: dict[str, dict[str, Plain]] = json.loads(config.get("defaultTags") or "{}")
    account = str(account_ids[0]) if account_ids else _DOCUMENTATION_ACCOUNT
    return Account(region, account, existing_names, defaults.get("tags") or {})
