"""The outermost border: what is printed and returned when something goes wrong."""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

import pytest

from vidbench.cli import main
from vidbench.errors import InvalidInput, NotReady


@pytest.fixture
def failing(monkeypatch):
    """Make the next command raise."""

    def arrange(error: BaseException) -> None:
        def run(_: argparse.Namespace) -> int:
            raise error

        parser = argparse.ArgumentParser()
        parser.set_defaults(run=run)
        monkeypatch.setattr("vidbench.cli.parser.build_parser", lambda: parser)

    return arrange


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (NotReady("No summary yet", hint="Run: vidbench describe F"), 1, "No summary yet. Run: vidbench describe F"),
        (InvalidInput("window_seconds: 0\nis too small"), 2, "window_seconds: 0 is too small"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_an_error_is_one_line_with_its_exit_code(error, code, line, failing, capsys):
    """Message and hint on stderr, nothing on stdout, no traceback."""
    failing(error)

    assert main([]) == code
    assert capsys.readouterr() == ("", f"vidbench: {line}\n")


def test_what_nobody_foresaw_is_one_line_that_names_the_log(failing, capsys, environment):
    """The traceback lies in the log of the user, not on the terminal."""
    failing(RuntimeError("the roof is gone"))

    assert main([]) == 1
    line = capsys.readouterr().err
    assert line.startswith("vidbench: RuntimeError: the roof is gone. The traceback is in ")
    log = line.rpartition(" ")[2].strip()
    assert log.startswith(environment["XDG_STATE_HOME"])
    assert "Traceback" in Path(log).read_text(encoding="utf-8")


def test_the_traceback_is_shown_to_who_asks(failing, capsys, monkeypatch):
    """``VIDBENCH_DEBUG=1`` is for developers."""
    monkeypatch.setenv("VIDBENCH_DEBUG", "1")
    failing(NotReady("No summary yet"))

    assert main([]) == 1
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_reader_that_went_away_is_no_error(start):
    """``vidbench models --json | head -1`` ends without a word."""
    process = start("models", "--json")
    process.stdout.close()

    assert process.wait(timeout=60) == 141
    assert process.stderr.read() == ""


def test_ctrl_c_stops_the_waiting_and_says_how_to_stop_the_job(start, short_clip, tmp_path):
    """The exit code is 130, as shells have it."""
    process = start("describe", short_clip, "--workspace", tmp_path / "w", variables={"VIDBENCH_FAKE_DELAY": "0.5"})
    said = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    rest = process.stderr.read()

    assert said.startswith("describe short.mp4")
    assert process.wait(timeout=30) == 130, rest
    assert "vidbench jobs cancel" in rest
    assert "Traceback" not in rest
