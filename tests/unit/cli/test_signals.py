"""A signal asks a run to stop, and its former handler comes back afterwards."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.support.strict_service import serving

from pressync.cli import signals
from pressync.cli.main import Globals

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.repository import SampleRepository

GLOBALS = Globals(Path(), None, None, quiet=False, verbose=False)


@pytest.fixture(autouse=True)
def terminal_of_its_own() -> Iterator[None]:
    """Let a closed terminal send its signal, although `nohup` may have started the tests."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


def test_a_signal_sets_the_event_and_the_former_handler_comes_back(capfd: pytest.CaptureFixture[str]) -> None:
    if threading.current_thread() is not threading.main_thread():
        pytest.skip("only the main thread gets signals")
    before = signal.getsignal(signal.SIGTERM)
    with signals.stopping(GLOBALS) as stop:
        assert not stop.is_set()
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.wait(10)
    assert signal.getsignal(signal.SIGTERM) is before
    assert capfd.readouterr().err.startswith("Stopping after the requests that are under way.")


def test_at_a_terminal_the_sentence_has_a_line_of_its_own_and_fits_into_it(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(signals, "_CURSOR", b"\x1b[?25h")
    with signals.stopping(GLOBALS):
        signal.raise_signal(signal.SIGINT)
    empty, sentence, end = capfd.readouterr().err.split("\n")
    assert (empty, end) == ("", "")
    assert sentence.startswith("Stopping")
    assert len(sentence) < 80


def test_at_a_question_the_first_signal_ends_the_program() -> None:
    with signals.stopping(GLOBALS) as stop:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with pytest.raises(KeyboardInterrupt), signals.asking():
                signal.raise_signal(number)
        assert not stop.is_set()
        signal.raise_signal(signal.SIGINT)
        assert stop.is_set()


def test_a_thread_that_gets_no_signals_is_given_an_event_all_the_same() -> None:
    given = []

    def work() -> None:
        with signals.stopping(GLOBALS) as stop:
            given.append(stop.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert given == [False]


def test_a_program_that_nohup_has_started_goes_on_when_its_terminal_is_closed() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with signals.stopping(GLOBALS) as stop:
            signal.raise_signal(signal.SIGHUP)
            assert not stop.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_second_hang_up_does_not_end_the_process_at_once() -> None:
    with signals.stopping(GLOBALS) as stop:
        for _ in range(3):
            signal.raise_signal(signal.SIGHUP)
        assert stop.is_set()


@pytest.mark.sweep
def test_a_sync_whose_terminal_is_closed_settles_what_is_under_way(repository: SampleRepository) -> None:
    repository.commit({f"content/pages/page-{number}.md": f"# Page {number}\n" for number in range(400)})
    master, terminal = pty.openpty()
    command = [sys.executable, "-m", "pressync", "-C", str(repository.root)]
    with serving() as service:
        environ = {**os.environ, "PRESSYNC_URL": service.url}
        with subprocess.Popen(
            [*command, "sync", "--yes", "--rate", "20"],
            env=environ,
            stdin=terminal,
            stdout=terminal,
            stderr=terminal,
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - it runs one call
        ) as sync:
            os.close(terminal)
            while sync.poll() is None and not service.pages:
                os.read(master, 10_000)
                time.sleep(0.01)
            os.close(master)
            assert sync.wait(60) == 130
        status = subprocess.run(
            [*command, "status", "--format", "json"], env=environ, capture_output=True, check=False
        )
        states = [record["state"] for record in json.loads(status.stdout)["records"]]
    assert 0 < len(service.pages) == states.count("in_step") < 400
    assert states.count("new") == 400 - len(service.pages)
