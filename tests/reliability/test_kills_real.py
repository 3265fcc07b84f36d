"""Killed in the middle of real work, a job goes on: what was finished stays to the byte."""

from __future__ import annotations

import av
import pytest
from killing import artifact_bytes, contents, finished_runs, run_owner

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

POINTS = {"perception": ("speech", 2), "owner": ("scene_text", 1), "language": ("summary", 2)}
"""Victim -> stage, and how many of its row events are waited for."""


@pytest.fixture(scope="session")
def opening(clip, tmp_path_factory):
    """The first forty seconds of the clip, copied packet by packet."""
    path = tmp_path_factory.mktemp("opening") / "opening.mp4"
    with av.open(str(clip)) as source, av.open(str(path), "w") as target:
        streams = {stream.index: target.add_stream_from_template(stream) for stream in source.streams}
        for packet in source.demux():
            if packet.dts is not None and packet.pts * packet.time_base < 40:
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    return path


@pytest.mark.parametrize("victim", sorted(POINTS))
def test_real_work_goes_on(victim, models_dir, opening, tmp_path):
    """SIGKILL of owner or worker with real models: finished rows are identical, finished stages are not redone."""
    environment = {"VIDBENCH_CACHE": str(tmp_path / "cache")}
    workspace = tmp_path / "workspace"
    stage, rows = POINTS[victim]

    def reached(events: list[dict]) -> bool:
        return sum(event["kind"] == "rows" and event["stage"] == stage for event in events) >= rows

    killed = run_owner(workspace, opening, when=reached, victim=victim, **environment)
    before = (contents(workspace), artifact_bytes(workspace), finished_runs(workspace)) if victim == "owner" else None
    outcome = run_owner(workspace, opening, **environment) if victim == "owner" else killed

    assert killed.killed
    assert outcome.done, outcome.errors
    assert outcome.events[-1]["attempt"] == 2
    if before is not None:
        rows_after, files_after, runs_after = contents(workspace), artifact_bytes(workspace), finished_runs(workspace)
        for table, kept in before[0].items():
            assert set(kept) <= set(rows_after[table])
        assert before[1].items() <= files_after.items()
        assert before[2].items() <= runs_after.items()
