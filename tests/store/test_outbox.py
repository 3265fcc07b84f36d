"""The outbox: what the index has to learn."""

from __future__ import annotations

from vidbench.store.store import Store


def test_entries_come_in_order_behind_the_watermark(store: Store, add_file, add_run):
    """Each finished run that is indexed leaves one entry; what the index has seen is left out."""
    for number in range(3):
        add_run(f"r{number}", add_file(f"{number}.mp4").file_id, ["one"])
    everything = store.outbox.pending(0)

    assert [entry.run_id for entry in everything] == ["r0", "r1", "r2"]
    assert store.outbox.pending(everything[1].seq) == everything[2:]
    assert store.outbox.pending(everything[-1].seq) == []


def test_only_the_last_run_of_a_file_has_to_be_learned(store: Store, add_file, add_run):
    """A later entry of the same file replaces the earlier one."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"])
    add_run("r2", file.file_id, ["two"])

    assert [entry.run_id for entry in store.outbox.pending(0)] == ["r2"]


def test_an_index_ahead_of_the_store_gets_everything_again(store: Store, add_file, add_run):
    """Where an older copy of the store was put back, the watermark means nothing and nothing is skipped."""
    add_run("r1", add_file("a.mp4").file_id, ["one"])

    assert [entry.run_id for entry in store.outbox.pending(1000)] == ["r1"]


def test_numbers_are_never_given_twice(store: Store, folder, add_file, add_run):
    """After reopening, new entries have higher numbers than any before."""
    add_run("r1", add_file("a.mp4").file_id, ["one"])
    before = store.outbox.pending(0)[-1].seq
    store.close()
    again = Store.open(folder)
    again.runs.begin("r2", "file-of-/videos/a.mp4", "speech", "k", {}, {})
    again.runs.complete("r2", {}, 1.0, make_current=("speech",), index=True)

    assert again.outbox.pending(before)[0].seq > before
    again.close()
