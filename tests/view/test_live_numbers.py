"""What the panels work out from the ticks of a station, without any window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import station
from station.haptics import Method
from station.run.places import DEFAULT_BENCH
from station.servo.gripper import show
from station.servo.shared import (
    Acting,
    BilateralStatus,
    Cause,
    ControllerCode,
    DeviceCode,
    EpisodeState,
    Event,
    GripperCode,
    ServoState,
    ShowGripper,
    StateWriter,
    Waiting,
)
from station.view.errors import ViewRequestError
from station.view.follow import Follower
from station.view.local import LocalStation
from station.view.moment import NEVER, Link, Moment
from station.view.panels.events_log import EventLog, Kind
from station.view.panels.haptics_bound import Spring, spring_of
from station.view.panels.links_health import NOT_MEASURED, Rates, healths, milliseconds
from station.view.panels.plots_history import CURVES, History, thinned
from station.view.panels.supervisor_words import said
from tests.view.pictures import scene

JOINTS = [{"id": number, "name": f"axis {number}"} for number in range(1, 8)]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[StateWriter]:
    with StateWriter(7, {"robot": "panda", "joints": JOINTS, "rate": 1000.0}, folder=tmp_path) as made:
        made.shared.wall_time = 1000.0
        yield made


@pytest.fixture
def source(writer: StateWriter, tmp_path: Path) -> LocalStation:
    source = LocalStation(folder=tmp_path)
    source.look()
    return source


def ticks(writer: StateWriter, count: int = 1) -> None:
    for _ in range(count):
        writer.shared.tick += 1
        writer.shared.time += 0.001
        writer.shared.wall_time += 0.001
        writer.shared.hand_sequence += 1
        writer.publish()


def test_the_gripper_and_the_episode_are_among_the_links(writer: StateWriter, source: LocalStation) -> None:
    ticks(writer)
    assert [part.name for part in healths(source.look(), Rates())] == ["Device", "Arm", "Servo"]
    show(writer.shared, ShowGripper(GripperCode.READY, 0.0425, 0.04, True, True), writer.shared.time)
    writer.shared.episode, writer.shared.episode_state = 3, EpisodeState.RUNNING
    writer.write_task("pick it up")
    ticks(writer)
    _, _, gripper, servo = healths(source.look(), Rates())
    assert (gripper.name, gripper.status, gripper.is_good, gripper.is_emulated) == ("Gripper", "READY", True, True)
    assert dict(gripper.lines) | {"heard from it": ""} == {
        "width": "42.5 mm",
        "width asked for": "40.0 mm",
        "object detected": "yes",
        "heard from it": "",
    }
    assert dict(servo.lines)["episode"] == "3 running: pick it up"
    show(writer.shared, ShowGripper(GripperCode.LOST, None, None), writer.shared.time)
    ticks(writer)
    gripper = healths(source.look(), Rates())[2]
    assert not gripper.is_good
    assert dict(gripper.lines)["width"] == NOT_MEASURED


def texts(log: EventLog) -> list[str]:
    return [entry.text for entry in log.entries]


def test_every_change_of_state_is_told_with_its_cause(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    writer.shared.state, writer.shared.cause = ServoState.READY, Event.ALL_READY
    ticks(writer, 3)
    writer.shared.state, writer.shared.cause = ServoState.ENGAGED, Event.ENGAGE
    ticks(writer)
    writer.shared.state, writer.shared.cause = ServoState.FAULT, Event.FOLLOWING_ERROR  # both within one look
    ticks(writer, 5)
    log.take(source.look())
    states = [entry for entry in log.entries if entry.kind is Kind.STATE]
    assert [entry.text for entry in states] == [
        "ready: everything is ready",
        "engaged: the hand moves the robot",
        "fault: the arm is not where it was sent",
    ]
    assert log.last_fault == states[-1]
    assert states[-1].wall == pytest.approx(1000.005)


def test_a_limit_that_flutters_is_one_event(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    for count in range(300):
        writer.shared.acting = Acting.JOINT_STOP if count % 2 else Acting.NONE
        writer.shared.joint_acting[2] = 1
        ticks(writer)
    log.take(source.look())
    writer.shared.acting = Acting.NONE
    ticks(writer, 600)
    log.take(source.look())
    limits = [entry.text for entry in log.entries if entry.kind is Kind.LIMIT]
    assert limits == ["joint stop: axis 3 upper stop", "joint stop: over after 0.30 s"]


def test_signs_of_the_force_sensor_are_events(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    for bits, count in ((BilateralStatus.UNTARED, 1300), (BilateralStatus.PRESSING, 700), (BilateralStatus.GOOD, 3000)):
        for number in range(count):
            writer.shared.reflection_status = bits if number % 3 == 0 else BilateralStatus.GOOD
            ticks(writer)
            if number % 40 == 0:
                log.take(source.look())
    entries = [entry for entry in log.entries if entry.kind is Kind.ARM]
    assert [entry.text for entry in entries] == [
        "sensor not tared: press t with the arm at rest",
        "arm presses as hard as it may",
        "sensor not tared: over after 1.30 s",
        "arm presses as hard as it may: over after 0.70 s",
    ]
    assert entries[1].wall == pytest.approx(1001.301)
    assert [entry.wall for entry in log.entries][1:] == sorted(entry.wall for entry in log.entries)[:-1]


def test_lost_links_are_told(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    writer.shared.device_status, writer.shared.controller_status = DeviceCode.READY, ControllerCode.ACTIVE
    ticks(writer)
    log.take(source.look())
    writer.shared.device_status, writer.shared.hand_lost = DeviceCode.LOST, 17
    writer.write_reason("unplugged")
    ticks(writer)
    log.take(source.look())
    assert "device lost: unplugged" in texts(log)
    assert "device: 17 samples never came, 17 in all" in texts(log)
    writer.close()
    log.take(source.look())
    assert texts(log)[-1] == "view: the station has ended; this is its last state"


def test_ticks_that_passed_unseen_are_told(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    ticks(writer, 9000)  # more than the ring holds
    log.take(source.look())
    assert any(text.endswith("ticks passed unseen") for text in texts(log))


def test_numbers_that_stand_for_nothing_are_told_as_such(writer: StateWriter, source: LocalStation) -> None:
    log = EventLog()
    writer.shared.view("state")[:], writer.shared.view("cause")[:] = 77, 99
    ticks(writer)
    moment = source.look()
    log.take(moment)
    assert "unknown (77): unknown (99)" in texts(log)
    assert said(moment).state == "UNKNOWN 77"


def test_the_log_is_bounded_and_says_what_is_gone(tmp_path: Path) -> None:
    log = EventLog(most=10)
    for count in range(25):
        log.add(Kind.ORDER, f"order {count}", 1000.0 + count)
    assert (len(log.entries), log.count) == (10, 25)
    log.save(tmp_path / "log.txt")
    lines = (tmp_path / "log.txt").read_text().splitlines()
    assert lines[0] == "# 15 earlier entries are gone"
    assert lines[-1].endswith("order 24")
    with pytest.raises(ViewRequestError, match="cannot be written"):
        log.save(tmp_path)


def test_the_history_is_bounded_and_newest_last(writer: StateWriter, source: LocalStation) -> None:
    history = History(rows=100)
    for _ in range(5):
        writer.shared.singularity += 1.0
        ticks(writer, 60)
        history.take(source.look())
    times, values = history.since(10.0)
    assert len(times) == history.filled == 100
    assert np.all(np.diff(times) > 0.0)
    dexterity = values[CURVES.index("dexterity")]
    assert (dexterity[0], dexterity[-1]) == (4.0, 5.0)
    assert len(history.since(0.02)[0]) in (20, 21)


def test_another_station_begins_a_new_history(writer: StateWriter, source: LocalStation, tmp_path: Path) -> None:
    history = History()
    ticks(writer, 10)
    history.take(source.look())
    writer.close()
    source.look()
    with StateWriter(7, {}, folder=tmp_path) as again:
        source.look()
        ticks(again, 3)
        history.take(source.look())
    assert history.filled == 3


def test_ticks_that_were_lost_are_a_gap(writer: StateWriter, source: LocalStation) -> None:
    history = History(rows=20000)
    ticks(writer, 5)
    history.take(source.look())
    ticks(writer, 9000)
    history.take(source.look())
    _, values = history.since(100.0)
    assert np.count_nonzero(np.isnan(values[0])) == 1


@given(
    place=st.integers(0, 9999),
    pixels=st.integers(10, 400),
    start=st.floats(0.0, 1e5),
)
def test_no_peak_gets_lost_by_thinning(place: int, pixels: int, start: float) -> None:
    times = np.linspace(start, start + 9.999, 10000)
    values = np.zeros((2, 10000))
    values[0, place], values[1, place] = 5.0, -3.0
    along, curves = thinned(times, values, 10.0, pixels)
    assert len(along) <= 2 * (pixels + 2)
    assert curves[0].max() == 5.0
    assert curves[1].min() == -3.0
    at = along[int(np.argmax(curves[0]))]
    assert abs(at - times[place]) <= 10.0 / pixels


def test_a_curve_that_moves_keeps_its_pixels() -> None:
    """What was drawn of the past stays as it was when new ticks come: nothing flickers."""
    times = np.linspace(0.0, 19.999, 20000)
    values = np.sin(37.0 * times)[None] + np.random.default_rng(1).normal(size=(1, 20000))
    first = thinned(times[:10000], values[:, :10000], 10.0, 200)
    later = thinned(times[:10500], values[:, :10500], 10.0, 200)
    np.testing.assert_array_equal(first[0][:390], later[0][:390])
    np.testing.assert_array_equal(first[1][:, :390], later[1][:, :390])


def test_few_ticks_are_drawn_as_they_are() -> None:
    times, values = np.arange(10.0), np.ones((1, 10))
    assert thinned(times, values, 10.0, 100)[0] is times


def test_rates_are_counted_from_the_ticks(writer: StateWriter, source: LocalStation) -> None:
    rates = Rates()
    assert np.isnan(rates.per_second(1))
    ages = np.tile([0.1, 0.101, 0.102, 0.103], 250)  # a measurement every fourth tick
    for part in np.split(ages, 10):
        for age in part:
            writer.shared.measured_age = age
            ticks(writer)
        rates.take(source.look())
    assert rates.per_second(1) == pytest.approx(1000.0)
    assert rates.per_second(2) == pytest.approx(250.0, rel=0.02)
    assert rates.per_second(3) == pytest.approx(1000.0)


def test_what_was_never_measured_is_said_not_shown_as_zero(writer: StateWriter, source: LocalStation) -> None:
    writer.shared.measured_age = NEVER
    writer.shared.commanded_age = NEVER
    writer.shared.controller_status = ControllerCode.OPENING
    writer.shared.link_round_trip = np.nan
    ticks(writer)
    moment = source.look()
    device, arm, _servo = healths(moment, Rates())
    assert dict(device.lines)["samples"] == NOT_MEASURED
    assert set(dict(arm.lines).values()) == {NOT_MEASURED, "0 measurements"}
    assert not arm.is_good
    assert [milliseconds(value) for value in (np.nan, np.inf, -1.0)] == 3 * [NOT_MEASURED]
    assert milliseconds(0.0015, " ago") == "1.5 ms ago"


def test_the_link_of_the_arm_tells_its_round_trip_and_what_it_lost(writer: StateWriter, source: LocalStation) -> None:
    writer.shared.controller_status = ControllerCode.ACTIVE
    writer.shared.link_round_trip = 0.2034
    writer.shared.link_lost = 12
    ticks(writer)
    lines = dict(healths(source.look(), Rates())[1].lines)
    assert lines["round trip"] == "203.4 ms"
    assert lines["lost"] == "12 measurements"


def test_no_arm_is_no_missing_measurement(writer: StateWriter, source: LocalStation) -> None:
    ticks(writer)
    assert healths(source.look(), Rates())[1].where == "none: the predicted robot alone"


def test_a_robot_without_an_arm_has_no_ghost(tmp_path: Path, writer: StateWriter) -> None:
    view = scene("panda")
    writer.shared.predicted_q[:], writer.shared.measured_age = view.robots["panda"].q, NEVER
    ticks(writer)
    Follower(view, folder=tmp_path).update()
    assert not view.robots["panda"].measured.shown


def test_the_bound_is_that_of_the_servo() -> None:
    """The line that `station run` prints at its start."""
    text = {"device_model": "syntaxer", "rate": 1000.0, "method": "observer-controller", "robot": "ur5e"}
    spring = spring_of(station.load(DEFAULT_BENCH), text)
    assert spring is not None
    assert spring.text == "coupling 336 N/m: 80 % of the bound 420 N/m = 2·(b - B)/T at 1000 Hz; observer-controller"
    assert not spring.is_beyond(1.0)
    assert spring.is_beyond(1.3)


@pytest.mark.parametrize("text", [{}, {"device_model": "syntaxer", "rate": 1000.0, "method": "prayer"}])
def test_a_bound_that_is_not_known_is_not_invented(text: dict[str, object]) -> None:
    assert spring_of(station.load(DEFAULT_BENCH), text) is None


def test_a_spring_beyond_its_bound_without_passivity_may_tremble() -> None:
    spring = Spring(300.0, 400.0, "", Method.COUPLING_ONLY)
    assert "BEYOND" in spring.told(2.0)
    assert "largest stable 400 N/m" in spring.told(1.0)


def test_states_in_words(writer: StateWriter, source: LocalStation) -> None:
    assert said(Moment()).state == "NO STATION"
    assert said(source.look()).state == "STARTING"
    writer.shared.state = ServoState.FAULT
    writer.shared.cause = Event.ARM_STOPPED
    writer.shared.fault = Event.ARM_STOPPED
    writer.write_reason("its guard door is open")
    ticks(writer)
    words = said(source.look())
    assert words.state == "FAULT"
    assert words.cause.startswith("the arm has stopped")
    assert "its guard door is open" in words.cause
    assert words.next.endswith("then reset")
    writer.close()
    assert said(source.look()).state == "FAULT?"
    assert source.look().link is Link.NONE


@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"dead_man": "button 1"}, "hold button 1 to engage"),
        ({"dead_man": None}, "engage by command: this device has no button to hold"),
        ({}, "hold the dead-man to engage"),  # a station that does not tell
    ],
)
def test_the_button_to_hold_is_named(
    writer: StateWriter, source: LocalStation, told: dict[str, str | None], words: str
) -> None:
    writer.shared.state, writer.shared.cause, writer.shared.waiting = ServoState.HOLD, Event.RELEASED, Waiting.PRESS
    ticks(writer)
    answer = said(replace(source.look(), text=told))
    button = told.get("dead_man") or "the dead-man"
    assert (answer.waiting, answer.next) == (words, f"press {button} to go on")


def test_a_listener_that_fails_is_told_and_survived(tmp_path: Path, writer: StateWriter) -> None:
    follower = Follower(scene("panda"), folder=tmp_path)
    empty: dict[str, str] = {}
    follower.listeners.append(lambda _moment: empty["nothing"])
    ticks(writer)
    assert follower.update()
    assert follower.trouble == "a panel failed: 'nothing'"


def test_causes_have_curves() -> None:
    assert all(f"force {cause.name.lower()}" in CURVES for cause in Cause)
