"""What `make check` holds of the project's words: `python -m tests.words` prints one line a fault and ends with 1.

No identifier is called ``each``, in Python or in Go: a loop variable names what it holds. No feature id such as
``(E7)`` stands in code: ids are in ``docs/features.md`` and in tests. No two classes of one package have one name.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("gpuplatform", "components", "policies", "sandbox", "cli")
_NAMELESS = "each"
_FEATURE_ID = re.compile(r"(?!\((?:L4|T4)\))\([A-Z]\d{1,2}(?:(?:, ?|-)[A-Z]?\d{1,2})*\)")
"""L4 and T4 are cards."""


def faults(root: Path = ROOT) -> list[str]:
    """One line for each fault: file, line, what to change."""
    sources = {file: file.read_text(encoding="utf-8") for file in _files(root)}
    lines = [
        f"{file.relative_to(root)}:{line}: {fault}"
        for file, source in sources.items()
        for line, fault in sorted({*_nameless(source), *(() if _is_test(file, root) else _feature_ids(source))})
    ]
    return [
        *lines,
        *_nameless_in_go(root),
        *_same_classes({file: source for file, source in sources.items() if not _is_test(file, root)}, root),
    ]


def _files(root: Path) -> Iterator[Path]:
    yield root / "__main__.py"
    for package in (*PACKAGES, "tests"):
        yield from sorted((root / package).rglob("*.py"))


def _is_test(file: Path, root: Path) -> bool:
    return file.relative_to(root).parts[0] == "tests"


def _nameless(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        bound = node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) else None
        if isinstance(node, ast.arg):
            bound = node.arg
        if bound == _NAMELESS and isinstance(node, ast.Name | ast.arg):
            yield node.lineno, f"`{_NAMELESS}` says nothing; name what it holds: pool, subnet, finding"


def _nameless_in_go(root: Path) -> Iterator[str]:
    for file in sorted((root / "sandbox").rglob("*.go")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.search(rf"\b{_NAMELESS}\b", line.partition("//")[0]):
                yield f"{file.relative_to(root)}:{number}: `{_NAMELESS}` says nothing; name what it holds"


def _feature_ids(source: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(source.splitlines(), 1):
        for match in _FEATURE_ID.finditer(line):
            yield number, f"the feature id {match[0]} belongs in docs/features.md or a test; take it out"


def _same_classes(sources: dict[Path, str], root: Path) -> list[str]:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    for file, source in sources.items():
        for node in ast.parse(source).body:
            if isinstance(node, ast.ClassDef):
                path = file.relative_to(root)
                places[path.parts[0], node.name].append(f"{path}:{node.lineno}")
    return [
        f"{' and '.join(paths)}: two classes {name} in {package}; name what differs"
        for (package, name), paths in places.items()
        if len(paths) > 1
    ]


if __name__ == "__main__":
    lines = faults()
    for line in lines:
        print(line)
    sys.exit(1 if lines else 0)
