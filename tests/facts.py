"""Facts of a file that does not exist."""

from vidbench.contract.media import MediaFacts


def make_facts(**changes) -> MediaFacts:
    """A minute of ordinary video with sound, but for *changes*."""
    facts = {
        "media_type": "video",
        "container": "mov,mp4",
        "duration_seconds": 60.0,
        "origin": "0",
        "video_index": 0,
        "audio_index": 1,
        "width": 640,
        "height": 360,
        "rotation": 0,
        "pixel_aspect": "1",
        "frame_rate": "25",
        "variable_frame_rate": False,
        "has_audio": True,
        "video_codec": "h264",
        "audio_codec": "aac",
        "audio_offset": 0.0,
        "browser_playable": True,
        "why_not_playable": "",
        "streams": (),
    }
    return MediaFacts(**(facts | changes))
