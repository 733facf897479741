import signal
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from cli.main import main


@pytest.fixture
def as_before() -> Iterator[None]:
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("as_before")
def test_a_run_that_is_told_to_end_ends_as_an_interrupted_one_does() -> None:
    assert CliRunner().invoke(main, ["plan", "--stack", "dev"]).exit_code == 0
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGTERM)
