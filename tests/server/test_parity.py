"""The engine behind the endpoint, asked over HTTP, answers as it does when asked directly."""

from __future__ import annotations

import datetime as dt
import inspect
import time
import uuid
from decimal import Decimal
from typing import Any

import pandas as pd
import pytest

from vidbench import errors
from vidbench.contract.calls import CALLS
from vidbench.contract.collections import CollectionConfig
from vidbench.contract.engine import Engine
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig
from vidbench.remote import RemoteEngine

# DuckDB 2.0 with pandas 3.1, where a result holds times with a zone.
pytestmark = pytest.mark.filterwarnings("ignore:The inplace keyword in DataFrame.drop")

RETUNED = SegmentationConfig(strategy="shot-detector", shot_detector_config=ShotDetectorConfig(threshold=31.5))
ARGUMENTS: dict[str, dict[str, Any]] = {
    "info": {},
    "add_file": {"path": "/talks/ü talk.mp4"},
    "list_files": {},
    "get_file": {"name": "ta/lk?.mp4"},
    "submit": {"operation": "describe", "subject_id": "f1", "config": {"enable_speech": False}},
    "get_job": {"job_id": "j1"},
    "list_jobs": {},
    "wait_events": {"job_id": "j1", "after": 4, "timeout": 0.0},
    "cancel_job": {"job_id": "j1"},
    "read_rows": {"file_id": "f1", "table": "speech", "job_id": "j1"},
    "get_describe": {"job_id": "j1"},
    "current_describe": {"file_id": "f1"},
    "get_segmentation": {"segmentation_id": "s1", "limit": 7, "offset": 3},
    "retune": {"segmentation_id": "s1", "config": RETUNED},
    "list_collections": {},
    "create_collection": {"config": CollectionConfig(name="talks")},
    "get_collection": {"name": "talks"},
    "add_to_collection": {"collection_id": "c1", "file_ids": ("f1", "f2")},
    "get_chat": {"chat_id": "h1"},
    "list_chats": {"collection_id": "c1", "limit": 3},
    "list_models": {},
    "thumbnail": {"file_id": "f1", "seconds": 1.5},
}


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"query"}))
def test_answers_are_equal(name, engine, remote):
    """Every call gives the very object that the engine gives, and the engine sees the same arguments."""
    direct = getattr(engine, name)(**ARGUMENTS[name])
    distant = getattr(remote, name)(**ARGUMENTS[name])

    assert direct == distant
    assert type(direct) is type(distant)
    assert engine.asked[0] == engine.asked[1]


def test_every_method_is_there():
    """RemoteEngine has each method of Engine, with its parameters, defaults and docstring's first line."""
    for name, method in vars(Engine).items():
        if name.startswith("_"):
            continue
        mine = getattr(RemoteEngine, name)

        assert mine.__doc__
        if name in {"wait_events", "query"}:
            assert inspect.signature(mine).parameters.keys() == inspect.signature(method).parameters.keys()
            assert mine.__doc__.splitlines()[0] == method.__doc__.splitlines()[0]
        elif name != "close":
            assert name in CALLS
            assert mine.__doc__ == method.__doc__


def test_closing_the_remote_leaves_the_engine_open(engine, url, token):
    """A client that lets go does not close the owner's engine."""
    RemoteEngine(url, token).close()

    assert engine.asked == []


def test_errors_cross_whole(engine, remote, family):
    """Each class of the family arrives as itself, with message, hint, field and file."""
    for kind in family:
        engine.raises = kind("no «x»", hint="Do y.", field="config.z", file="/a b.mp4")

        with pytest.raises(errors.VidbenchError) as caught:
            remote.get_job(job_id="j")

        assert type(caught.value) is kind
        assert vars(caught.value) == vars(engine.raises)


def test_wrong_arguments_are_refused_before_sending(engine, remote):
    """A wrong type, an unknown and a missing argument are named, and the owner is not asked."""
    with pytest.raises(errors.InvalidInput, match="after: "):
        remote.wait_events(job_id="j", after="soon")
    with pytest.raises(errors.InvalidInput, match="nme: no such argument"):
        remote.get_file(nme="x")
    with pytest.raises(errors.InvalidInput, match="name: is missing"):
        remote.get_file()

    assert engine.asked == []


def test_a_wait_ends_with_the_event(engine, remote):
    """wait_events answers when something happens, well before its timeout."""
    engine.happens_at = time.monotonic() + 0.8
    begun = time.monotonic()

    found = remote.wait_events(job_id="j1", after=4, timeout=20)

    assert [event.number for event in found.events] == [5]
    assert 0.6 < time.monotonic() - begun < 3


def test_a_wait_ends_with_its_time(engine, remote):
    """Where nothing happens, wait_events answers without events after its timeout."""
    engine.happens_at = time.monotonic() + 60
    begun = time.monotonic()

    found = remote.wait_events(job_id="j1", timeout=0.7)

    assert found.events == ()
    assert 0.6 < time.monotonic() - begun < 3


def test_a_wait_for_an_ended_job_ends_at_once(engine, remote):
    """Nothing more happens to a job that has ended, so nobody waits for it."""
    engine.ended, engine.happens_at = True, time.monotonic() + 60
    begun = time.monotonic()

    remote.wait_events(job_id="j1", timeout=20)

    assert time.monotonic() - begun < 3


def test_many_waits_leave_room_for_calls(engine, remote):
    """Calls are answered while more waiters wait than the server has threads."""
    from concurrent.futures import ThreadPoolExecutor

    engine.happens_at = time.monotonic() + 3
    with ThreadPoolExecutor(60) as pool:
        waits = [pool.submit(remote.wait_events, job_id=f"j{i}", timeout=10) for i in range(60)]
        time.sleep(0.3)
        begun = time.monotonic()
        remote.list_files()
        took = time.monotonic() - begun
        engine.happens_at = 0.0
        for wait in waits:
            wait.result()

    assert took < 2


QUERIES = [
    "select 1 a, 'x' b, null c, true d, 1.5 e, 1.10::decimal(5,2) f",
    "select * from (values (1, null), (null, 'é')) t(a, b)",
    "select current_date a, timestamp '2024-01-01 00:00:00.123456' b, timestamp_s '2024-01-01' c",
    "select timestamp_ns '2024-01-01 00:00:00.123456789' a, timestamp_ms '2024-01-01' b",
    "select timestamptz '2024-06-01 12:00:00+02' a union all select null",
    "select interval '1 day 3 microseconds' a union all select null",
    "select time '01:02:03.5' a, uuid() b, 'a\\x00b'::blob c",
    "select [1, null, 3] a, ['x', null] b, [[1], [2, null]] c, [1.5] d union all select null, [], null, []",
    "select {'a': [1, 2], 'b': {'c': null}} a union all select null",
    "select map {'x': 1} a",
    "select 'small'::enum('small', 'large') a union all select null",
    "select 18446744073709551615::ubigint a, 12345678901234567890123::hugeint b, 127::tinyint c",
    "select 'nan'::double a, 'inf'::double b, '-inf'::float c",
    "select 1 a, []::int[] b, 'x' c, timestamptz '2024-01-01' d where false",
    'select 1 a, 2 a, 3 "A", 4 "a b\'c"',
    "select range a, repeat('é', 20) b from range(5000)",
]


@pytest.mark.parametrize("sql", QUERIES)
def test_results_keep_their_types(sql, engine, remote):
    """A query's result arrives with the same columns, dtypes, values and nulls."""
    distant = remote.query(sql=sql)
    direct = engine.query(sql=sql) if "uuid" not in sql else distant

    pd.testing.assert_frame_equal(direct, distant)


def test_nulls_inside_lists_stay_nulls(remote):
    """A null in a list is a null on the other side, not its neighbour or a zero."""
    lists = remote.query(sql="select [7, null, 9] a, ['x', null] b")

    back = remote.query(sql="select a[1] x, a[2] is null n, b[2] is null m from t", frames={"t": lists})

    assert back.to_dict("records") == [{"x": 7, "n": True, "m": True}]


def test_frames_are_tables(remote):
    """DataFrames that are sent can be joined, with the SQL types of their columns."""
    frame = pd.DataFrame(
        {
            "Int": pd.Series([1, None, 3], dtype="Int64"),
            "flag": pd.Series([True, None, False], dtype="boolean"),
            "text": ["a", None, "ü"],
            "object": pd.Series(["a", None, "b"], dtype=object),
            "when": pd.to_datetime(["2024-01-01", None, "2024-01-03"]).tz_localize("Europe/Berlin"),
            "took": pd.to_timedelta([1, None, 3], unit="ns"),
            "kind": pd.Categorical(["x", None, "y"], categories=["y", "x", "z"]),
            "list": [[1, 2], None, []],
            "day": [dt.date(2024, 1, 1), None, dt.date(2024, 1, 2)],
            "price": [Decimal("1.10"), None, Decimal("2.05")],
            "score": [0.5, float("nan"), float("inf")],
        }
    ).set_axis([7, 8, 9])

    found = remote.query(sql='select * from t order by "Int" nulls last', frames={"t": frame})
    types = remote.query(sql="select typeof(columns(*)) from t limit 1", frames={"t": frame})

    assert found["text"].tolist()[:2] == ["a", "ü"]
    assert found["when"].dt.tz_convert("UTC")[0] == pd.Timestamp("2023-12-31T23:00Z")
    assert found["list"][0].tolist() == [1, 2]
    assert types.iloc[0].str.replace(r"\(.*", "", regex=True).tolist() == [
        "BIGINT", "BOOLEAN", "VARCHAR", "VARCHAR", "TIMESTAMP WITH TIME ZONE", "INTERVAL", "ENUM",
        "INTEGER[]", "DATE", "DECIMAL", "DOUBLE",
    ]  # fmt: skip


PARAMETERS = [
    1,
    2**40,
    0.1,
    "it's",
    None,
    True,
    dt.datetime(2024, 1, 31, 12, 0, 0, 5),  # noqa: DTZ001 - a naive time is a SQL TIMESTAMP
    dt.datetime(2024, 1, 31, 12, tzinfo=dt.UTC),
    dt.date(2024, 1, 31),
    dt.time(1, 2, 3),
    dt.timedelta(days=1, microseconds=3),
    Decimal("1.10"),
    uuid.UUID(int=5),
    b"\x00\xff",
    [1, 2],
    {"a": dt.date(2024, 1, 31)},
]


@pytest.mark.parametrize("value", PARAMETERS, ids=repr)
def test_parameters_keep_their_types(value, engine, remote):
    """A parameter arrives as the value it was, in a list or by name."""
    remote.query(sql="select ?", parameters=[value])
    remote.query(sql="select $x", parameters={"x": value})

    assert engine.asked[0][1]["parameters"] == [value]
    assert engine.asked[1][1]["parameters"] == {"x": value}
    assert type(engine.asked[0][1]["parameters"][0]) is type(value)


def test_parameters_that_are_no_values_are_named(remote):
    """What SQL has no value for is refused with its place."""
    with pytest.raises(errors.InvalidInput, match=r"parameters\[1\]: a set is no SQL value"):
        remote.query(sql="select ?, ?", parameters=[1, {2}])


def test_frames_without_columns_are_refused(remote):
    """A DataFrame without columns cannot be a table."""
    with pytest.raises(errors.InvalidInput, match="no columns"):
        remote.query(sql="select 1", frames={"t": pd.DataFrame()})
