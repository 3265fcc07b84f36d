"""Files and the places where they lie."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vidbench.errors import InvalidInput, NotFound
from vidbench.store.store import Store


def test_a_file_comes_back_as_it_went_in(store: Store, add_file):
    """Record and facts survive the store unchanged, and adding again changes nothing."""
    record = add_file("talk.mp4", duration_seconds=12.5)
    store.files.add(record)

    assert store.files.get(record.file_id) == record
    assert store.files.list() == (record,)


def test_a_file_is_found_by_id_path_and_name(store: Store, add_file):
    """Each of the three names leads to the file."""
    record = add_file("talk.mp4")
    add_file("other.mp4")

    for name in (record.file_id, record.path, record.filename):
        assert store.files.find(name) == record


def test_a_relative_path_is_read_from_the_working_folder(store: Store, add_file, monkeypatch, tmp_path):
    """`find("clips/a.mp4")` means the file below the current folder."""
    record = add_file("a.mp4", path=str(tmp_path / "clips" / "a.mp4"))
    add_file("a.mp4", path="/elsewhere/a.mp4")
    monkeypatch.chdir(tmp_path)

    assert store.files.find("clips/a.mp4") == record


def test_a_name_that_several_files_have_is_refused(store: Store, add_file):
    """The error names every candidate's path; the path itself still finds one."""
    add_file("a.mp4", path="/one/a.mp4")
    second = add_file("a.mp4", path="/two/a.mp4")

    with pytest.raises(InvalidInput, match=r"2 files.*/one/a\.mp4, /two/a\.mp4"):
        store.files.find("a.mp4")
    assert store.files.find("/two/a.mp4") == second


def test_an_unknown_name_is_told_the_closest(store: Store, add_file):
    """A typing error gets the right name; something else gets the verb that adds files."""
    add_file("keynote.mp4")

    with pytest.raises(NotFound, match=r"Did you mean keynote\.mp4"):
        store.files.find("keynot.mp4")
    with pytest.raises(NotFound, match=r"bench\.add"):
        store.files.find("x")


def test_a_path_belongs_to_what_was_seen_there_last(store: Store, add_file):
    """New content at a path takes the path over; the old file is still there, by id, without a place."""
    old = add_file("a.mp4", path="/videos/a.mp4")
    new = add_file("b.mp4", path="/videos/b.mp4")
    store.files.seen(new.file_id, "/videos/a.mp4", 1000, 7)

    assert store.files.find("/videos/a.mp4").file_id == new.file_id
    assert store.files.get(old.file_id).path == ""
    assert store.files.modified(new.file_id, "/videos/a.mp4") == 7


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.text(st.characters(), max_size=40))
def test_any_text_may_be_asked_for(store: Store, name: str):
    """Whatever is typed, an unknown file is NotFound and never a fault of the store."""
    with pytest.raises(NotFound):
        store.files.find(name)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(name=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=30))
def test_any_filename_is_found_again(store: Store, add_file, name: str):
    """A file of any name is found by exactly that name, unless the name is another file's too."""
    record = add_file(name, path=f"/videos/{len(store.files.list())}/{name}")
    try:
        found = store.files.find(name)
    except InvalidInput:
        assert sum(one.filename == name for one in store.files.list()) > 1
    else:
        assert found.filename == name
        assert found == record
