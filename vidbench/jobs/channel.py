"""The wire between owner and worker: JSON messages, each behind its length, on descriptors of their own.

A message is four bytes of length (big-endian) and that many bytes of UTF-8 JSON with a ``type``. Pixels, sound and
vectors never travel here: they go by file.
"""

from __future__ import annotations

import json
import os
import struct
import threading
from typing import Any

PROTOCOL_VERSION = 1
MAX_MESSAGE_BYTES = 256 * 1024 * 1024
_HEADER = struct.Struct(">I")

Message = dict[str, Any]


class ChannelClosed(Exception):
    """The other side is gone."""


class Channel:
    """Both directions of a wire.

    Args:
        read_fd: descriptor to read from.
        write_fd: descriptor to write to.

    Example:
        >>> here, there = os.pipe(), os.pipe()
        >>> Channel(here[0], there[1]).send({"type": "hello"})
        >>> Channel(there[0], here[1]).receive()
        {'type': 'hello'}
    """

    def __init__(self, read_fd: int, write_fd: int) -> None:
        self._read_fd = read_fd
        self._write_fd = write_fd
        self._writing = threading.Lock()

    def send(self, message: Message) -> None:
        """Write one message whole; any thread may.

        Raises:
            ChannelClosed: nobody reads any more.
        """
        body = json.dumps(message, ensure_ascii=False).encode()
        data = memoryview(_HEADER.pack(len(body)) + body)
        try:
            with self._writing:
                while data:
                    data = data[os.write(self._write_fd, data) :]
        except OSError as error:
            raise ChannelClosed from error

    def receive(self) -> Message:
        """Read one message; one thread only.

        Raises:
            ChannelClosed: the other side closed, or sent what is no message.
        """
        (length,) = _HEADER.unpack(self._exactly(_HEADER.size))
        if length > MAX_MESSAGE_BYTES:
            raise ChannelClosed
        message: Message = json.loads(self._exactly(length))
        return message

    def close(self) -> None:
        """Close both descriptors."""
        for descriptor in (self._read_fd, self._write_fd):
            try:
                os.close(descriptor)
            except OSError:  # it was closed with the other side
                continue

    def _exactly(self, count: int) -> bytes:
        pieces = []
        while count:
            try:
                piece = os.read(self._read_fd, min(count, 1 << 20))
            except OSError as error:
                raise ChannelClosed from error
            if not piece:
                raise ChannelClosed
            pieces.append(piece)
            count -= len(piece)
        return b"".join(pieces)
