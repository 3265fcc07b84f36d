"""A described workspace that the tests of the command line share, and ways to run commands in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from vidbench.cli import main
from vidbench.testing import fake_catalogue


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        """Its stdout, which is one JSON value and nothing else."""
        return json.loads(self.out)


@pytest.fixture(scope="session")
def environment(tmp_path_factory) -> dict[str, str]:
    """The fakes instead of models, and a cache of the tests' own."""
    return {
        "VIDBENCH_CATALOGUE": str(fake_catalogue()),
        "VIDBENCH_TIER": "fake",
        "VIDBENCH_CACHE": str(tmp_path_factory.mktemp("cache")),
        "XDG_STATE_HOME": str(tmp_path_factory.mktemp("state")),
    }


@pytest.fixture(autouse=True)
def _fakes(environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("VIDBENCH_WORKSPACE", raising=False)


@pytest.fixture
def run(capsys):
    """Run a command in this process."""

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return call


@pytest.fixture(scope="session")
def start(environment):
    """Start a command in a process of its own."""

    def call(*arguments: object, variables: dict[str, str] | None = None, **streams: int) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "vidbench.cli", *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        settings = os.environ | environment | (variables or {})
        return subprocess.Popen(command, env=settings, text=True, **(pipes | streams))

    return call


@pytest.fixture(scope="session")
def described(start, short_clip, tmp_path_factory) -> Path:
    """A workspace in which the short clip was described."""
    workspace = tmp_path_factory.mktemp("described") / "workspace"
    process = start("describe", short_clip, "--workspace", workspace)
    _, errors = process.communicate(timeout=120)

    assert process.returncode == 0, errors
    return workspace
