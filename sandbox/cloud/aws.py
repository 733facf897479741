"""The AWS account: creates, changes and deletes what the list knows, and refuses as AWS does."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from sandbox.cloud.aws_kinds import KINDS, Kind
from sandbox.cloud.ids import Mint, automatic_name
from sandbox.cloud.plain import Plain, changed_keys, has_unknown, text_at, text_of
from sandbox.cloud.references import dependants, unresolved
from sandbox.cloud.refusal import RefusedError
from sandbox.cloud.strict import Problem, problems
from sandbox.cloud.world import Made, World

SCOPE = "aws"
_CLUSTER = "aws:eks/cluster:Cluster"
_DEFAULT_ACCOUNT = "111122223333"  # AWS's documentation account
_MINIMUM_CLUSTER_SUBNETS = 2


@dataclass(slots=True)
class Account:
    """One AWS account, as one provider sees it."""

    world: World
    given: frozenset[str]
    """Ids and ARNs that the account holds before anything is made."""
    region: str = ""
    account: str = _DEFAULT_ACCOUNT
    default_tags: dict[str, Plain] = field(default_factory=lambda: {})

    def configure(self, configuration: dict[str, Plain]) -> None:
        """Take the provider's configuration; a provider without a region is refused."""
        self.region = text_at(configuration, "region")
        if not self.region:
            raise RefusedError("the aws provider has no region: set `region` on it, or aws:region in the stack's file")
        self.account = text_at(configuration, "allowedAccountIds", _DEFAULT_ACCOUNT)
        wrapper = configuration.get("defaultTags")
        tags = wrapper.get("tags") if isinstance(wrapper, dict) else None
        self.default_tags = tags if isinstance(tags, dict) else {}

    def check(self, token: str, urn: str, news: dict[str, Plain]) -> tuple[dict[str, Plain], list[Problem]]:
        """The inputs as they will be used, and everything wrong with them."""
        kind = KINDS[token]
        inputs = dict(news)
        if kind.named and not inputs.get(kind.named):
            inputs[kind.named] = automatic_name(urn.rpartition("::")[2], urn)
        return inputs, problems(token, news)

    def replacements(self, token: str, old: dict[str, Plain], new: dict[str, Plain]) -> list[str]:
        """Which changed inputs make a new resource."""
        return [key for key in changed_keys(old, new) if key in KINDS[token].replaced_by]

    def delete_before_replace(self, token: str, urn: str, inputs: dict[str, Plain]) -> bool:
        """Whether the old one must go first: its name was chosen, and two cannot share it."""
        named = KINDS[token].named
        return named is not None and inputs.get(named) != automatic_name(urn.rpartition("::")[2], urn)

    def create(self, token: str, urn: str, inputs: dict[str, Plain]) -> Made:
        """Make a resource; raises ``RefusedError`` in AWS's words."""
        with self.world.held() as world:
            self._judge(token, inputs)
            mint = Mint(urn, world.generation(urn))
            made = self._made(token, urn, inputs, mint, None)
            if made.key in world.things:
                raise RefusedError(f"{_already(token)}: {made.id} already exists")
            world.make(made)
        return made

    def update(self, token: str, urn: str, id_: str, inputs: dict[str, Plain]) -> Made:
        """Change a resource in place."""
        with self.world.held() as world:
            before = world.things.get((SCOPE, token, id_))
            if before is None:
                raise RefusedError(f"NotFound: {id_} does not exist any more")
            self._judge(token, inputs)
            made = self._made(token, urn, inputs, Mint(urn, max(world.generation(urn) - 1, 0)), before)
            world.change(made)
        return made

    def delete(self, token: str, id_: str) -> None:
        """Delete a resource; one that is gone already is no error, as with the real provider."""
        with self.world.held() as world:
            made = world.things.get((SCOPE, token, id_))
            if made is None:
                return
            if token == _CLUSTER and made.inputs.get("deletionProtection") is True:
                raise RefusedError(
                    f"InvalidRequestException: Cluster {id_} has deletion protection enabled; disable deletion"
                    " protection before you delete it"
                )
            standing = dependants(made, world.things.values())
            if standing:
                raise RefusedError(f"{_in_use(token)}: {id_} is still used by {_listed(standing)}")
            world.unmake(made)

    def read(self, token: str, id_: str) -> Made | None:
        """What exists under an id."""
        with self.world.held() as world:
            return world.things.get((SCOPE, token, id_))

    def _judge(self, token: str, inputs: dict[str, Plain]) -> None:
        if has_unknown(inputs):
            raise RefusedError(f"{token}: an input is still unknown")
        absent = unresolved(token, inputs, self.world.things.values(), self.given)
        if absent:
            raise RefusedError(absent)
        if token == _CLUSTER:
            config = inputs.get("vpcConfig")
            subnets = config.get("subnetIds") if isinstance(config, dict) else None
            if not isinstance(subnets, list) or len(subnets) < _MINIMUM_CLUSTER_SUBNETS:
                raise RefusedError("InvalidParameterException: Subnets specified must be in at least two different AZs")

    def _made(self, token: str, urn: str, inputs: dict[str, Plain], mint: Mint, before: Made | None) -> Made:
        kind = KINDS[token]
        words = {
            "account": self.account,
            "region": text_at(inputs, "region") or self.region,
            "hex": mint.hexadecimal(),
            "uuid": mint.uuid(),
            "unique": mint.upper(17, "unique"),
            "byte": str(1 + zlib.crc32(mint.hexadecimal(salt="byte").encode()) % 254),
            "number": str(zlib.crc32(mint.hexadecimal(salt="number").encode())),
        }
        texts = {key: text_of(value) for key, value in inputs.items()}
        # An id never changes while the resource lives, whatever its inputs become.
        id_ = before.id if before else kind.id.format_map({**words, "in": texts})
        filled = {**words, "id": id_, "in": texts}
        minted: dict[str, Plain] = {name: template.format_map(filled) for name, template in kind.minted.items()}
        outputs: dict[str, Plain] = {"region": words["region"], **minted, **inputs, **self._tags(kind, inputs)}
        if token == _CLUSTER:
            outputs |= _cluster_outputs(inputs, self._vpc_of(inputs), words)
        elif token == "aws:ec2/launchTemplate:LaunchTemplate":
            version = 1 if before is None else 1 + int(text_at(before.outputs, "latestVersion", "1"))
            outputs |= {"latestVersion": version, "defaultVersion": 1}
        elif token == "aws:ec2/vpc:Vpc":
            outputs |= {"enableDnsSupport": inputs.get("enableDnsSupport", True)}
        elif token == "aws:iam/policy:Policy":
            outputs |= {"attachmentCount": 0}
        return Made(token, SCOPE, id_, urn, inputs, outputs)

    def _tags(self, kind: Kind, inputs: dict[str, Plain]) -> dict[str, Plain]:
        own = inputs.get("tags")
        return {"tagsAll": {**self.default_tags, **(own if isinstance(own, dict) else {})}} if kind.tagged else {}

    def _vpc_of(self, cluster: dict[str, Plain]) -> str:
        first = text_at(cluster, "vpcConfig.subnetIds")
        subnet = self.world.things.get((SCOPE, "aws:ec2/subnet:Subnet", first))
        return text_at(subnet.inputs, "vpcId") if subnet else ""


def _cluster_outputs(inputs: dict[str, Plain], vpc: str, words: dict[str, str]) -> dict[str, Plain]:
    config = inputs.get("vpcConfig")
    defaults: dict[str, Plain] = {"endpointPublicAccess": True, "endpointPrivateAccess": False}
    minted: dict[str, Plain] = {"vpcId": vpc, "clusterSecurityGroupId": f"sg-{words['hex']}"}
    issuer = f"https://oidc.eks.{words['region']}.amazonaws.com/id/{words['unique']}"
    # Any base64 will do for a certificate that nobody presents.
    authority: dict[str, Plain] = {"data": "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg=="}
    return {
        "vpcConfig": {**defaults, **(config if isinstance(config, dict) else {}), **minted},
        "certificateAuthority": authority,
        "certificateAuthorities": [authority],
        "identities": [{"oidcs": [{"issuer": issuer}]}],
        "createdAt": "2026-01-01T00:00:00Z",
    }


def _already(token: str) -> str:
    return {"iam": "EntityAlreadyExists", "eks": "ResourceInUseException", "kms": "AlreadyExistsException"}.get(
        _service(token), "ResourceAlreadyExistsException"
    )


def _in_use(token: str) -> str:
    return {"iam": "DeleteConflict", "ec2": "DependencyViolation"}.get(_service(token), "ResourceInUseException")


def _service(token: str) -> str:
    return token.split(":")[1].partition("/")[0]


def _listed(standing: Sequence[Made]) -> str:
    return ", ".join(f"{made.token.rpartition(':')[2]} {made.id}" for made in standing)
