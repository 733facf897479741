from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from sandbox.tools.own import KARPENTER


def test_other_sources_are_another_build_and_other_tests_are_not(tmp_path: Path) -> None:
    copy = replace(KARPENTER, folder=tmp_path / "karpenter")
    shutil.copytree(KARPENTER.folder, copy.folder)
    assert copy.version == KARPENTER.version
    (copy.folder / "another_test.go").write_text("package main\n", encoding="utf-8")
    assert copy.version == KARPENTER.version
    (copy.folder / "another.go").write_text("package main\n", encoding="utf-8")
    assert copy.version != KARPENTER.version


def test_the_program_says_the_version_of_karpenter_that_it_is_made_of() -> None:
    modules = (KARPENTER.folder / "go.mod").read_text(encoding="utf-8")
    version = (KARPENTER.folder / "main.go").read_text(encoding="utf-8").split('const version = "')[1].split('"')[0]
    assert f"sigs.k8s.io/karpenter v{version}\n" in modules
