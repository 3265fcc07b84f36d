"""The demo, with the fakes: what it prints, and the picture it can make of it."""

from __future__ import annotations


def test_the_demo_prints_everything_it_promises(run, described, short_clip, tmp_path):
    """Segments, transcript, scene text, answers, SQL, the seconds of each stage, and where to go on."""
    picture = tmp_path / "demo.svg"
    ran = run("demo", short_clip, "--workspace", described, "--svg", picture)
    headings = ("Segments", "Transcript", "Scene text", "Q: ", "A: ", "SQL", "Seconds", "make lab")

    assert ran.code == 0
    assert [heading for heading in headings if heading not in ran.out] == []
    assert "scan" in ran.out.rpartition("Seconds")[2]
    assert picture.read_text(encoding="utf-8").startswith("<svg")


def test_the_picture_fetches_nothing(run, described, short_clip, tmp_path):
    """Whoever looks at it asks no other machine for fonts."""
    picture = tmp_path / "demo.svg"
    run("demo", short_clip, "--workspace", described, "--svg", picture)
    text = picture.read_text(encoding="utf-8")

    assert "@font-face" not in text
    assert "url(http" not in text


def test_a_clip_that_is_not_there_is_named(run, tmp_path):
    """A misspelt path is one line."""
    ran = run("demo", tmp_path / "nowhere.mp4", "--workspace", tmp_path / "w")

    assert ran.code in {1, 2}
    assert "nowhere.mp4" in ran.err
    assert len(ran.err.splitlines()) == 1


def test_the_bundled_clip_is_found_in_a_checkout(clip):
    """Beside the package where it is not inside it."""
    from vidbench.cli.commands.demo import _clip

    assert _clip(None) == clip
