"""The subject of a rule: a Kubernetes object, a chart's release or a cloud resource as plain data, and its kind.

The same rule reads a resource in a preview, a manifest in a pull request and a rendered document. A preview does not
know every value yet: such a value is ``UNKNOWN``. The functions here pass it on, so that a rule judges known values.
The kinds that several rules judge stand at the end.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, cast


class Unknown(enum.Enum):
    """A value that is known only in the update."""

    UNKNOWN = "unknown until the update"


UNKNOWN: Final = Unknown.UNKNOWN

Plain: TypeAlias = "bool | int | float | str | Unknown | Sequence[Plain] | Mapping[str, Plain] | None"
"""JSON's types, and UNKNOWN."""

PART_SEPARATOR = ":"
MOST_BITS: Final = 1023
"""The most bits of a whole number: a float, as most JSON readers use, holds no more, and Python prints no 15,000."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of object: an API group and a name (any version), or a cloud resource's token with no group."""

    group: str
    name: str

    def __str__(self) -> str:
        return f"{self.name}.{self.group}" if self.group else self.name


@dataclass(frozen=True, slots=True)
class Subject:
    """One thing to judge."""

    kind: str
    """``NodePool``, or a cloud resource's token such as ``aws:eks/cluster:Cluster``."""
    api_version: str
    """``karpenter.sh/v1``; empty for a cloud resource."""
    name: str
    namespace: str | None
    body: Mapping[str, Plain]
    """The whole object, or the cloud resource's inputs."""

    @property
    def group_kind(self) -> Kind:
        """Its API group and kind, in whichever version."""
        return Kind(self.api_version.rpartition("/")[0], self.kind)

    def is_a(self, kind: Kind) -> bool:
        """Whether it is of that kind, in whichever version."""
        group = self.api_version.rpartition("/")[0]
        return self.kind == kind.name and group == kind.group

    @property
    def known_name(self) -> str | None:
        """The name that other objects refer to, None while it is not known."""
        name = at(self.body, "metadata", "name")
        return name if isinstance(name, str) else None

    def __str__(self) -> str:
        return " ".join(filter(None, (self.kind, f"{self.namespace}/{self.name}" if self.namespace else self.name)))


def of_document(document: Mapping[str, object]) -> Subject:
    """A Kubernetes object as a subject; parts that are missing or of the wrong type are empty."""
    return of_plain(plain_mapping(document))


def of_plain(body: Mapping[str, Plain]) -> Subject:
    """A Kubernetes object of plain data as a subject."""
    namespace = text(at(body, "metadata", "namespace"))
    return Subject(
        kind=_text_or_empty(body.get("kind")),
        api_version=_text_or_empty(body.get("apiVersion")),
        name=_text_or_empty(at(body, "metadata", "name")),
        namespace=namespace if isinstance(namespace, str) else None,
        body=body,
    )


def of_release(chart: str, values: Mapping[str, object], name: str = "") -> Subject:
    """A Helm release as a subject: the rules see its chart and its values."""
    return Subject("Release", "helm.sh/v3", name or chart, None, {"chart": chart, "values": plain_mapping(values)})


def of_resource(token: str, name: str, inputs: Mapping[str, object]) -> Subject:
    """A resource by its Pulumi token.

    ``kubernetes:<group>/<version>:<Kind>`` becomes the object that it is; any other token is its own kind.
    """
    package, _, rest = token.partition(PART_SEPARATOR)
    if package != "kubernetes":
        return Subject(token, "", name, None, plain_mapping(inputs))
    version, _, kind = rest.partition(PART_SEPARATOR)
    body = plain_mapping(inputs)
    written_name, namespace = text(at(body, "metadata", "name")), text(at(body, "metadata", "namespace"))
    return Subject(
        kind=kind,
        api_version=version.removeprefix("core/"),
        name=written_name if isinstance(written_name, str) else name,
        namespace=namespace if isinstance(namespace, str) else None,
        body=body,
    )


def plain(value: object) -> Plain:
    """Anything as plain data; a whole float becomes an int, and what no object could hold (a file) is unknown."""
    if value is None or isinstance(value, bool | str | Unknown):
        return value
    if isinstance(value, int):
        return value if value.bit_length() <= MOST_BITS else UNKNOWN
    if isinstance(value, float):
        return int(value) if math.isfinite(value) and value.is_integer() else value
    if isinstance(value, Mapping):
        return plain_mapping(cast("Mapping[object, object]", value))
    if isinstance(value, Sequence):
        return [plain(item) for item in cast("Sequence[object]", value)]
    return UNKNOWN


def plain_mapping(value: Mapping[str, object] | Mapping[object, object]) -> dict[str, Plain]:
    """A mapping as plain data, its keys as text."""
    return {str(key): plain(item) for key, item in value.items()}


def at(value: Plain, *path: str) -> Plain:
    """The value at a path of keys: None if any part is absent, UNKNOWN if any part is unknown."""
    for key in path:
        if value is UNKNOWN:
            return UNKNOWN
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def text(value: Plain) -> str | Unknown | None:
    """The value as text; a number or a truth value as YAML writes it, so that it can be compared and quoted."""
    if value is None or isinstance(value, str | Unknown):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def number(value: Plain) -> float | Unknown | None:
    """The value as a number; None if it is absent or of another type."""
    if value is UNKNOWN:
        return UNKNOWN
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def mapping(value: Plain) -> Mapping[str, Plain] | Unknown:
    """The value as a mapping; empty if it is absent or of another type."""
    return value if isinstance(value, Mapping | Unknown) else {}


def items(value: Plain) -> Sequence[Plain] | Unknown:
    """The value as a list; empty if it is absent or of another type."""
    if value is UNKNOWN:
        return UNKNOWN
    return value if isinstance(value, Sequence) and not isinstance(value, str) else ()


def known_items(value: Plain) -> Sequence[Plain]:
    """The value as a list; empty if it is absent, unknown or of another type."""
    listed = items(value)
    return () if isinstance(listed, Unknown) else listed


def list_or_none(value: Plain) -> Sequence[Plain] | Unknown | None:
    """The value as a list; None if it is absent or of another type."""
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return items(value) if value is UNKNOWN or is_list else None


def text_at(subject: Subject, *path: str) -> str | Unknown | None:
    """The text at a path of the subject's body."""
    return text(at(subject.body, *path))


def mapping_at(subject: Subject, *path: str) -> Mapping[str, Plain] | Unknown:
    """The mapping at a path of the subject's body."""
    return mapping(at(subject.body, *path))


def items_at(subject: Subject, *path: str) -> Sequence[Plain] | Unknown:
    """The list at a path of the subject's body."""
    return items(at(subject.body, *path))


def quoted(value: Plain) -> str:
    """A value as a message gives it."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "a mapping of " + (", ".join(value) or "nothing")
    return repr(value) if isinstance(value, str) else str(text(value))


def _text_or_empty(value: Plain) -> str:
    return value if isinstance(value, str) else ""


NODE_POOL = Kind("karpenter.sh", "NodePool")
NODE_OVERLAY = Kind("karpenter.sh", "NodeOverlay")
NODE_CLASS = Kind("karpenter.k8s.aws", "EC2NodeClass")
NODE_GROUP = Kind("", "aws:eks/nodeGroup:NodeGroup")
STACK = Kind("", "pulumi:pulumi:Stack")
"""The root of every program; its outputs are what the stack publishes."""
PUBLISHED = "platform"
"""The output of a stack that holds the document it publishes."""
CLUSTER = Kind("", "aws:eks/cluster:Cluster")
RELEASE = Kind("helm.sh", "Release")
CONFIG_MAP = Kind("", "ConfigMap")
SECRET = Kind("", "Secret")
NAMESPACE = Kind("", "Namespace")
NODE = Kind("", "Node")
RESOURCE_QUOTA = Kind("", "ResourceQuota")
SERVICE_ACCOUNT = Kind("", "ServiceAccount")
NETWORK_POLICY = Kind("networking.k8s.io", "NetworkPolicy")
ROLE = Kind("rbac.authorization.k8s.io", "Role")
PRIORITY_CLASS = Kind("scheduling.k8s.io", "PriorityClass")
RESOURCE_CLAIM = Kind("resource.k8s.io", "ResourceClaim")
RESOURCE_CLAIM_TEMPLATE = Kind("resource.k8s.io", "ResourceClaimTemplate")
