"""The house keeps its shape: small modules, small functions, everything annotated, nothing left to do."""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "benchmarks" / "structure.py"
MODULE_LINES = 400
FUNCTION_LINES = 60


@pytest.fixture(scope="module")
def structure():
    """The script that anybody can run, as a module."""
    spec = importlib.util.spec_from_file_location("structure", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["structure"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def measured(structure):
    """The figures of this checkout."""
    return structure.measure()


def test_no_module_is_longer_than_400_lines(measured):
    """A module that grows beyond that is two."""
    assert [module.path.name for module in measured.modules if module.lines > MODULE_LINES] == []


def test_no_function_is_longer_than_60_lines(structure, measured):
    """Decorators, signature and docstring count."""
    assert [name for name, node in measured.functions if structure.length(node) > FUNCTION_LINES] == []


def test_every_function_is_annotated(measured):
    """Arguments and return values, private ones too."""
    assert measured.unannotated == []


def test_everything_public_has_a_docstring(measured):
    """Overloads show types only; all else says what it does."""
    assert measured.undocumented == []


def test_nothing_is_left_to_do(measured):
    """A TODO belongs into an issue."""
    assert sum(module.waivers[2] for module in measured.modules) == 0


def test_the_table_has_a_cell_for_every_column(structure, measured):
    """vidbench stands beside the others in the same columns."""
    assert {len(row) for row in (structure.HEAD, measured.row(), *structure.OTHERS)} == {len(structure.HEAD)}


@pytest.mark.parametrize(
    ("source", "complete"),
    [
        ("def f(self, a: int) -> int: ...", True),
        ("def f(a) -> int: ...", False),
        ("def f(a: int): ...", False),
        ("def f(*, a: int, **more) -> int: ...", False),
        ("def __init__(self, a: int): ...", True),
        ("async def f(*parts: int) -> None: ...", True),
    ],
)
def test_annotated_means_every_argument_and_the_return_value(structure, source, complete):
    """``self`` and the return value of ``__init__`` go without saying."""
    assert structure.annotated(ast.parse(source).body[0]) is complete


def test_a_module_is_measured_as_it_reads(structure, tmp_path):
    """Comments are lines, waivers are counted in comments only, nested functions are functions."""
    path = tmp_path / "module.py"
    path.write_text(
        '"""TODO in text is no TODO."""\n# TODO: a real one\n@cache\ndef f(x):  # noqa: A1\n    def g(): ...\n'
    )
    module = structure.read(path)

    assert (module.lines, module.comments, module.waivers) == (5, 2, (0, 1, 1))
    assert [(name, structure.length(node)) for name, node in module.functions] == [("f", 3), ("f._.g", 1)]
