"""The structure of vidbench in figures, beside those of projects it looks up to.

Run ``python benchmarks/structure.py``. Every figure of vidbench is read off its syntax tree, so anybody gets the same.
The other projects' figures were taken by a script of the same kind, from snapshots of 2025-10 to 2026-08; they are
quoted here, not computed.

A module is a ``.py`` file that is not empty. A function's length counts decorators, signature and docstring. It is
fully annotated when all its arguments (but self and cls) and its return value are; ``__init__`` needs no return value.
Public is what has no name part that begins with an underscore.
"""

from __future__ import annotations

import ast
import io
import json
import re
import statistics
import sys
import tokenize
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("vidbench", "widgets/vidbench_widgets", "server/vidbench_server")

Function = ast.FunctionDef | ast.AsyncFunctionDef

HEAD = (
    "project",
    "modules",
    "lines",
    "module lines median / max",
    "function lines median / p90 / max",
    "annotated",
    "with docstring",
    "comments / 100 lines",
    "type-ignore / noqa / TODO per 1000 lines",
    "test lines : code",
)
OTHERS = (
    ("anywidget", "8", "1.6k", "108 / 756", "8 / 35 / 55", "99 %", "76 %", "9.8", "9.8 / 16.5 / 4.3", "0.75"),
    ("quak", "3", "0.3k", "109 / 119", "8 / 35 / 35", "71 %", "93 %", "7.3", "-", "none"),
    ("lonboard", "89", "13.9k", "120 / 738", "13 / 53 / 145", "99 %", "50 %", "4.4", "3.5 / 2.8 / 0.8", "0.30"),
    ("svcs", "8", "2.6k", "273 / 1199", "10 / 30 / 95", "100 %", "45 %", "3.1", "4.2 / 3.1 / 0", "1.37"),
    ("stamina", "10", "1.5k", "54 / 913", "8 / 28 / 184", "100 %", "55 %", "4.6", "7.9 / 7.9 / 0", "1.57"),
    ("pooch", "7", "3.2k", "354 / 1227", "27 / 54 / 223", "27 %", "100 %", "6.4", "1.6 / 6.2 / 0", "0.71"),
    ("zarr-python 3", "67", "18.7k", "150 / 1756", "10 / 30 / 217", "100 %", "47 %", "4.7", "3.3 / 0.2 / 2.2", "1.87"),
    ("httpx", "23", "8.8k", "248 / 2019", "9 / 34 / 133", "100 %", "48 %", "5.1", "1.4 / 1.1 / 0.1", "1.01"),
    ("llm", "19", "16.1k", "182 / 4306", "11 / 57 / 463", "38 %", "51 %", "5.1", "0.5 / 0.7 / 0", "1.16"),
    ("sqlite-utils", "10", "11.2k", "130 / 5547", "13 / 75 / 482", "66 %", "77 %", "3.4", "-", "1.47"),
    ("PySceneDetect", "34", "12.1k", "243 / 1849", "9 / 46 / 184", "73 %", "69 %", "9.7", "0.5 / 0.7 / 4.1", "0.55"),
    ("outlines", "46", "11.5k", "226 / 1021", "13 / 41 / 117", "67 %", "61 %", "3.2", "5.6 / 0.2 / 0.4", "1.21"),
    ("faster-whisper", "9", "3.1k", "152 / 1941", "13 / 129 / 325", "67 %", "27 %", "3.1", "0 / 0 / 0", "0.15"),
    ("supervision", "75", "26.7k", "175 / 3035", "24 / 68 / 437", "86 %", "69 %", "1.2", "0.1 / 1.1 / 0", "0.43"),
    ("jupyter-scatter", "45", "13.5k", "67 / 5616", "9 / 75 / 489", "28 %", "46 %", "3.9", "-", "0.44"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Module:
    """One file's figures.

    Attributes:
        path: where it lies.
        lines: all its lines.
        functions: each function's qualified name and node.
        comments: lines that hold a comment.
        waivers: how often ``type: ignore``, ``noqa`` and TODO or FIXME stand in comments.
    """

    path: Path
    lines: int
    functions: tuple[tuple[str, Function], ...]
    comments: int
    waivers: tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """The figures of a code base.

    Attributes:
        modules: its modules.
        test_lines: lines of its tests.
    """

    modules: tuple[Module, ...]
    test_lines: int

    @property
    def lines(self) -> int:
        """Lines of code, comments and blanks included."""
        return sum(module.lines for module in self.modules)

    @property
    def functions(self) -> list[tuple[str, Function]]:
        """Every function by its full name."""
        return [(f"{module.path.stem}.{name}", node) for module in self.modules for name, node in module.functions]

    @property
    def unannotated(self) -> list[str]:
        """Names of functions that are not fully annotated."""
        return [name for name, node in self.functions if not annotated(node)]

    @property
    def undocumented(self) -> list[str]:
        """Names of public functions without a docstring."""
        return [name for name, node in _public(self.functions) if not ast.get_docstring(node)]

    def row(self) -> tuple[str, ...]:
        """The figures as a line of the table."""
        sizes = sorted(module.lines for module in self.modules)
        lengths = sorted(length(node) for _, node in self.functions)
        waivers = [
            1000 * sum(column) / self.lines for column in zip(*(one.waivers for one in self.modules), strict=True)
        ]
        comments = 100 * sum(module.comments for module in self.modules) / self.lines
        return (
            "vidbench",
            f"{len(sizes)}",
            f"{self.lines / 1000:.1f}k",
            f"{statistics.median(sizes):.0f} / {sizes[-1]}",
            f"{statistics.median(lengths):.0f} / {lengths[int(0.9 * len(lengths))]} / {lengths[-1]}",
            _share(len(self.unannotated), len(self.functions)),
            _share(len(self.undocumented), len(_public(self.functions))),
            f"{comments:.1f}",
            " / ".join(f"{value:.1f}" for value in waivers),
            f"{self.test_lines / self.lines:.2f}",
        )


def measure(root: Path = ROOT) -> Structure:
    """The figures of the vidbench checkout at *root*."""
    files = sorted(path for package in PACKAGES for path in (root / package).rglob("*.py"))
    modules = tuple(read(path) for path in files if path.stat().st_size)
    tests = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (root / "tests").rglob("*.py"))
    return Structure(modules=modules, test_lines=tests)


def read(path: Path) -> Module:
    """One module's figures."""
    text = path.read_text(encoding="utf-8")
    comments = [
        token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT
    ]
    said = [token.string for token in comments]
    return Module(
        path=path,
        lines=len(text.splitlines()),
        functions=tuple(_functions(ast.parse(text))),
        comments=len({token.start[0] for token in comments}),
        waivers=(_count("type: ignore", said), _count("noqa", said), _count(r"\b(?:TODO|FIXME|XXX)\b", said)),
    )


def length(node: Function) -> int:
    """Lines of a function, decorators included."""
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return (node.end_lineno or first) - first + 1


def annotated(node: Function) -> bool:
    """Whether every argument and the return value have a type."""
    names = node.args
    given = [*names.posonlyargs, *names.args, *names.kwonlyargs, *filter(None, (names.vararg, names.kwarg))]
    return all(one.annotation or one.arg in {"self", "cls"} for one in given) and (
        node.returns is not None or node.name == "__init__"
    )


def _functions(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, Function]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield f"{prefix}{node.name}", node
            yield from _functions(node, f"{prefix}{node.name}._.")
        else:
            yield from _functions(node, f"{prefix}{node.name}." if isinstance(node, ast.ClassDef) else prefix)


def _public(functions: Iterable[tuple[str, Function]]) -> list[tuple[str, Function]]:
    return [(name, node) for name, node in functions if not any(part.startswith("_") for part in name.split("."))]


def _count(pattern: str, comments: Iterable[str]) -> int:
    return sum(len(re.findall(pattern, comment)) for comment in comments)


def _share(missing: int, total: int) -> str:
    """What is not missing of *total*, in per cent, rounded down so that 100 means all."""
    return f"{100 * (total - missing) // total} %"


def main() -> None:
    """Print the table, or the figures as JSON with ``--json``."""
    row = measure().row()
    if "--json" in sys.argv:
        print(json.dumps(dict(zip(HEAD, row, strict=True)), indent=2))
        return
    for cells in (HEAD, tuple("---" for _ in HEAD), row, *OTHERS):
        print("| " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
