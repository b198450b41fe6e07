"""Messages of a published station: what is wrong with one is told in a line, counted, and survived."""

from __future__ import annotations

import numpy as np
import pytest
import zmq

from station.servo.shared.memory import layout_of
from station.view.moment import Link
from station.view.panels.links_health import Health
from station.view.sharing.errors import PublicationError
from station.view.sharing.wire import (
    HEADER,
    Greeting,
    Kind,
    State,
    header,
    pack_greeting,
    pack_state,
    read_greeting,
    read_header,
    read_state,
)
from tests.view.test_sharing import TEXT, until, watching


def state_frames(rows: int = 2) -> list[bytes]:
    layout = layout_of(7)
    state = State(np.zeros(layout.snapshot, np.int64), 5, 0, 0.1, True, np.ones((rows, layout.record), np.int64))
    return [header(Kind.STATE, 7, 1, 1), pack_state(state)]


def test_a_state_comes_back_as_it_was() -> None:
    frames = state_frames()
    assert read_header(frames) == (Kind.STATE, 7, 1, 1)
    state = read_state(frames[1], 7)
    assert (state.number, state.lost, state.silence, state.alive, len(state.rows)) == (5, 0, 0.1, True, 2)
    assert state.rows.min() == 1


@pytest.mark.parametrize("size", [0, 3, 28, 29, 100, 1000])
def test_a_truncated_state_is_refused(size: int) -> None:
    with pytest.raises(PublicationError, match="truncated"):
        read_state(state_frames()[1][:size], 7)


def test_a_state_that_claims_more_rows_than_it_has_is_refused() -> None:
    data = bytearray(state_frames()[1])
    data[25:29] = (2**31).to_bytes(4, "little")
    with pytest.raises(PublicationError, match="truncated"):
        read_state(bytes(data), 7)


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"text": 1, "scene": "", "name": ""}', b"\xff\xfe", b"[" * 9000])
def test_a_greeting_that_makes_no_sense_is_refused(data: bytes) -> None:
    with pytest.raises(PublicationError, match="truncated or damaged"):
        read_greeting(data)


@pytest.mark.parametrize(("part", "parts"), [(1, 1), (-1, 2), (0, 0), (3, 9999)])
def test_a_greeting_of_a_part_that_cannot_be_is_refused(part: int, parts: int) -> None:
    with pytest.raises(PublicationError, match=f"part {part} of {parts}"):
        read_greeting(pack_greeting(Greeting(TEXT, "", "", part, parts)))


def test_another_version_is_refused_in_one_line() -> None:
    frames = [header(Kind.STATE, 7, 1, 1, version=9), b""]
    with pytest.raises(PublicationError, match=r"publishes version 9, .* use the same release for both"):
        read_header(frames)


@pytest.mark.parametrize("frames", [[], [b""], [b"x", b"y"], [b"\0" * HEADER.size, b""], [b"a", b"b", b"c"]])
def test_what_is_no_station_is_refused(frames: list[bytes]) -> None:
    with pytest.raises(PublicationError, match="is no station"):
        read_header(frames)


def test_nonsense_on_the_wire_is_counted_and_survived() -> None:
    """Somebody else publishes at that address: garbage, another version, half a state; then a real station."""
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    other = context.socket(zmq.PUB)
    port = other.bind_to_random_port("tcp://127.0.0.1")
    good = [
        [header(Kind.GREETING, 7, 1, 1), pack_greeting(Greeting(TEXT, "", ""))],
        state_frames(),
    ]
    bad = [[b"hello"], [header(Kind.STATE, 7, 1, 1, version=9), b""], [state_frames()[0], state_frames()[1][:50]]]
    bad.append([header(Kind.GREETING, 7, 2, 3), b"{}"])
    try:
        with watching(f"tcp://127.0.0.1:{port}") as source:

            def refused() -> bool:
                for frames in (good[0], *bad):
                    other.send_multipart(frames)
                moment = source.look()
                return source.refused >= 8 and moment.snapshot is None

            assert until(refused)
            assert "refused)" in source.trouble
            assert "\n" not in source.trouble

            def follows() -> bool:
                for frames in good:
                    other.send_multipart(frames)
                return source.look().link is Link.FOLLOWING

            assert until(follows)
            assert source.trouble == ""
            assert isinstance(source.health(), Health)
    finally:
        other.close(0)
        context.term()
