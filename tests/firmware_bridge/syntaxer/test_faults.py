"""Every fault of the list on the syntaxer, and what the driver makes of it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from firmware_bridge.syntaxer.codec import FastLink
from firmware_bridge.syntaxer.connection import Answer, Numbering
from firmware_bridge.syntaxer.sensing import EncoderWatch, Lasting, Sensing
from sim_devices.fixtures import Emulated
from station.devices import DeviceStatus
from station.devices.age import LinkDelay
from station.devices.device import LOST_AFTER
from station.devices.errors import DeviceMismatchError, DeviceSilentError
from station.devices.swift import SwiftState
from station.devices.syntaxer import SyntaxerModel
from tests.firmware_bridge.syntaxer.rig import CIRCLES, TICK, Rig

READY, LOST, FAULT = DeviceStatus.READY, DeviceStatus.LOST, DeviceStatus.FAULT
SOON = LOST_AFTER + 2.5 * TICK  # a loss is noticed at the first tick after 20 ms, of a sample that was a tick old


@pytest.fixture
def rig(emulated: Emulated) -> Rig:
    rig = Rig(emulated, hand=CIRCLES)
    rig.run(1.5)  # until the hand is on its circle
    rig.samples.clear()
    rig.statuses.clear()
    return rig


def assert_in_order(rig: Rig) -> None:
    for first, second in pairwise(rig.samples):
        assert second.sequence > first.sequence
        assert second.device_time > first.device_time


def assert_smooth(rig: Rig) -> None:
    """The hand moves at about 0.3 m/s: no sample may be further from the one before."""
    for first, second in pairwise(rig.samples):
        elapsed = second.device_time - first.device_time
        assert np.linalg.norm(second.pose[:3, 3] - first.pose[:3, 3]) < 1.0 * elapsed + 1e-4


def test_the_driver_itself_refuses_counts_that_jump() -> None:
    """A second look, for a firmware that has none."""
    watch = EncoderWatch([10_000.0] * 6)
    link = FastLink()
    lasting = Lasting(SwiftState(), Numbering(), LinkDelay())
    sensing = Sensing(link, SyntaxerModel(), watch, lasting)
    state, connection = link.newest, sensing.connection
    connection.streaming = True
    answers = []
    for number, jump in enumerate([0, 5000, 5000, 5000, 5000, 5000, 0]):
        state.sequence, state.time_us = number, 1000 * number
        state.counts[2] = jump
        connection.untaken = True
        answer = sensing.take(0.001 * number)
        wrong = answer in (Answer.JUMPED, Answer.STUCK)
        answers.append(watch.trouble(answer, connection.counts) if wrong else "")
    assert answers[0] == answers[-1] == ""
    assert answers[1:5] == ["glitch"] * 4
    assert "encoder 3" in answers[5]
    assert watch.glitches == 5


def test_without_faults_every_frame_arrives(rig: Rig) -> None:
    rig.run(2.0)
    assert rig.statuses == {READY}
    assert abs(len(rig.samples) - 2000) <= 1
    assert rig.device.frames_lost == 0
    assert_smooth(rig)


@pytest.mark.parametrize("fault", ["silence", "drop", "corrupt", "torn", "delay ms=200", "unplug"])
def test_a_lost_stream_is_reported_within_20_ms_and_takes_the_force_away(rig: Rig, fault: str) -> None:
    rig.push()
    rig.fail(f"{fault} for 0.5")
    assert rig.until_status(LOST) <= SOON
    assert not rig.device.force_enabled
    assert "\n" not in rig.device.reason
    assert rig.device.reason.startswith(rig.device.url) or "port" in rig.device.reason


@pytest.mark.parametrize("fault", ["silence", "drop", "corrupt", "torn", "delay ms=200", "unplug", "restart"])
def test_it_comes_back_by_itself_but_without_force(rig: Rig, fault: str) -> None:
    rig.push()
    rig.fail(f"{fault} for 0.5")
    rig.until_status(LOST)
    rig.until_status(READY)
    rig.run(0.3)
    assert rig.device.status is READY
    assert not rig.device.force_enabled
    assert rig.currents == 0.0
    assert rig.device.enable_force()
    rig.run(0.05)
    assert rig.currents > 0.05
    assert_in_order(rig)


def test_samples_that_come_late_are_not_taken_for_fresh_ones(rig: Rig) -> None:
    rig.run(0.5)
    rig.fail("delay ms=60 for 1")
    rig.run(0.2)
    assert rig.device.status is LOST
    assert not [sample for sample in rig.samples if sample.arrival - sample.device_time > LOST_AFTER]


def test_jitter_is_borne(rig: Rig) -> None:
    rig.fail("jitter ms=8")
    rig.run(1.0)
    assert rig.statuses == {READY}
    assert_in_order(rig)
    assert_smooth(rig)


@pytest.mark.parametrize("fault", ["drop p=0.3", "corrupt p=0.3", "torn p=0.3", "garbage p=0.3 bytes=40"])
def test_some_bad_frames_are_borne_and_counted(rig: Rig, fault: str) -> None:
    rig.fail(fault)
    rig.run(1.0)
    assert rig.statuses == {READY}
    assert_in_order(rig)
    assert_smooth(rig)
    bad = sum(rig.device._link.counters[2:])
    assert bad > 100


@pytest.mark.parametrize("fault", ["duplicate", "reorder p=0.5"])
def test_a_frame_is_used_once_and_in_order(rig: Rig, fault: str) -> None:
    rig.fail(fault)
    rig.run(1.0)
    assert rig.statuses == {READY}
    assert_in_order(rig)


@pytest.mark.parametrize("fault", ["encoder-glitch axis=1 counts=4000 at 0.1 for 0.003", "encoder-offset counts=3000"])
def test_an_encoder_that_jumps_moves_nothing_and_is_a_fault_until_a_person_clears_it(rig: Rig, fault: str) -> None:
    """The firmware takes it for a handle that is too fast, and brakes: it cannot know better."""
    rig.push()
    rig.fail(fault)
    rig.until_status(FAULT)
    assert "too fast" in rig.device.reason or "has lost its place" in rig.device.reason
    assert not rig.device.force_enabled
    rig.run(0.5)
    assert rig.device.status is FAULT
    assert rig.currents == 0.0
    assert_smooth(rig)
    rig.emulator.faults.clear()
    rig.run(0.1)
    rig.device.clear_fault()
    rig.until_status(READY)


def test_an_encoder_that_is_stuck_is_a_fault(rig: Rig) -> None:
    rig.run(0.5)
    rig.fail("stuck-encoder axis=0")
    rig.until_status(FAULT)
    assert "encoder 1" in rig.device.reason


def test_counters_that_run_over_are_not_noticed(emulated: Emulated) -> None:
    rig = Rig(emulated, hand=CIRCLES, faults="counter-wrap")
    rig.run(2.0)
    counts = np.array([rig.emulator.plant.counts])
    assert rig.statuses == {READY}
    assert (np.abs(counts) > 2**30).any()
    assert_smooth(rig)
    assert rig.device._sensing.watch.glitches == 0


@pytest.mark.parametrize(("fault", "word"), [("brown-out volts=6", "supply"), ("overheat celsius=130", "hot")])
def test_what_the_device_says_of_itself_is_a_fault(rig: Rig, fault: str, word: str) -> None:
    rig.push()
    rig.fail(f"{fault} for 0.3")
    rig.until_status(FAULT)
    assert word in rig.device.reason
    assert not rig.device.force_enabled
    assert rig.currents == 0.0
    rig.run(0.5)
    assert rig.device.status is FAULT  # latched: a person must have seen it
    rig.device.clear_fault()
    rig.until_status(READY)
    assert not rig.device.force_enabled


@pytest.mark.parametrize("fault", ["deaf", "watchdog-trip"])
def test_the_watchdog_of_the_firmware_takes_the_force_away(rig: Rig, fault: str) -> None:
    rig.push()
    rig.fail(f"{fault} for 0.2")
    gone = rig.until(lambda: rig.currents == 0.0)
    assert gone <= 0.022
    rig.until(lambda: not rig.device.force_enabled, 0.05)
    assert "watchdog" in rig.device.force_off
    rig.run(0.5)
    assert rig.device.status is READY
    assert rig.currents == 0.0
    assert rig.device.enable_force()
    rig.run(0.05)
    assert rig.currents > 0.05


def test_no_call_raises_on_a_cable_that_was_just_pulled(rig: Rig) -> None:
    for call in (
        rig.device.enable_force,
        rig.device.clear_fault,
        lambda: rig.device.command(np.ones(6)),
        rig.device.close,
    ):
        rig.until_status(READY)
        rig.fail("unplug for 0.3")
        rig.clock.advance(0.002)  # it is out, and the driver does not know yet
        call()
        if call != rig.device.close:
            rig.run(0.4)


def test_a_servo_that_stops_leaves_no_force(rig: Rig) -> None:
    rig.push()
    rig.clock.advance(0.025)  # nobody ticks
    assert rig.currents == 0.0


@pytest.mark.parametrize(
    ("fault", "words"), [("other-version version=9", ["version 9", "version 1"]), ("other-device", ["thermostat"])]
)
def test_another_device_or_version_is_refused_when_opened(emulated: Emulated, fault: str, words: list[str]) -> None:
    with pytest.raises(DeviceMismatchError) as caught:
        emulated("syntaxer", faults=fault)
    assert all(word in str(caught.value) for word in words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("fault", "word"), [("silence", "no answer"), ("garbage bytes=200;corrupt p=1", "no syntaxer")]
)
def test_silence_and_noise_are_told_apart_when_opened(emulated: Emulated, fault: str, word: str) -> None:
    with pytest.raises(DeviceSilentError, match=word):
        emulated("syntaxer", faults=fault)


def test_a_fault_can_wait_for_a_condition(rig: Rig) -> None:
    rig.run(1.0)
    rig.fail("silence when y < -0.05")
    rig.until_status(LOST)
    assert rig.emulator.signals["y"] < -0.04


def test_the_same_seed_gives_the_same_samples(emulated: Emulated) -> None:
    runs = []
    for _ in range(2):
        rig = Rig(Emulated(), hand=CIRCLES, faults="drop p=0.1;corrupt p=0.1;jitter ms=3", seed=7)
        rig.run(0.5)
        runs.append(np.array([[*sample.pose[:3, 3], *sample.velocity, sample.device_time] for sample in rig.samples]))
        rig.outer.close()
    np.testing.assert_array_equal(runs[0], runs[1])
