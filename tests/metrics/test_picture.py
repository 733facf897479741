"""The picture of a board in the docs is what a real Prometheus answers of the stand-in's six hours.

``python -m tests.metrics.draw`` draws it anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.metrics.draw import PICTURE, picture

pytestmark = [pytest.mark.metrics, pytest.mark.xdist_group("metrics")]


def test_the_picture_in_the_docs_is_what_prometheus_answers(tmp_path: Path) -> None:
    assert picture(tmp_path) == PICTURE.read_text(encoding="utf-8"), "python -m tests.metrics.draw"
