"""The progress widget."""

from __future__ import annotations

import asyncio

import vidbench as vb
from vidbench_widgets import JobProgress


def test_the_widget_follows_its_job_to_the_end(tmp_path, fakes, short_clip):
    """Bar, caption and button show where the job stands, without blocking the loop."""

    async def watch() -> JobProgress:
        widget = JobProgress(vb.open(tmp_path).add(short_clip).describe())
        assert widget.following is not None
        await asyncio.wait_for(widget.following, 60)
        return widget

    widget = asyncio.run(watch())
    bar, label, button = widget.children
    vb.open(tmp_path).close()

    assert bar.value == 1.0
    assert bar.bar_style == "success"
    assert label.value == "short.mp4: completed"
    assert button.disabled
