"""Bytes of measuring instruments: what is not understood is refused in one line, whatever comes in."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import robots
import station
from firmware_bridge.instrument import (
    About,
    InstrumentAddressError,
    InstrumentLostError,
    NotSeenError,
    Reading,
    TcpInstrument,
    open_instrument,
)
from firmware_bridge.instrument.lines import about_line, about_of, message_of, reading_line, reading_of
from sim_devices.arm import emulated_arm
from sim_devices.instrument import Tracker, TrackerSettings, parse_tracker
from station.clock import VirtualClock
from station.devices.parameter import SettingsError

ABOUT = About("tracker", "T-1", "pose", 5e-5, 2e-4, emulated=True)


def test_who_it_is_and_what_it_measures_come_through() -> None:
    assert about_of(message_of(about_line(ABOUT)) or {}) == ABOUT
    reading = Reading(np.array([0.1, -2.0, 1e-9]), np.eye(3))
    found = reading_of(message_of(reading_line(3, reading)) or {}, "pose")
    assert found is not None
    assert found.rotation is not None
    assert np.array_equal(found.position, reading.position)
    assert np.array_equal(found.rotation, np.eye(3))


@given(st.binary(max_size=200))
def test_garbage_is_nothing(data: bytes) -> None:
    message = message_of(data)
    if message is not None:
        assert about_of(message) is None
        assert reading_of(message, "position") is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"position": [1.0, 2.0]},
        {"position": [1.0, 2.0, "3"]},
        {"position": [1.0, 2.0, True]},
        {"position": [1.0, 2.0, 1e400]},
        {"position": [0.0, 0.0, 0.0], "rotation": [1.0] * 9},
        {"position": [0.0, 0.0, 0.0]},
    ],
)
def test_a_reading_that_is_no_pose_is_refused(wrong: dict[str, object]) -> None:
    assert reading_of(wrong, "pose") is None


@pytest.fixture(scope="module")
def tracker() -> Iterator[Tracker]:
    arm = emulated_arm(station.load(robots.path("ur5e")))
    with contextlib.closing(Tracker(arm, 7, TrackerSettings(noise=1e-3, turns=True), seed=4)) as made:
        yield made


def opened(tracker: Tracker) -> TcpInstrument:
    clock = VirtualClock()
    clock.attach(lambda _: tracker.step())
    return open_instrument(tracker.address, clock, 1.0)


def test_a_tracker_sees_the_true_frame_with_its_noise(tracker: Tracker) -> None:
    with opened(tracker) as instrument:
        assert instrument.about.serial_number == "SIM-T0004"
        assert instrument.about.emulated
        readings = [instrument.measure() for _ in range(200)]
    truth = tracker.stand @ tracker.truth
    places = np.array([one.position for one in readings])
    assert np.std(places - truth[:3, 3]) == pytest.approx(1e-3, rel=0.15)
    assert np.linalg.norm(places.mean(axis=0) - truth[:3, 3]) < 4e-4
    turns = np.array([one.rotation for one in readings if one.rotation is not None])
    assert len(turns) == 200
    assert np.abs(turns - truth[:3, :3]).max() < 2e-3


def test_what_it_cannot_see_and_what_is_gone_are_different_things(tracker: Tracker) -> None:
    blind = Tracker(tracker._arm, 7, TrackerSettings(unseen=1.0))
    with contextlib.closing(blind), opened(blind) as instrument:
        with pytest.raises(NotSeenError, match="the beam is interrupted"):
            instrument.measure()
        blind.unplug()
        with pytest.raises(InstrumentLostError, match="the instrument is gone"):
            instrument.measure()
    with pytest.raises(InstrumentLostError, match="no instrument there"):
        open_instrument(blind.address)


@pytest.mark.parametrize("url", ["tracker", "serial:/dev/ttyS0", "tcp://127.0.0.1", "tcp://127.0.0.1:0", "tcp://:x"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InstrumentAddressError, match="tcp://"):
        open_instrument(url)


@pytest.mark.parametrize(
    ("says", "told"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "does not answer"),
        (b'{"instrument": 2, "measures": "pose"}\n', "something else than an instrument"),
        (b"x" * 20000, "talks without end"),
        (b"", "closed the connection"),
    ],
)
def test_something_else_at_the_port_is_refused_in_one_line(says: bytes, told: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:

        def answer() -> None:
            client, _ = door.accept()
            with client:
                client.recv(100)
                client.sendall(says)
                if says:
                    with contextlib.suppress(OSError):
                        client.recv(100)

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(InstrumentLostError, match=told) as caught:
            open_instrument(f"tcp://127.0.0.1:{door.getsockname()[1]}", patience=0.3)
        assert "\n" not in str(caught.value)
        del caught
        thread.join(5.0)


def test_a_tracker_by_words(tracker: Tracker) -> None:
    made = parse_tracker(tracker._arm, "flange,noise=0.0001,turns=1", 3)
    assert made.settings == TrackerSettings(noise=1e-4, turns=True)
    made.close()
    for words, told in (("nowhere", "has no 'nowhere' to track"), ("flange,size=1", "no number of a tracker")):
        with pytest.raises(SettingsError, match=told):
            parse_tracker(tracker._arm, words, 3)
    with pytest.raises(SettingsError, match="noise is 'x'"):
        parse_tracker(tracker._arm, "flange,noise=x", 3)
