"""What a served bus does with programs that speak nonsense, and a program with a server that does."""

from __future__ import annotations

import contextlib
import errno
import json
import random
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import usb.core  # type: ignore[import-untyped]

from firmware_bridge.usb_bus import RemoteBackend
from firmware_bridge.usb_bus.messages import LARGEST_MESSAGE, receive_message, send_message
from sim_devices.falcon import FalconEmulator
from sim_devices.usb.questions import MOST_HANDLES, Questions
from sim_devices.usb.remote import MOST_CONNECTIONS, BusServer

PATIENCE = 30.0  # [s]


@pytest.fixture(scope="module")
def emulator() -> Iterator[FalconEmulator]:
    emulator = FalconEmulator(homed=True, firmware_loaded=True)
    yield emulator
    emulator.close()


@pytest.fixture
def path(tmp_path: Path, emulator: FalconEmulator) -> Iterator[Path]:
    with BusServer(emulator.bus, tmp_path / "usb.sock"):
        yield tmp_path / "usb.sock"


def connected(path: Path) -> socket.socket:
    link = socket.socket(socket.AF_UNIX)
    link.connect(str(path))  # without a time limit it waits for its turn
    link.settimeout(PATIENCE)
    return link


def assert_works(path: Path) -> None:
    assert usb.core.find(backend=RemoteBackend(str(path))).serial_number == "FALCON-01"


def framed(text: bytes) -> bytes:
    return struct.pack("!I", len(text)) + text


@pytest.mark.parametrize(
    "garbage",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        struct.pack("!I", LARGEST_MESSAGE + 1),
        framed(b"not json"),
        framed(b"[1, 2]"),
        framed(b"{}"),
        framed(b"[" * 50000),
        framed(b'{"session": "a"}') + framed(b"\xff\xfe"),
        framed(b""),
    ],
)
def test_who_speaks_nonsense_is_hung_up_on_and_nobody_else_notices(path: Path, garbage: bytes) -> None:
    with connected(path) as link, contextlib.suppress(OSError):
        link.sendall(garbage)
        assert link.recv(100) == b""
    assert_works(path)


def test_a_client_that_vanishes_within_a_message_leaves_nothing_behind(path: Path) -> None:
    with connected(path) as link:
        link.sendall(framed(b'{"session": "a"}') + b"\0\0\1")
    assert_works(path)


def test_random_bytes_never_hurt(path: Path) -> None:
    dice = random.Random(1)
    for _ in range(200):
        with connected(path) as link, contextlib.suppress(OSError):
            link.sendall(framed(b'{"session": "a"}') + dice.randbytes(dice.randrange(60)))
            link.shutdown(socket.SHUT_WR)
            assert link.recv(100) == b""
    assert_works(path)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"do": "__class__", "handle": 0, "with": []},
        {"do": ["devices"], "handle": 0, "with": []},
        {"do": "open", "handle": 0, "with": []},
        {"do": "open", "handle": 0, "with": [-1]},
        {"do": "open", "handle": 0, "with": [True]},
        {"do": "open", "handle": 0, "with": [1e9]},
        {"do": "bulk_read", "handle": 1, "with": [0x81, 0, 1 << 15, 10]},
        {"do": "bulk_read", "handle": 1, "with": [0x02, 0, 8, 10]},
        {"do": "bulk_read", "handle": 1, "with": [0x81, 0, 8, 0]},
        {"do": "bulk_write", "handle": 1, "with": [0x02, 0, 8, 10], "data": "00"},
        {"do": "bulk_write", "handle": 1, "with": [0x02, 0, 1, 10], "data": "zz"},
        {"do": "bulk_write", "handle": 1, "with": [0x02, 0, 1, 10], "data": 5},
    ],
)
def test_a_question_of_the_wrong_shape_is_refused(emulator: FalconEmulator, question: dict[str, object]) -> None:
    assert Questions(emulator.bus).answer(question)["errno"] == errno.EINVAL


def test_a_handle_that_was_never_given_is_no_device(emulator: FalconEmulator) -> None:
    question = {"do": "claim_interface", "handle": 7, "with": [0]}
    assert Questions(emulator.bus).answer(question)["errno"] == errno.ENODEV


def test_a_mistake_in_an_emulator_is_told_and_the_connection_lives(
    emulator: FalconEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    questions = Questions(emulator.bus)
    address = emulator.bus.attachments[0].address
    handle = questions.answer({"do": "open", "handle": 0, "with": [address]})["value"]
    monkeypatch.setattr(emulator.plug_device, "control_out", lambda *_: 1 / 0)
    answer = questions.answer({"do": "ctrl_transfer", "handle": handle, "with": [0x40, 0, 0, 0, 0, 10]})
    assert answer["errno"] == errno.EIO
    assert "ZeroDivisionError" in answer["text"]
    questions.close()


def test_handles_of_a_session_are_bounded(emulator: FalconEmulator) -> None:
    questions = Questions(emulator.bus)
    opening = {"do": "open", "handle": 0, "with": [emulator.bus.attachments[0].address]}
    for _ in range(MOST_HANDLES):
        assert "value" in questions.answer(opening)
    assert questions.answer(opening)["errno"] == errno.ENOMEM
    questions.close()
    assert "value" in questions.answer(opening)
    questions.close()


def test_connections_are_bounded(path: Path) -> None:
    with contextlib.ExitStack() as stack:
        links = [stack.enter_context(connected(path)) for _ in range(MOST_CONNECTIONS + 3)]
        for link in links[MOST_CONNECTIONS:]:
            assert link.recv(1) == b""
        send_message(links[0], {"session": "a"})
        send_message(links[0], {"do": "devices", "handle": 0, "with": []})
        assert len(receive_message(links[0])["value"]) == 1


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        framed(b"[]"),
        framed(b"{}"),
        framed(json.dumps({"value": 5}).encode()),
        framed(json.dumps({"value": [{}]}).encode()),
        framed(json.dumps({"value": [{"number": 1, "interfaces": [3], "endpoints": [], "device": 4}]}).encode()),
        framed(json.dumps({"value": [], "data": "zz"}).encode()),
        framed(json.dumps({"errno": "many"}).encode()),
        b"",
    ],
)
def test_a_server_that_speaks_nonsense_is_no_device(tmp_path: Path, answer: bytes) -> None:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "sock"))
    listener.listen()

    def speak() -> None:
        link, _ = listener.accept()
        with link:
            receive_message(link)
            receive_message(link)
            link.sendall(answer)

    thread = threading.Thread(target=speak)
    thread.start()
    with pytest.raises(usb.core.USBError) as caught:
        list(RemoteBackend(str(tmp_path / "sock")).enumerate_devices())
    assert caught.value.errno == errno.ENODEV
    thread.join()
    listener.close()
