"""Killed at any point of a describe, a job goes on and ends as if nothing had happened."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import artifact_bytes, contents, finished_runs, run_owner

SLOW = {"VIDBENCH_FAKE_DELAY": "0.02"}
POINTS = (2, 4, 7, 9, 11, 14, 16, 19, 21, 24)
"""Ten events of a describe, from the first on: they fall into every stage."""


@pytest.fixture(scope="session")
def undisturbed(short_clip: Path, tmp_path_factory: pytest.TempPathFactory):
    """Rows and artifacts of a describe that nobody disturbed."""
    workspace = tmp_path_factory.mktemp("undisturbed")
    outcome = run_owner(workspace, short_clip, **fake_environment(workspace), **SLOW)
    assert outcome.done, outcome.errors
    return contents(workspace), artifact_bytes(workspace), len(outcome.events)


def fake_environment(folder: Path) -> dict[str, str]:
    """The fakes, and a search index beside the workspace."""
    from vidbench.testing import fake_catalogue

    return {
        "VIDBENCH_CATALOGUE": str(fake_catalogue()),
        "VIDBENCH_TIER": "fake",
        "VIDBENCH_CACHE": str(folder) + "-cache",
    }


def test_ten_points_fall_into_every_stage(undisturbed):
    """The chosen points lie within the describe."""
    assert undisturbed[2] > max(POINTS)


EVERYWHERE = [
    pytest.param(victim, point, marks=[] if victim == "owner" or point in POINTS[::4] else [pytest.mark.torture])
    for victim in ("owner", "perception", "language")
    for point in POINTS
]
"""The owner at all ten points, the workers at three; the torture sweep kills them at all ten, too."""


@pytest.mark.parametrize(("victim", "point"), EVERYWHERE)
def test_killed_job_goes_on(victim, point, undisturbed, short_clip, tmp_path):
    """SIGKILL of owner or worker: reopened and resumed, nothing finished is redone, the result is identical."""
    environment = fake_environment(tmp_path) | SLOW
    killed = run_owner(tmp_path, short_clip, when=lambda events: len(events) >= point, victim=victim, **environment)
    before = finished_runs(tmp_path) if victim == "owner" else {}
    outcome = killed if victim != "owner" else run_owner(tmp_path, short_clip, **environment)

    assert killed.killed
    assert outcome.done, outcome.errors
    assert outcome.events[-1]["attempt"] == 2
    rows, artifacts, _ = undisturbed
    assert contents(tmp_path) == rows
    assert artifact_bytes(tmp_path) == artifacts
    after = finished_runs(tmp_path)
    assert {run: after[run] for run in before} == before
