"""The endpoint's life: quick to start, prompt to stop, gone when it is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import pytest

from vidbench import errors
from vidbench.remote import RemoteEngine
from vidbench_server import Endpoint


def test_importing_it_loads_no_web_framework():
    """``import vidbench_server`` is cheap: the framework comes with the first start."""
    code = "import sys, vidbench_server; print([m for m in ('fastapi', 'uvicorn', 'pydantic') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)

    assert found.stdout.strip() == "[]"


def test_start_returns_at_once_and_answers(engine, token):
    """The port is known at once; a request that comes early is answered when the server is ready."""
    begun = time.perf_counter()
    endpoint = Endpoint.start(engine, token)
    took = time.perf_counter() - begun
    try:
        assert RemoteEngine(endpoint.url, token).list_files() == engine.list_files()
        assert took < 0.5
        assert endpoint.url.startswith("http://127.0.0.1:")
    finally:
        endpoint.stop()


def test_answers_come_without_delay(remote):
    """A call takes a few milliseconds, not the 40 of a delayed acknowledgement."""
    remote.list_files()
    begun = time.perf_counter()
    for _ in range(20):
        remote.list_files()

    assert (time.perf_counter() - begun) / 20 < 0.03


def test_stop_ends_waits_and_closes_the_port(engine, token):
    """A waiting call gets its answer when the endpoint stops; later calls find nobody."""
    endpoint = Endpoint.start(engine, token)
    remote = RemoteEngine(endpoint.url, token)
    remote.list_files()
    engine.happens_at = time.monotonic() + 60
    found = []
    waiter = threading.Thread(target=lambda: found.append(remote.wait_events(job_id="j", timeout=20)))
    waiter.start()
    time.sleep(0.3)
    begun = time.monotonic()
    endpoint.stop()
    took = time.monotonic() - begun
    waiter.join(5)

    assert took < 3
    assert [events.events for events in found] == [()]
    with pytest.raises(errors.OwnerGone):
        remote.list_files()


def test_stop_before_it_is_ready(engine, token):
    """Stopping right after starting leaves no thread and no port behind, and may be done twice."""
    endpoint = Endpoint.start(engine, token)
    endpoint.stop()
    endpoint.stop()

    assert not [one for one in threading.enumerate() if one is endpoint._thread]
    with pytest.raises(errors.OwnerGone):
        RemoteEngine(endpoint.url, token).list_files()


def test_two_endpoints_side_by_side(engine, token):
    """Two benches in a process have a port each, and a token opens only its own."""
    first, second = Endpoint.start(engine, token), Endpoint.start(engine, "another")
    try:
        assert first.url != second.url
        assert RemoteEngine(second.url, "another").list_files()
        with pytest.raises(errors.InvalidInput, match="token"):
            RemoteEngine(second.url, token).list_files()
    finally:
        first.stop()
        second.stop()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_does_not_keep_the_port_open(engine, token):
    """When the owner stops, its port refuses, although a child that was forked before still lives."""
    endpoint = Endpoint.start(engine, token)
    RemoteEngine(endpoint.url, token).list_files()
    child = os.fork()
    if child == 0:
        time.sleep(10)
        os._exit(0)
    try:
        endpoint.stop()
        with pytest.raises(errors.OwnerGone):
            RemoteEngine(endpoint.url, token).list_files()
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
