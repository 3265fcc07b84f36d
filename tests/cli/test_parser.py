"""Commands and their arguments."""

from __future__ import annotations

import argparse
from importlib.metadata import version

import pytest

from vidbench.cli import commands
from vidbench.cli.parser import build_parser

COMMANDS = (
    "demo", "add", "describe", "segment", "ask", "collections", "sql", "export", "jobs", "models", "doctor",
)  # fmt: skip


def parsed(*words: str) -> argparse.Namespace:
    """What *words* say."""
    return build_parser().parse_args(words)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command, capsys):
    """``--help`` names the common flags too."""
    with pytest.raises(SystemExit) as exit_:
        parsed(command, "--help")

    assert exit_.value.code == 0
    assert "--workspace" in capsys.readouterr().out


def test_the_overview_names_every_command(capsys):
    """``vidbench --help`` is the table of contents."""
    with pytest.raises(SystemExit):
        parsed("--help")

    out = capsys.readouterr().out
    assert [command for command in COMMANDS if f"    {command}" not in out] == []


def test_the_version_is_the_installed_one(capsys):
    """``--version`` prints and ends with 0."""
    with pytest.raises(SystemExit) as exit_:
        parsed("--version")

    assert exit_.value.code == 0
    assert capsys.readouterr().out == f"vidbench {version('vidbench')}\n"


@pytest.mark.parametrize(
    "words",
    [
        ("--workspace", "w", "jobs"),
        ("jobs", "--workspace", "w"),
        ("jobs", "list", "--workspace", "w"),
        ("--workspace", "v", "jobs", "list", "--workspace", "w"),
    ],
)
def test_the_workspace_stands_before_or_after_the_command(words):
    """The last one wins; a default never hides what was said."""
    assert parsed(*words).workspace == "w"


def test_without_a_workspace_none_is_named():
    """The environment and the default are looked up when the workspace is opened."""
    assert not hasattr(parsed("jobs"), "workspace")


@pytest.mark.parametrize(
    ("words", "run"),
    [
        (("jobs",), commands.list_jobs),
        (("jobs", "show", "1"), commands.show_job),
        (("jobs", "cancel", "1"), commands.cancel_job),
        (("collections",), commands.list_collections),
        (("collections", "create", "talks"), commands.create_collection),
        (("collections", "add", "talks", "a.mp4"), commands.add_to_collection),
        (("models",), commands.list_models),
        (("models", "pull", "--tier", "tiny"), commands.pull_models),
    ],
)
def test_a_command_of_several_actions_lists_where_none_is_named(words, run):
    """``jobs`` is ``jobs list``."""
    assert parsed(*words).run is run


@pytest.mark.parametrize(
    "words",
    [(), ("dance",), ("ask",), ("add",), ("models", "pull"), ("models", "pull", "whisper-base", "--tier", "tiny")],
)
def test_wrong_usage_ends_with_2(words, capsys):
    """What is missing or too much is told in one line after the usage."""
    with pytest.raises(SystemExit) as exit_:
        parsed(*words)

    assert exit_.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("vidbench")


def test_abbreviations_are_no_flags():
    """A flag added later can never change what an old script means."""
    with pytest.raises(SystemExit):
        parsed("--work", "w", "jobs")
