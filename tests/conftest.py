"""Fixtures shared by all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

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
