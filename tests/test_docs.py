"""The documents cannot lie: every command, target, name and link in them is there, and everything there is in them."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import json
import re
import subprocess
from pathlib import Path

import pytest

import vidbench as vb
from vidbench.cli.flags import flags_of
from vidbench.cli.parser import build_parser
from vidbench.contract.chat import Citation
from vidbench.contract.describe import DescribeConfig, SceneText
from vidbench.handles.segments import Segments
from vidbench.handles.table import Table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.md")])
TOUR = ROOT / "notebooks" / "01_tour.ipynb"
ALLOW_AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT


def fences(text: str) -> list[str]:
    """The Python blocks of a Markdown text."""
    return re.findall(r"^```python\n(.+?)^```", text, flags=re.DOTALL | re.MULTILINE)


def commands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The commands of *parser*, by name."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return {name: command for action in actions for name, command in action.choices.items()}


def cells(kind: str) -> list[str]:
    """The sources of the tour's cells of one kind."""
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("command", sorted(commands(build_parser())))
def test_every_command_is_in_the_readme(command):
    """The table of commands is whole."""
    assert f"`vidbench {command}" in README


def test_every_command_line_in_the_documents_is_one():
    """No document names a command, action or flag that is not there."""
    known = commands(build_parser())
    for document in DOCUMENTS:
        for line in re.findall(r"`(vidbench [^`]+)`", document.read_text(encoding="utf-8")):
            words = line.split()[1:]
            if words[0].startswith("-"):
                build_parser()._option_string_actions[words[0]]
                continue
            assert words[0] in known, f"{document.name}: {line}"
            flags = [word for word in words if word.startswith("--")]
            everything = {flag for command in _with_actions(known[words[0]]) for flag in command._option_string_actions}
            assert set(flags) <= everything, f"{document.name}: {line}"


def test_every_flag_in_the_command_table_is_one():
    """A flag beside a command belongs to it."""
    known = commands(build_parser())
    for command, rest in re.findall(r"^\| `vidbench (\w+)[^|]*\| (.+) \|$", README, flags=re.MULTILINE):
        everything = {flag for one in _with_actions(known[command]) for flag in one._option_string_actions}
        assert set(re.findall(r"--[a-z-]+", rest)) <= everything, command


def test_makefile_and_documents_name_the_same_targets():
    """Every target is explained by ``make help`` and named in a document, and every ``make x`` is a target."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):.*## ", makefile, flags=re.MULTILINE))
    named = {
        name
        for document in DOCUMENTS
        for name in re.findall(r"(?:`| {4}|`` )make ([a-z]+)", document.read_text(encoding="utf-8"))
    }

    assert targets == {"help", "demo", "test", "lint", "lab", "update", "torture"}
    assert named == targets


def test_make_help_prints_every_target():
    """The list is made of the Makefile itself."""
    done = subprocess.run(
        ["make", "--no-print-directory", "help"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    assert len(done.stdout.splitlines()) == 7


def test_ci_runs_the_test_command_of_the_readme():
    """Who reads the README runs what the machine runs."""
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")

    assert script.splitlines()[-1] == "make test"
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111
    assert "    make test" in README


@pytest.mark.parametrize("block", [*fences(README), *cells("code")])
def test_python_in_the_documents_compiles(block):
    """Every block is Python, with ``await`` as in a notebook."""
    compile(block, "document", "exec", flags=ALLOW_AWAIT)


def test_names_in_the_documents_exist():
    """Every attribute that a block reads or calls is one of a handle, and every keyword one it takes."""
    kinds = [Segments, Table, *(getattr(vb, name) for name in vb.__all__ if name[0].isupper())]
    fields = [field.name for kind in (Citation, SceneText) for field in dataclasses.fields(kind)]
    known = {*vb.__all__, *fields, *(name for kind in kinds for name in dir(kind)), "head"}
    keywords = _keywords(kinds)
    for block in (*fences(README), *cells("code")):
        tree = compile(block, "document", "exec", flags=ALLOW_AWAIT | ast.PyCF_ONLY_AST)
        ours = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and not _foreign(node)]
        assert {node.attr for node in ours} <= known
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Attribute) and call.func in ours:
                assert {word.arg for word in call.keywords} <= keywords, ast.unparse(call)


def test_the_readme_has_ten_lines():
    """The first example is short enough to be typed."""
    lines = [line for line in fences(README)[0].splitlines() if line]

    assert len(lines) == 10


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(document):
    """A relative link names a file of the project."""
    targets = re.findall(r"\]\(([^)#]+)[^)]*\)", document.read_text(encoding="utf-8"))
    missing = [one for one in targets if "://" not in one and not (document.parent / one).exists()]

    assert missing == []


def test_the_tour_is_short_and_clean():
    """Few cells, a title first, no outputs and no counts in the file."""
    notebook = json.loads(TOUR.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]

    assert len(notebook["cells"]) < 15
    assert notebook["cells"][0]["cell_type"] == "markdown"
    assert notebook["cells"][0]["source"][0].startswith("# ")
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []


def test_the_clip_is_attributed():
    """Author, licence and source stand beside it."""
    text = (ROOT / "notebooks" / "README.md").read_text(encoding="utf-8")

    assert [
        word for word in ("Ryan", "Junell", "Eric Steuer", "CC BY 2.5", "openboard-common") if word not in text
    ] == []


def test_no_document_names_a_place_on_a_machine():
    """What is written here is true on every machine."""
    for document in DOCUMENTS:
        assert not re.search(r"(?<![\w.])/(?:home|root|tmp|work|Users)/", document.read_text(encoding="utf-8")), (
            document
        )


def _with_actions(command: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [command, *commands(command).values()]


def _foreign(node: ast.Attribute) -> bool:
    """Whether *node* is read off a module of somebody else."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    return isinstance(root, ast.Name) and root.id == "pd"


def _keywords(kinds: list[type]) -> set[str]:
    """Every keyword that a method of *kinds* takes, the fields of configs that are passed through included."""
    named = {
        name
        for kind in kinds
        for method in vars(kind).values()
        if inspect.isfunction(method)
        for name in inspect.signature(method).parameters
    }
    return named | {flag.path[-1] for flag in flags_of(DescribeConfig)}
