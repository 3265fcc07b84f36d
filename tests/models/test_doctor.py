"""Is this machine fit for the work?"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from importlib import metadata

import pytest
from parrot import entry_with

from vidbench.models import Check, doctor, examine, libraries
from vidbench.models.imports import DISTRIBUTIONS
from vidbench.models.libraries import import_all


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Make modules that an import helper finds; returns how."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        return name

    return write


def test_this_machine(monkeypatch):
    """Here every library imports, tools are there, and the missing models say how to get them."""
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    checks = {check.name: check for check in examine()}
    assert set(DISTRIBUTIONS) <= set(checks)
    for name in (
        "python",
        "python3-venv",
        "compiler",
        "make",
        "one opencv",
        "sqlite fts5",
        "cv2",
        "av",
        "duckdb",
    ):
        assert checks[name].ok, checks[name]
    assert "gpus=" in checks["ctranslate2"].detail
    assert "build:" in checks["llama_cpp"].detail
    assert checks["model: scene_text"].ok
    assert not checks["model: speech"].ok
    assert checks["model: speech"].remedy == "Run: vidbench models pull whisper-base"
    assert all(bool(check.remedy) != check.ok for check in checks.values())


def test_a_library_that_kills_its_process_takes_no_other_along(module):
    """The ones before and after it are still examined."""
    module("bad_bird", "import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    found = {library.name: library for library in import_all(["json", "bad_bird", "decimal"])}
    assert found["json"].ok
    assert found["decimal"].ok
    assert found["bad_bird"].detail == "died of SIGSEGV"


def test_an_illegal_instruction_is_called_by_its_cause(module):
    """SIGILL means that the wheel was built for another processor; the remedy builds it here."""
    module("llama_bird", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    (library,) = import_all(["llama_bird"])
    assert "built for another processor" in library.detail
    assert library.remedy == ("Run: pip install --no-binary llama_bird --force-reinstall --no-cache-dir llama_bird")


def test_an_absent_and_a_broken_library_are_told_apart(module):
    """One is to be installed, the other says what it lacks."""
    module("torn_bird", "raise ImportError('libGL.so.1: cannot open shared object file')")
    absent, torn = import_all(["no_such_bird", "torn_bird"])
    assert absent.detail == "not installed (no_such_bird)"
    assert "libGL.so.1" in torn.detail
    assert torn.remedy.endswith("torn_bird")


def test_what_a_library_prints_does_not_confuse(module):
    """Only whole JSON lines are taken."""
    module("loud_bird", "print('{not json'); print('hello')")
    (library,) = import_all(["loud_bird"])
    assert library.ok


def test_a_library_that_hangs_is_left(module, monkeypatch):
    """A hanging import is reported after its time."""
    monkeypatch.setattr(libraries, "SECONDS", 1.0)
    module("slow_bird", "import time; time.sleep(60)")
    (library,) = import_all(["slow_bird"])
    assert "not done after 1 s" in library.detail


def test_a_library_that_ends_the_process_is_reported(module):
    """sys.exit during an import is a failure of that library."""
    module("leaving_bird", "import os; os._exit(3)")
    (library,) = import_all(["leaving_bird"])
    assert library.detail == "exit code 3"


@pytest.mark.parametrize(
    ("check", "remedy"),
    [
        (doctor.compiler, "Run: sudo apt install build-essential"),
        (doctor.make, "Run: sudo apt install make"),
    ],
)
def test_a_missing_tool_gets_one_line(check, remedy, monkeypatch):
    """On Debian and its kin the line is an apt command."""
    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    assert check().remedy == remedy


@pytest.mark.parametrize(
    ("platform", "conda", "remedy"),
    [
        ("linux", "/opt/conda", "Run: conda install -c conda-forge make"),
        ("darwin", "", "Run: xcode-select --install"),
        ("linux", "", "Install it with the system's package manager"),
    ],
)
def test_the_remedy_fits_the_machine(platform, conda, remedy, monkeypatch):
    """conda, macOS and other systems have their own lines."""
    monkeypatch.setenv("CONDA_PREFIX", conda)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    assert doctor.make().remedy.startswith(remedy)


def test_a_missing_venv_is_noticed(monkeypatch):
    """Debian ships ensurepip apart from Python."""
    import importlib.util

    monkeypatch.delenv("CONDA_PREFIX", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "ensurepip" else name)
    check = doctor.venv()
    assert not check.ok
    assert "venv" in check.remedy


def test_two_opencvs_are_one_too_many(monkeypatch):
    """The remedy removes all and installs the headless one."""
    versions = {"opencv-python": "4.14", "opencv-python-headless": "5.0"}

    def version(name):
        if name not in versions:
            raise metadata.PackageNotFoundError(name)
        return versions[name]

    monkeypatch.setattr(metadata, "version", version)
    check = doctor.opencv()
    assert not check.ok
    assert check.detail == "opencv-python 4.14, opencv-python-headless 5.0"
    assert check.remedy.endswith("pip install opencv-python-headless")


def test_little_memory_and_disk_are_noticed(monkeypatch):
    """Each says what there is and what helps."""
    import psutil

    memory = psutil.virtual_memory()._replace(total=2**30)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: memory)
    assert "4 GiB" in doctor.hardware().remedy
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: shutil._ntuple_diskusage(10**9, 10**9, 10**6))
    assert "VIDBENCH_MODELS" in doctor.disk().remedy


def test_a_silent_network_matters_only_where_models_are_missing(monkeypatch):
    """With the tiny models here the network is no fault."""
    checks = doctor.network()
    assert [check.ok for check in checks] == [False, False]
    assert all("does not answer" in check.detail for check in checks)
    monkeypatch.setattr(doctor.choosing, "is_present", lambda _entry: True)
    assert all(check.ok for check in doctor.network())


def test_an_index_that_answers_is_enough(index):
    """The hub is down, the index gives the tiny models."""
    hub, found = doctor.network()
    assert hub.ok
    assert found == Check(name="package index", ok=True, detail="answers")


def test_a_model_is_shown_with_publisher_licence_and_checksum(monkeypatch, tmp_path):
    """The CLI shows who made what is about to run."""
    entry = entry_with()
    monkeypatch.setattr(doctor.choosing, "choose", lambda _role: entry)
    monkeypatch.setattr(doctor.choosing, "is_whole", lambda _entry: True)
    (check, *_) = doctor.models()
    assert check.ok
    for part in ("parrot (small)", "a parrot", "MIT", entry.checksum):
        assert part in check.detail


def test_the_helper_runs_by_itself():
    """python -m vidbench.models.imports prints a line before and after each import."""
    command = [sys.executable, "-m", "vidbench.models.imports", "json"]
    output = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ).stdout
    assert output.splitlines()[0] == '{"trying": "json"}'
    assert '"ok": true' in output.splitlines()[1]
    assert signal.SIGILL == 4
