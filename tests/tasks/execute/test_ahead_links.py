"""The link to who is beside an arm: plain on this machine only, keys everywhere else."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest

from station.errors import StationError
from station.keys import make_keys
from station.tasks.execute.ahead.links import Caller, Link, Listener

pytestmark = pytest.mark.wall_clock

PATIENCE = 20.0  # [s]


def heard(link: Link, others: tuple[Link, ...] = (), seconds: float = PATIENCE) -> list[bytes]:
    """What comes in first; the others are attended meanwhile."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for other in others:
            other.receive()
        found = link.receive()
        if found:
            return found
        time.sleep(0.001)
    return []


def said(caller: Caller, listener: Listener, seconds: float = PATIENCE) -> list[bytes]:
    """Call again and again, until somebody hears it."""
    end = time.monotonic() + seconds
    found: list[bytes] = []
    while not found and time.monotonic() < end:
        caller.send(b"hello")
        found = heard(listener, seconds=0.05)
    return found


def test_messages_go_both_ways_and_who_calls_anew_is_heard_too() -> None:
    with closing(Listener("tcp://127.0.0.1:0")) as listener:
        for word in (b"one", b"two"):
            with closing(Caller(listener.address)) as caller:
                assert said(caller, listener)[0] == b"hello"
                listener.send(word)
                assert heard(caller) == [word]


@pytest.mark.parametrize(
    "url", ["tcp://0.0.0.0:0", "tcp://192.0.2.7:5600", "tcp://*:5600", "tcp://[::]:5600", "tcp://example.org:5600"]
)
def test_a_plain_link_beyond_this_machine_is_refused(url: str) -> None:
    for kind in (Caller, Listener):
        with pytest.raises(StationError, match=r"must be encrypted|write tcp://host:port") as caught:
            kind(url)
        assert "\n" not in str(caught.value)


def test_keys_let_in_who_is_allowed_and_nobody_else(tmp_path: Path) -> None:
    arm, station, stranger = (make_keys(name, tmp_path) for name in ("arm", "desk", "stranger"))
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    (allowed / "desk.key").write_bytes(station.public.read_bytes())
    with closing(Listener(f"tcp://127.0.0.1:0?key={arm.secret}&allowed={allowed}")) as listener:
        url = f"{listener.address}?server={arm.public}"
        with closing(Caller(f"{url}&key={stranger.secret}")) as caller:
            assert said(caller, listener, 0.5) == []
        with closing(Caller(listener.address)) as plain:
            assert said(plain, listener, 0.5) == []
        with closing(Caller(f"{url}&key={station.secret}")) as caller:
            assert said(caller, listener)[0] == b"hello"
            listener.send(b"welcome")
            assert heard(caller, (listener,)) == [b"welcome"]


@pytest.mark.parametrize(
    "url", ["udp://127.0.0.1:5", "tcp://127.0.0.1", "tcp://127.0.0.1:99999", "nonsense", "tcp://127.0.0.1:5600?who=me"]
)
def test_an_address_that_makes_no_sense_is_one_line(url: str) -> None:
    for kind in (Caller, Listener):
        with pytest.raises(StationError) as caught:
            kind(url)
        assert "\n" not in str(caught.value)


def test_a_port_that_is_taken_is_told() -> None:
    with closing(Listener("tcp://127.0.0.1:0")) as listener, pytest.raises(StationError, match="cannot be listened at"):
        Listener(listener.address)
