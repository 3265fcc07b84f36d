"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from make_clip import make_clip

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def clip() -> Path:
    """The project's own clip."""
    return ROOT / "notebooks" / "wannaworktogether.mp4"


@pytest.fixture(scope="session")
def shared_media() -> Path:
    """A folder of real clips and odd files; the only place that says where it may lie."""
    folder = Path(os.environ.get("VIDBENCH_TEST_MEDIA", ROOT.parent / "shared" / "media"))
    if not folder.is_dir():
        pytest.skip("no test media: set VIDBENCH_TEST_MEDIA to a folder that holds them")
    return folder


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The tiny models, pulled on first use."""
    from vidbench.models import pull_tier

    return pull_tier("tiny")


@pytest.fixture(scope="session")
def short_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-four seconds made for the tests: four scenes and a tone."""
    return make_clip(tmp_path_factory.mktemp("clip") / "short.mp4")


@pytest.fixture
def fakes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The deterministic fakes instead of models, and a search index of the test's own."""
    from vidbench.testing import fake_catalogue

    monkeypatch.setenv("VIDBENCH_CATALOGUE", str(fake_catalogue()))
    monkeypatch.setenv("VIDBENCH_TIER", "fake")
    monkeypatch.setenv("VIDBENCH_CACHE", str(tmp_path / "cache"))
