"""What the providers' own SDKs say of a type's inputs, read from their source without importing them.

``pulumi_aws/ec2/vpc.py`` holds a class ``VpcArgs`` whose ``__init__`` names every input, the required ones without a
default, and a property for each with its name on the wire.
"""

from __future__ import annotations

import ast
import functools
import importlib.metadata
import importlib.util
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sandbox import places


@dataclass(frozen=True, slots=True)
class Signature:
    """The inputs of one type, by their names on the wire."""

    required: frozenset[str]
    known: frozenset[str]


@functools.cache
def signatures(package: str) -> dict[str, Signature]:
    """Signatures of a package's listed types by token, kept in the cache for each version of the SDK."""
    from sandbox.cloud.types import sources  # noqa: PLC0415 (the list names modules of this reader)

    version = importlib.metadata.version(package.replace("_", "-"))
    listed = sources(package)
    kept = places.cache() / "signatures" / f"{package}-{version}.json"
    found = _kept(kept)
    if set(found) != set(listed):
        found = {token: _read(package, module, name) for token, (module, name) in listed.items()}
        kept.parent.mkdir(parents=True, exist_ok=True)
        fresh = kept.with_suffix(f".{id(found)}")
        fresh.write_text(
            json.dumps({token: [sorted(each.required), sorted(each.known)] for token, each in found.items()}),
            encoding="utf-8",
        )
        fresh.replace(kept)
    return found


def _kept(path: Path) -> dict[str, Signature]:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {token: Signature(frozenset(required), frozenset(known)) for token, (required, known) in plain.items()}


def _read(package: str, module: str, name: str) -> Signature:
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations, f"{package} is installed"
    path = Path(spec.submodule_search_locations[0], *module.split(".")).with_suffix(".py")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return signature_of(
        next(each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == f"{name}Args")
    )


def signature_of(arguments: ast.ClassDef) -> Signature:
    """The signature that one ``XArgs`` class declares."""
    wire = dict(_wire_names(arguments))
    initialiser = next(each for each in arguments.body if isinstance(each, ast.FunctionDef) and each.name == "__init__")
    positional = initialiser.args.args[1:]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(initialiser.args.defaults))
    defaults += initialiser.args.defaults
    pairs = [*zip(positional, defaults, strict=True), *zip(initialiser.args.kwonlyargs, initialiser.args.kw_defaults)]
    named = [(wire.get(argument.arg, argument.arg), default) for argument, default in pairs]
    return Signature(
        frozenset(name for name, default in named if default is None), frozenset(name for name, _ in named)
    )


def _wire_names(arguments: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """(python name, wire name) of each property: the wire name is in its decorator, or is the same."""
    for each in arguments.body:
        if not isinstance(each, ast.FunctionDef):
            continue
        for decorator in each.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("getter"):
                for keyword in decorator.keywords:
                    if keyword.arg == "name" and isinstance(keyword.value, ast.Constant):
                        yield each.name, str(keyword.value.value)
