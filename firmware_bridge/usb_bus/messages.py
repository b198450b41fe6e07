"""What goes over the socket between a program and the process that serves a USB bus.

A message is its length (four bytes, big-endian) and a JSON object. Each connection opens with `{"session": token}`;
then questions and answers take turns:

{"do": verb, "handle": number, "with": [integers], "data": hex}
{"value": v, "data": hex}    or    {"errno": number, "code": of libusb, "text": words}

Verbs are `devices`, `open` and `close`, and the methods of `usb.backend.IBackend`. Connections of one session share
their handles, so that a thread which writes does not wait for another which reads. All handles of a session are let go
with its last connection.
"""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

from station.json_reader import JsonError, parse_json

LARGEST_MESSAGE = 1 << 16  # [bytes]
LARGEST_TRANSFER = 1 << 14  # more goes in several; twice this as hex fits a message [bytes]
LONGEST_WAIT = 1000  # of one question; longer waits are several, so that a lost peer shows [ms]
LENGTH = struct.Struct("!I")

Message = dict[str, Any]


class LinkEndedError(ConnectionError):
    """The peer is gone, or what it says is not this protocol."""


def send_message(link: socket.socket, message: Message) -> None:
    """Send one message, or raise LinkEndedError."""
    data = json.dumps(message).encode()
    try:
        link.sendall(LENGTH.pack(len(data)) + data)
    except OSError as error:
        raise LinkEndedError(str(error)) from None


def receive_message(link: socket.socket) -> Message:
    """The next message; raises LinkEndedError also for what is none."""
    (length,) = LENGTH.unpack(_receive_exactly(link, LENGTH.size))
    if length > LARGEST_MESSAGE:
        raise LinkEndedError(f"a message of {length} bytes")
    try:
        message = parse_json(_receive_exactly(link, length), "a message")
    except JsonError as error:
        raise LinkEndedError(str(error)) from None
    if not isinstance(message, dict):
        raise LinkEndedError("not a JSON object")
    return message


def _receive_exactly(link: socket.socket, count: int) -> bytes:
    data = bytearray()
    while len(data) < count:
        try:
            piece = link.recv(count - len(data))
        except OSError as error:
            raise LinkEndedError(str(error)) from None
        if not piece:
            raise LinkEndedError("closed by the other side")
        data += piece
    return bytes(data)
