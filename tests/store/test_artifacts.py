"""Files of runs: what nobody refers to goes, what is committed stays."""

from __future__ import annotations

from vidbench.contract.work import ArtifactNote, Batch
from vidbench.store.store import Store


def test_opening_removes_what_no_row_refers_to(store: Store, folder, add_file, add_run):
    """Committed files stay; files of a batch that was never committed, of unknown runs and stray files go."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"], finished=False)
    own = store.artifacts.folder(file.fingerprint, "r1")
    kept, lost = own / "pictures" / "0.jpg", own / "pictures" / "1.jpg"
    elsewhere = store.artifacts.folder("another-print", "r1") / "0.jpg"
    unknown = store.artifacts.folder(file.fingerprint, "r9") / "0.jpg"
    for path in (kept, lost, elsewhere, unknown):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"abc")
    stray = own.parent / "stray.tmp"
    stray.write_bytes(b"")
    note = ArtifactNote(kind="thumbnail", path="pictures/0.jpg", bytes=3, sha256="aa")
    store.runs.commit("r1", file.file_id, Batch(artifacts=[note]))
    store.close()

    again = Store.open(folder)
    assert [path for path in (kept, lost, elsewhere, unknown, stray) if path.exists()] == [kept]
    assert again.artifacts.usage() == {"thumbnail": 3}
    again.close()


def test_a_sweep_never_follows_a_link_out_of_the_workspace(store: Store, tmp_path):
    """A link among the artifacts is removed; what it points to is not."""
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "video.mp4").write_bytes(b"abc")
    (store.artifacts.root / "print").mkdir(parents=True)
    link = store.artifacts.root / "print" / "link"
    link.symlink_to(precious)

    assert store.artifacts.sweep() == [link]
    assert (precious / "video.mp4").exists()


def test_what_cannot_be_removed_does_not_stop_the_sweep(store: Store, monkeypatch, caplog):
    """A file that the system keeps is logged and left for the next time."""
    (store.artifacts.root / "print" / "run").mkdir(parents=True)

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("shutil.rmtree", refuse)
    assert store.artifacts.sweep() == []
    assert "cannot be removed" in caplog.text
