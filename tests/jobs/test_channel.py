"""The wire between owner and worker."""

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.jobs.channel import Channel, ChannelClosed


def pair() -> tuple[Channel, Channel]:
    """Both ends of a wire."""
    here, there = os.pipe(), os.pipe()
    return Channel(here[0], there[1]), Channel(there[0], here[1])


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.integers() | st.text(), st.lists, max_leaves=5)))
def test_every_message_arrives_as_it_was_sent(message):
    """JSON of any kind survives the way."""
    left, right = pair()
    left.send(message)

    assert right.receive() == message
    left.close()
    right.close()


def test_large_messages_arrive_whole():
    """A message larger than a pipe's buffer is sent in pieces and received as one."""
    left, right = pair()
    message = {"text": "é" * 1_000_000}
    threading.Thread(target=left.send, args=(message,)).start()

    assert right.receive() == message


def test_messages_of_several_threads_do_not_mix():
    """Threads that send at once leave whole messages."""
    left, right = pair()
    threads = [threading.Thread(target=lambda n=n: left.send({"n": n, "pad": "x" * 90_000})) for n in range(20)]
    for thread in threads:
        thread.start()

    assert sorted(right.receive()["n"] for _ in threads) == list(range(20))


def test_a_closed_wire_says_so():
    """Reading and writing after the other side went away raises ChannelClosed."""
    left, right = pair()
    right.close()

    with pytest.raises(ChannelClosed):
        left.receive()
    with pytest.raises(ChannelClosed):
        left.send({})


def test_an_absurd_length_ends_the_conversation():
    """Bytes that are no message are taken for the end, not for gigabytes to come."""
    here, there = os.pipe(), os.pipe()
    os.write(here[1], b"\xff\xff\xff\xff")

    with pytest.raises(ChannelClosed):
        Channel(here[0], there[1]).receive()
