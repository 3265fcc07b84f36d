"""One file over HTTP."""

from __future__ import annotations

import errno
import time
from pathlib import Path

import httpx
import pytest
from parrot import TOKENS, WEIGHTS, git_blob, sha256

from vidbench.errors import StoreError
from vidbench.models.download import Damaged, Remote, Unavailable, answers, download, onward, shown


@pytest.fixture
def client():
    with httpx.Client(follow_redirects=True) as made:
        yield made


@pytest.fixture
def remote(server):
    server.files["/w"] = WEIGHTS
    return Remote(url=f"{server.url}/w", sha256=sha256(WEIGHTS), bytes=len(WEIGHTS))


def test_brings_the_file_and_reports_every_byte(remote, client, tmp_path):
    """A whole download leaves the file, no part, and a progress that ends at its size."""
    seen = []
    found = download(remote, tmp_path / "w", client=client, progress=lambda *now: seen.append(now))
    assert found == sha256(WEIGHTS)
    assert (tmp_path / "w").read_bytes() == WEIGHTS
    assert [path.name for path in tmp_path.iterdir()] == ["w"]
    assert seen[-1] == (len(WEIGHTS), len(WEIGHTS))


def test_goes_on_where_the_connection_broke(server, remote, client, tmp_path):
    """A dropped connection is followed by a request for the missing bytes only."""
    server.cut["/w"] = 100_000
    download(remote, tmp_path / "w", client=client)
    assert (tmp_path / "w").read_bytes() == WEIGHTS
    assert server.gets("/w") == ["", "bytes=100000-"]
    assert server.sent == len(WEIGHTS)


def test_goes_on_with_the_part_of_an_earlier_process(server, remote, client, tmp_path):
    """What a killed process left is not asked for again."""
    (tmp_path / "w.part").write_bytes(WEIGHTS[:300_000])
    download(remote, tmp_path / "w", client=client)
    assert server.gets("/w") == ["bytes=300000-"]
    assert server.sent == len(WEIGHTS) - 300_000


def test_a_complete_part_needs_no_request(server, remote, client, tmp_path):
    """A process killed between the last byte and the rename costs nothing."""
    (tmp_path / "w.part").write_bytes(WEIGHTS)
    download(remote, tmp_path / "w", client=client)
    assert server.asked == []


def test_starts_anew_where_the_server_ignores_ranges(server, remote, client, tmp_path):
    """A server that answers 200 to a Range request sends the whole file, which replaces the part."""
    server.ranges = False
    (tmp_path / "w.part").write_bytes(WEIGHTS[:1000])
    download(remote, tmp_path / "w", client=client)
    assert (tmp_path / "w").read_bytes() == WEIGHTS


def test_starts_anew_where_no_checksum_could_tell_halves_apart(server, client, tmp_path):
    """Without a SHA-256 a part is thrown away."""
    server.files["/t"] = TOKENS
    (tmp_path / "t.part").write_bytes(b"{")
    remote = Remote(url=f"{server.url}/t", git_blob=git_blob(TOKENS))
    assert download(remote, tmp_path / "t", client=client) == sha256(TOKENS)
    assert server.gets("/t") == [""]


def test_a_part_longer_than_the_file_is_thrown_away(server, client, tmp_path):
    """416 means that the part cannot be of this file."""
    server.files["/w"] = WEIGHTS
    (tmp_path / "w.part").write_bytes(WEIGHTS + b"more")
    remote = Remote(url=f"{server.url}/w", sha256=sha256(WEIGHTS))
    download(remote, tmp_path / "w", client=client)
    assert server.gets("/w") == [f"bytes={len(WEIGHTS) + 4}-", ""]


def test_a_wrong_checksum_deletes_the_part_and_says_both(server, remote, client, tmp_path):
    """What is not the promised file leaves nothing behind."""
    server.files["/w"] = WEIGHTS[::-1]
    with pytest.raises(Damaged, match=f"expected SHA-256 {remote.sha256}, got {sha256(WEIGHTS[::-1])}"):
        download(remote, tmp_path / "w", client=client)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_git_blob_is_damage(server, client, tmp_path):
    """Small files of a hub are held against their Git id."""
    server.files["/t"] = TOKENS
    remote = Remote(url=f"{server.url}/t", git_blob=git_blob(b"other"))
    with pytest.raises(Damaged, match="expected Git blob"):
        download(remote, tmp_path / "t", client=client)


def test_stops_reading_what_is_longer_than_promised(server, client, tmp_path):
    """A server cannot fill the disk with a file whose size is known."""
    server.files["/w"] = bytes(20_000_000)
    remote = Remote(url=f"{server.url}/w", sha256=sha256(TOKENS), bytes=len(TOKENS))
    with pytest.raises(Damaged):
        download(remote, tmp_path / "w", client=client)
    assert list(tmp_path.iterdir()) == []


def test_asks_again_when_the_server_stumbles(server, remote, client, tmp_path):
    """A 503 and a 429 are worth another attempt."""
    server.status["/w"] = [503, 429]
    download(remote, tmp_path / "w", client=client)
    assert len(server.gets("/w")) == 3


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_gives_up_at_once_where_asking_again_is_no_use(server, remote, client, tmp_path, status):
    """A refusal is final and named."""
    server.status["/w"] = [status]
    with pytest.raises(Unavailable, match=f"answered {status}"):
        download(remote, tmp_path / "w", client=client)
    assert len(server.gets("/w")) == 1


def test_gives_up_after_four_attempts_and_keeps_the_part(server, remote, client, tmp_path):
    """The part of a hopeless download waits for the next pull."""
    server.status["/w"] = [500, 500, 500, 500]
    (tmp_path / "w.part").write_bytes(WEIGHTS[:10])
    with pytest.raises(Unavailable, match="answered 500, 4 times"):
        download(remote, tmp_path / "w", client=client)
    assert (tmp_path / "w.part").read_bytes() == WEIGHTS[:10]


def test_a_full_disk_is_a_store_error(remote, client, tmp_path, monkeypatch):
    """No space left is said with the path and what to do."""

    def full(*_args, **_options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "open", full)
    with pytest.raises(StoreError, match=r"w\.part cannot be written: No space left.*VIDBENCH_MODELS"):
        download(remote, tmp_path / "w", client=client)


def test_answers_is_empty_for_anything_that_answers(server, client):
    """Even a 404 is an answer."""
    assert answers(f"{server.url}/nothing", client=client) == ""


def test_answers_gives_up_when_its_time_is_over(client, monkeypatch):
    """A look-up that hangs is left behind."""
    monkeypatch.setattr(client, "head", lambda *_args, **_options: time.sleep(5))
    start = time.monotonic()
    assert "did not answer in 0.2 seconds" in answers("http://hub.invalid", seconds=0.2, client=client)
    assert time.monotonic() - start < 1


def test_answers_says_what_went_wrong(client):
    """A refused connection is a reason, without the password of the address."""
    reason = answers("http://me:secret@127.0.0.1:9/", client=client)
    assert "http://127.0.0.1:9/ does not answer" in reason
    assert "secret" not in reason


def test_shown_hides_what_is_nobodys_business():
    """User, password, query and fragment are not printed."""
    assert shown("https://u:p@x.example/a/b?sig=1#f") == "https://x.example/a/b"


def test_onward_never_runs_past_the_whole():
    """A wheel is a little larger or smaller than what it carries; the bar stays within its frame."""
    seen = []
    onward(lambda *now: seen.append(now), 90, 100)(20, 20)
    assert seen == [(100, 100)]
