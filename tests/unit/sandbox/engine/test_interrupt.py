from __future__ import annotations

import io
import signal
import threading

import pytest

from sandbox.engine.interrupt import interruptible


def test_the_actions_result_and_its_error_come_through() -> None:
    assert interruptible(lambda: 42, io.StringIO()) == 42

    def fails() -> None:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        interruptible(fails, io.StringIO())


def test_an_interruption_is_raised_only_when_the_action_has_ended() -> None:
    announced, ended = threading.Event(), threading.Event()

    def action() -> None:
        assert announced.wait(timeout=10)
        ended.set()

    class Terminal(io.StringIO):
        def write(self, s: str, /) -> int:
            announced.set()
            return super().write(s)

    def terminal_interrupts(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, terminal_interrupts)
    out = Terminal()
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            interruptible(action, out)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert ended.is_set()
    assert "interrupted" in out.getvalue()
