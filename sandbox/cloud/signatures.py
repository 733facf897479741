"""The inputs of a resource type, read from the installed SDK's source, so that no provider needs to import the SDK.

A file of the SDK may be a megabyte; only the source of the argument class is parsed.
"""

from __future__ import annotations

import ast
import enum
import functools
import importlib.util
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.cloud.types import AWS_TYPES, CRD_CHARTS, EKS_TYPES, KUBERNETES_KINDS

_NESTED = re.compile(r"^(?:_?([a-z_]+)\.)?(?:(v\w+)\.)?(\w+Args)$")


@dataclass(frozen=True, slots=True)
class ClassRef:
    """An argument class of an SDK."""

    file: Path
    name: str


class Shape(enum.StrEnum):
    """The form of a value on the wire."""

    TEXT = "text"
    NUMBER = "a number"
    TRUTH = "true or false"
    LIST = "a list"
    MAPPING = "a mapping"


_SCALARS = {"str": Shape.TEXT, "int": Shape.NUMBER, "float": Shape.NUMBER, "bool": Shape.TRUTH}
_HOLDERS = {"Sequence": Shape.LIST, "Mapping": Shape.MAPPING}
_WRAPPERS = ("Input", "Optional")


@dataclass(frozen=True, slots=True)
class Property:
    """One input."""

    required: bool
    shape: Shape | None
    """None where the SDK accepts several forms."""
    nested: ClassRef | None
    """The class of the value, or of every item or entry of it."""
    mapping: bool
    """Whether the value is a mapping of user-chosen keys to ``nested``."""


Signature = Mapping[str, Property]
"""Inputs by their name on the wire, such as ``vpcId``."""


def resource_class(token: str) -> ClassRef | None:
    """The class that holds a listed type's arguments; None for a custom resource, which no SDK describes."""
    package, module, name = token.split(":")
    if token in AWS_TYPES:
        folder, _, file = module.partition("/")
        return ClassRef(_sdk("pulumi_aws") / folder / f"{_snake(file)}.py", f"{name}Args")
    if token in EKS_TYPES:
        return ClassRef(_sdk("pulumi_eks") / f"{_snake(name)}.py", f"{name}Args")
    if token not in KUBERNETES_KINDS or module.split("/")[0] in CRD_CHARTS:
        return None
    group, version = module.split("/")
    folder = group.split(".")[0]  # rbac.authorization.k8s.io is the SDK's folder rbac
    suffix = "Args" if folder == "helm" else "InitArgs"
    return ClassRef(_sdk(f"pulumi_{package}") / folder / version / f"{name}.py", f"{name}{suffix}")


@functools.cache
def signature(class_ref: ClassRef) -> Signature:
    """The inputs of an argument class. Raises LookupError, which names the file, where the SDK cannot be read."""
    tree = ast.parse(_class_source(class_ref))
    definition = tree.body[0]
    assert isinstance(definition, ast.ClassDef), f"{class_ref.file}: {class_ref.name} is a class"
    names = _wire_names(definition)
    constructor = next(
        node for node in definition.body if isinstance(node, ast.FunctionDef) and node.name == "__init__"
    )
    return {
        names.get(argument.arg, argument.arg): Property(
            required=default is None,
            shape=_shape(argument.annotation),
            nested=_nested(class_ref.file, argument.annotation),
            mapping=_is_mapping(argument),
        )
        for argument, default in zip(constructor.args.kwonlyargs, constructor.args.kw_defaults, strict=True)
    }


@functools.cache
def _sdk(package: str) -> Path:
    spec = importlib.util.find_spec(package)  # finds the package without importing it
    if spec is None or spec.origin is None:
        raise LookupError(f"{package} is not installed in this environment; run `make setup`")
    return Path(spec.origin).parent


@functools.lru_cache(maxsize=8)
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _class_source(class_ref: ClassRef) -> str:
    text = _text(class_ref.file)
    start = text.find(f"\nclass {class_ref.name}:")
    if start < 0:
        raise LookupError(f"{class_ref.file} has no class {class_ref.name}")
    ends = [at for at in (text.find("\nclass ", start + 1), text.find("\n@pulumi.", start + 1)) if at > 0]
    return text[start + 1 : min(ends, default=len(text))]


def _snake(camel: str) -> str:
    """``vpcIpv4CidrBlockAssociation`` as the SDK names its file: ``vpc_ipv4_cidr_block_association``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", camel).lower()


def _wire_names(definition: ast.ClassDef) -> dict[str, str]:
    """Wire names by argument name, from ``@pulumi.getter(name="vpcId")``."""
    names: dict[str, str] = {}
    for node in definition.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        for decorator in node.decorator_list:
            if isinstance(decorator, ast.Call):
                for keyword in decorator.keywords:
                    if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                        names[node.name] = str(keyword.value.value)
    return names


def _shape(annotation: ast.expr | None) -> Shape | None:
    """The form that an annotation such as ``pulumi.Input[Optional[_builtins.bool]]`` asks for."""
    if isinstance(annotation, ast.Subscript):
        holder = _last_name(annotation.value)
        return _shape(annotation.slice) if holder in _WRAPPERS else _HOLDERS.get(holder)
    if isinstance(annotation, ast.Constant):
        return Shape.MAPPING if _NESTED.match(str(annotation.value)) else None
    return None if annotation is None else _SCALARS.get(_last_name(annotation))


def _last_name(name: ast.expr) -> str:
    if isinstance(name, ast.Attribute):
        return name.attr
    return name.id if isinstance(name, ast.Name) else ""


def _is_mapping(argument: ast.arg) -> bool:
    return argument.annotation is not None and any(
        isinstance(node, ast.Name) and node.id == "Mapping" for node in ast.walk(argument.annotation)
    )


def _nested(file: Path, annotation: ast.expr | None) -> ClassRef | None:
    """The argument class that an annotation names; None where it names none, several, or another type too."""
    if annotation is None or any(isinstance(node, ast.Name) and node.id == "Union" for node in ast.walk(annotation)):
        return None
    constants = [node.value for node in ast.walk(annotation) if isinstance(node, ast.Constant)]
    matches = [match for text in constants if isinstance(text, str) and (match := _NESTED.match(text))]
    if len(matches) != 1:
        return None
    module, version, name = matches[0].groups()
    folder = file.parent
    if module is not None and version is not None:  # `_meta.v1.ObjectMetaArgs`: a neighbouring folder
        folder = folder.parent.parent / module / version
    return ClassRef(folder / "_inputs.py", name)
