"""What is installed: nothing heavy on import, a whole wheel, one list of requirements."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
HEAVY = (
    "pandas", "duckdb", "numpy", "torch", "cv2", "ctranslate2", "llama_cpp", "av", "onnxruntime", "fastapi", "panel",
    "pydantic", "faster_whisper", "scenedetect", "rapidocr", "anywidget", "httpx", "rich", "huggingface_hub",
)  # fmt: skip
PIN = re.compile(r"^[a-z0-9][a-z0-9._-]*==[a-z0-9.+!-]+$")


def loaded(code: str) -> set[str]:
    """Top-level modules that are there after *code* ran in a fresh interpreter."""
    report = "import sys; print(*{name.partition('.')[0] for name in sys.modules})"
    command = [sys.executable, "-c", f"{code}\n{report}"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "code",
    [
        "import vidbench",
        "from vidbench.cli.parser import build_parser; build_parser().format_help()",
        "import contextlib, vidbench.cli as c\nwith contextlib.suppress(SystemExit): c.main(['describe', '--help'])",
    ],
    ids=["import", "parser", "help"],
)
def test_nothing_heavy_is_loaded(code):
    """``import vidbench`` and ``vidbench --help`` load no library that takes time or starts threads."""
    assert loaded(code) & set(HEAVY) == set()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this checkout, built without the network."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_three_packages_and_nothing_else(wheel):
    """No tests, no notebooks, no folder that only the checkout has."""
    with zipfile.ZipFile(wheel) as archive:
        tops = {name.partition("/")[0] for name in archive.namelist()}

    assert {top for top in tops if not top.endswith(".dist-info")} == {
        "vidbench",
        "vidbench_server",
        "vidbench_widgets",
    }


def test_the_wheel_holds_every_file_that_is_no_module(wheel):
    """Migrations, catalogue, prompts, styles, scripts and type markers lie where the code looks for them."""
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    bases = (ROOT, ROOT / "widgets", ROOT / "server")
    expected = {
        path.relative_to(base).as_posix()
        for base, package in zip(bases, ("vidbench", "vidbench_widgets", "vidbench_server"), strict=True)
        for path in (base / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }

    assert expected - inside == set()
    assert {Path(name).suffix for name in inside} >= {".sql", ".toml", ".md", ".css"}
    assert sum(name.endswith("/py.typed") for name in inside) == 3
    assert "vidbench/demo/wannaworktogether.mp4" in inside


def test_the_wheel_carries_its_licence_and_its_command(wheel):
    """Installing it gives ``vidbench``, under Apache-2.0."""
    with zipfile.ZipFile(wheel) as archive:
        texts = {
            name.partition("/")[2]: archive.read(name).decode() for name in archive.namelist() if ".dist-info/" in name
        }

    assert "License-Expression: Apache-2.0" in texts["METADATA"]
    assert "vidbench = vidbench.cli:main" in texts["entry_points.txt"]
    assert "Apache License" in texts["licenses/LICENSE"]


def test_the_wheel_works_outside_the_checkout(wheel, tmp_path):
    """Unpacked elsewhere it answers, finds its clip, its catalogue and its migrations."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    code = f"""
import sys; sys.path.insert(0, {str(tmp_path / "site")!r})
import vidbench
from importlib import resources
from vidbench.models import entries
package = resources.files("vidbench")
assert str(package).startswith({str(tmp_path)!r}), package
assert (package / "demo" / "wannaworktogether.mp4").is_file()
assert entries("tiny")
with vidbench.open({str(tmp_path / "workspace")!r}) as bench:
    print(len(bench.files))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("0")


def test_the_pins_are_pins_and_name_no_place():
    """``constraints.txt`` holds exact versions only, no address and nothing editable."""
    lines = [line for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines() if line[:1] != "#"]

    assert [line for line in lines if not PIN.match(line)] == []
    assert lines == sorted(lines)


def test_every_requirement_is_pinned_within_its_bounds():
    """What pyproject.toml asks for, constraints.txt pins, and the pin satisfies the bound."""
    pins = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:])
    pins = {_normal(name): version for name, version in pins.items()}
    asked = [Requirement(text) for group in (PROJECT["dependencies"], *_extras().values()) for text in group]

    unmet = [str(one) for one in asked if not one.specifier.contains(pins.get(_normal(one.name), "0"))]
    assert unmet == []


def test_every_requirement_has_a_lower_bound():
    """A version that was never tried is never chosen."""
    asked = [Requirement(text) for group in (PROJECT["dependencies"], *_extras().values()) for text in group]

    assert [str(one) for one in asked if not any(bound.operator == ">=" for bound in one.specifier)] == []


def test_all_means_all():
    """``[all]`` repeats no requirement and forgets no extra but that of the tests."""
    (text,) = PROJECT["optional-dependencies"]["all"]

    assert Requirement(text).extras == set(_extras()) - {"test"}


def test_a_plain_install_needs_no_compiler():
    """llama-cpp-python, which comes as source, belongs to an extra."""
    assert [text for text in PROJECT["dependencies"] if text.startswith("llama")] == []


def test_exactly_one_opencv_is_pinned():
    """Two OpenCV distributions overwrite each other's files."""
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8")

    assert re.findall(r"^opencv[a-z-]*", pins, flags=re.MULTILINE) == ["opencv-python-headless"]


def test_the_conda_environment_asks_for_the_same():
    """The bound of Python is that of pyproject.toml, and all else comes from it by pip with the same pins."""
    lines = [line.strip("- ") for line in (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()]
    (python,) = [line for line in lines if line.startswith("python")]

    assert SpecifierSet(python.removeprefix("python")) == SpecifierSet(PROJECT["requires-python"])
    assert {"pip", "c-compiler", "cxx-compiler", "e .[all]", "c constraints.txt"} <= set(lines)


def _extras() -> dict[str, list[str]]:
    return {name: group for name, group in PROJECT["optional-dependencies"].items() if name != "all"}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
