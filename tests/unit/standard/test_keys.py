import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuplatform.standard import aliases, keys, labels
from tests.builders import ROOT

FOLDERS = ("gpuplatform", "components", "policies", "sandbox", "cli")
STANDARD = ROOT / "gpuplatform" / "standard"


def _is_unmistakable(key: str) -> bool:
    # A bare word such as `env` or `team` is also a chart's value and a field's name, so only a key that can be
    # nothing else is looked for.
    return re.search(r"[^a-z]", key) is not None


OTHERS = {value for name, value in vars(keys).items() if name.isupper() and isinstance(value, str)}
KEYS = {
    key
    for key in ({label.key for label in labels.STANDARD} | OTHERS | set(aliases.ALIAS_KEYS))
    if _is_unmistakable(key)
}
WITHIN = re.compile(
    "|".join(rf"(?<![\w./-]){re.escape(key)}(?![\w./-])" for key in sorted(KEYS, key=len, reverse=True))
)


def _docstrings(tree: ast.AST) -> set[int]:
    """Texts that are statements: docstrings of modules, classes, functions and attributes."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


def literal_keys(source: str) -> Iterator[tuple[int, str]]:
    """Line and key of every label key that a source writes as a text or as part of an f-string."""
    tree = ast.parse(source)
    docstrings = _docstrings(tree)
    parts: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts |= {id(part) for part in node.values}
            # A filled-in value counts as a letter: `f"{prefix}gpu-memory"` is another key than `gpu-memory`.
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
            yield from ((node.lineno, key) for key in WITHIN.findall(text))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value in KEYS and id(node) not in docstrings | parts:
            yield node.lineno, str(node.value)


def sources() -> list[Path]:
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    return [path for path in [*files, ROOT / "__main__.py"] if STANDARD not in path.parents]


def test_no_other_file_contains_a_label_key() -> None:
    written = [
        f"{path.relative_to(ROOT)}:{line}: {key}" for path in sources() for line, key in literal_keys(path.read_text())
    ]
    assert written == [], "take it from gpuplatform.standard"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('x = {"gpu.pool": 1}', ["gpu.pool"]),
        ('x = f"{a}.gpu.role={b}"', []),
        ('x = f"gpu.role={b}"', ["gpu.role"]),
        ('x = f"{b}gpu-memory"', []),
        ('x = f"{b} nvidia.com/gpu.product"', ["nvidia.com/gpu.product"]),
        ('"""gpu.pool"""', []),
        ('def f():\n    """gpu.pool"""', []),
        ('x = 1\n"""gpu.pool"""', []),
        ('x = "the label gpu.pool"', []),
        ('x = "karpenter.sh/nodepool"', ["karpenter.sh/nodepool"]),
        ('x = "env"', []),
    ],
)
def test_the_search_finds_keys_in_texts_and_not_in_docstrings(source: str, expected: list[str]) -> None:
    assert [key for _, key in literal_keys(source)] == expected


def test_the_search_looks_at_every_floor() -> None:
    looked_at = {path.relative_to(ROOT).parts[0] for path in sources()}
    assert {"gpuplatform", "components", "cli", "__main__.py"} <= looked_at
    assert not any(STANDARD in path.parents for path in sources())
    assert len(KEYS) > 20
