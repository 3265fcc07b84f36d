"""The commands and their arguments. Building this loads the standard library and the contract only."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from vidbench.cli import commands
from vidbench.cli.flags import add_flags
from vidbench.contract.collections import EVERYTHING
from vidbench.operations import BY_NAME

DESCRIPTION = "Understand video on your own machine: describe it, ask it, query it. Nothing leaves this computer."
EPILOG = (
    "A workspace is a folder; without --workspace and VIDBENCH_WORKSPACE it is ./vidbench-workspace. Commands work "
    "while a notebook owns it. Exit codes: 0 done, 1 failed, 2 wrong usage. VIDBENCH_DEBUG=1 shows tracebacks."
)
MODEL_TIERS = ("tiny", "small", "good")


class _Version(argparse.Action):
    """Print the installed version; looked up only when it is asked for."""

    def __init__(self, option_strings: list[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        """Print and exit with 0."""
        from importlib.metadata import version

        print(f"vidbench {version('vidbench')}")
        parser.exit()


class _Commands:
    """A place to hang commands in, all with the common flags."""

    def __init__(self, parser: argparse.ArgumentParser, common: argparse.ArgumentParser, *, required: bool) -> None:
        self._common = common
        self._places = parser.add_subparsers(title="commands", metavar="COMMAND", required=required)

    def add(self, name: str, run: Callable[[argparse.Namespace], int], text: str) -> argparse.ArgumentParser:
        """Add command *name*, done by *run* and described by *text*."""
        parser = self._places.add_parser(name, help=text, description=f"{text}.", parents=[self._common])
        parser.set_defaults(run=run)
        return parser


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line.

    Example:
        >>> build_parser().parse_args(["ask", "Who says so?"]).question
        'Who says so?'
    """
    common = _common_flags()
    parser = argparse.ArgumentParser(
        prog="vidbench", description=DESCRIPTION, epilog=EPILOG, parents=[common], allow_abbrev=False
    )
    parser.add_argument("--version", action=_Version)
    places = _Commands(parser, common, required=True)
    _add_work(places)
    _add_answers(places)
    _add_collections(places, common)
    _add_jobs(places, common)
    _add_models(places, common)
    return parser


def _common_flags() -> argparse.ArgumentParser:
    """Flags that may stand before or after the command; absent ones leave no trace, so neither hides the other."""
    common = argparse.ArgumentParser(add_help=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--workspace", metavar="W", help="folder of the workspace, made if absent")
    common.add_argument("--json", action="store_true", help="print the result as one JSON object")
    return common


def _add_work(places: _Commands) -> None:
    demo = places.add(
        "demo", commands.demo, "Fetch small models, analyse a clip, ask it questions, and say how long it took"
    )
    demo.add_argument("clip", nargs="?", metavar="CLIP", help="a video of yours (default: the bundled clip)")
    demo.add_argument("--svg", metavar="FILE", help=argparse.SUPPRESS)
    add = places.add("add", commands.add, "Take files into the workspace")
    add.add_argument("paths", nargs="+", metavar="PATH", help="a file, a folder, or a pattern in quotes")
    describe = places.add("describe", commands.describe, "Title, summary, segments, transcript and scene text of files")
    _add_files(describe)
    add_flags(describe, BY_NAME["describe"].config)
    segment = places.add("segment", commands.segment, "Cut files into windows or shots")
    _add_files(segment)
    add_flags(segment, BY_NAME["segment"].config)


def _add_answers(places: _Commands) -> None:
    ask = places.add("ask", commands.ask, "Ask a collection a question; the answer cites the words it rests on")
    ask.add_argument("question", metavar="QUESTION", help="the question, in quotes")
    ask.add_argument("--collection", default=EVERYTHING, metavar="C", help=f"name or id (default: {EVERYTHING})")
    ask.add_argument("--temperature", type=float, default=0.0, metavar="X", help="0 to 2 (default: 0, always alike)")
    sql = places.add("sql", commands.sql, "Run one SELECT over everything that was found")
    sql.add_argument("query", metavar="QUERY", help="the SELECT, in quotes; - reads it from standard input")
    sql.add_argument(
        "--param",
        action="append",
        default=[],
        dest="parameters",
        metavar="VALUE",
        help="value of the next ? in the query; numbers, true, false and null are taken as such",
    )
    export = places.add("export", commands.export, "Write a description as subtitles, text or JSON")
    export.add_argument("file", metavar="FILE", help="name or id of a described file")
    formats = "srt, vtt, markdown, json or what a plug-in brings (default: srt)"
    export.add_argument("--format", default="srt", metavar="NAME", help=formats)
    export.add_argument("--output", metavar="F", help="file to write (default: standard output)")


def _add_collections(places: _Commands, common: argparse.ArgumentParser) -> None:
    collections = places.add("collections", commands.list_collections, "List, make and fill collections")
    actions = _Commands(collections, common, required=False)
    actions.add("list", commands.list_collections, "List collections")
    create = actions.add("create", commands.create_collection, "Make a collection")
    create.add_argument("name", metavar="NAME", help="1 to 255 characters")
    create.add_argument("--description", metavar="TEXT", help="what it is for")
    add = actions.add("add", commands.add_to_collection, "Put files into a collection")
    add.add_argument("name", metavar="NAME", help="name or id of the collection")
    _add_files(add)


def _add_jobs(places: _Commands, common: argparse.ArgumentParser) -> None:
    jobs = places.add("jobs", commands.list_jobs, "List, show and cancel jobs")
    actions = _Commands(jobs, common, required=False)
    actions.add("list", commands.list_jobs, "List jobs, newest first")
    show = actions.add("show", commands.show_job, "Show a job and its stages")
    show.add_argument("job", metavar="ID", help="id of the job, or its first characters")
    cancel = actions.add("cancel", commands.cancel_job, "Stop a job")
    cancel.add_argument("job", metavar="ID", help="id of the job, or its first characters")


def _add_models(places: _Commands, common: argparse.ArgumentParser) -> None:
    models = places.add("models", commands.list_models, "List models and fetch them")
    actions = _Commands(models, common, required=False)
    actions.add("list", commands.list_models, "List models with publisher, licence and checksum")
    pull = actions.add("pull", commands.pull_models, "Fetch a model, or all models of a tier")
    which = pull.add_mutually_exclusive_group(required=True)
    which.add_argument("name", nargs="?", metavar="NAME", help="name of a model")
    which.add_argument("--tier", choices=MODEL_TIERS, help="fetch a model for every role")
    places.add("doctor", commands.doctor, "Check that everything that is needed is here and works")


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", nargs="+", metavar="FILE", help="name or id of a file, or a path, which is added first"
    )
