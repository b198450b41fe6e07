"""Bad input: refused at the start with one line, or no force and a named fault while running."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sim_devices.arm import World
from station.clock import VirtualClock
from station.controllers.errors import ControllerMismatchError
from station.devices.device import DeviceStatus
from station.devices.mapping import Cause as Disengaged
from station.errors import StationError
from station.haptics import Cause, Cue, Fault, Method
from station.servo.job import Job
from station.servo.rig import RigError, Wanted, put_together
from station.servo.shared import (
    Clutch,
    EmergencyStop,
    Engage,
    Event,
    Hold,
    Reason,
    Reset,
    ServoState,
    SetGain,
    SetMode,
    SetView,
)
from station.servo.shared.words import Mode
from tests.servo.arm_benches import linked
from tests.servo.rigs import CLUTCH, DEAD_MAN, GANTRY, Bench, IdealDevice, ideal, loaded


def state(bench: Bench) -> ServoState:
    return bench.servo.part.state


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"frame": "elbow"}, "no frame 'elbow'; there are"),
        ({"frame": "77"}, "no frame 77"),
        ({"robot": "panda"}, "no robot 'panda'; there are: gantry"),
        ({"posture": "home"}, "no posture 'home'; there are: none"),
        ({"rate": 1e6}, "rate is 1e+06 [Hz]; allowed: 50 to 8000"),
        ({"rate": float("nan")}, "rate is nan"),
    ],
)
def test_a_bench_that_cannot_be_is_refused_with_one_line(wanted: dict[str, object], words: str) -> None:
    with pytest.raises(StationError) as caught:
        put_together(loaded(GANTRY), IdealDevice(VirtualClock()), Wanted(**wanted))  # type: ignore[arg-type]
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


STILL = "constraint { frame 0 device ( 1 ) }"


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        (f"link 1 {{ parameters {{ 0 0 0 0 }} type revolute pred 0 }} {STILL}", "the base of robot a cannot move"),
        (STILL, "robot a has no joint that moves"),
    ],
)
def test_what_cannot_be_led_is_told_with_its_place(inside: str, words: str) -> None:
    text = f"RAFF v2.0 Still\ndevice 1 {{ }}\nrobot a {{ base {{ }} {inside}\n}}"
    with pytest.raises(RigError) as caught:
        put_together(loaded(text), IdealDevice(VirtualClock()), Wanted())
    line = text.splitlines()[2]
    assert str(caught.value).startswith(f"Still:3:{line.index('constraint') + 1}: {words}")


def test_a_button_that_a_device_has_not_is_told_with_its_name_and_place() -> None:
    text = GANTRY.replace("scale { 1 1 1 }", "scale { 1 1 1 } clutch 7")
    with pytest.raises(
        StationError, match=r"^\w+:\d+:\d+: device \w+: 'clutch' is button 7, which ideal does not have"
    ):
        put_together(loaded(text), IdealDevice(VirtualClock()), Wanted())


@pytest.mark.parametrize(("block", "place"), [('controller { address "sim:arm" }', "6:1"), ("", "3:1")])
def test_an_arm_of_other_joint_names_is_refused_with_robot_and_place(block: str, place: str) -> None:
    text = f"""RAFF v2.0 Other
device 1 {{ }}
robot arm {{ base {{ }}
link 1 {{ name "shoulder" parameters {{ 0 0 0 0 }} type revolute pred 0 mass 1 limits {{ -90 90 }} }}
constraint {{ link 1 device ( 1 ) }}
{block}
}}"""
    clock = VirtualClock()
    arm = World(loaded(text.replace("shoulder", "elbow"))).arms["arm"]
    with (
        linked("serial:", arm, clock, 0.0, loss=0.0, jitter=0.0) as (controller, _),
        pytest.raises(ControllerMismatchError) as caught,
    ):
        put_together(loaded(text), IdealDevice(clock), Wanted(), controller)
    assert str(caught.value).startswith(f"Other:{place}: robot arm: ")
    assert "the scene has shoulder, the controller has elbow" in str(caught.value)


@pytest.mark.parametrize("number", [{"priority": 100}, {"spin": 1.0}, {"core": -2}, {"seconds": -1.0}])
def test_absurd_numbers_of_a_job_are_refused(number: dict[str, float]) -> None:
    with pytest.raises(StationError, match="allowed"):
        Job(file="x.mad", devices={"": "sim:syntaxer"}, **number)  # type: ignore[arg-type]


def test_absurd_gains_of_a_file_are_refused() -> None:
    text = GANTRY.replace("scale { 1 1 1 }", "scale { 1 1 1 } haptics { stiffness -5 }")
    with pytest.raises(StationError):
        put_together(loaded(text), IdealDevice(VirtualClock()), Wanted())


def test_a_job_survives_its_way_through_a_line() -> None:
    job = Job(
        file="a b.mad", devices={"": "sim:syntaxer"}, wanted=Wanted(rate=500.0, method=Method.BOUNDING, frame="tool")
    )
    assert Job.from_line(job.to_line()) == job


def pushing(bench: Bench) -> None:
    """Engaged, 5 mm beyond a stop."""
    bench.engage()
    bench.lead([0.0, 0.025, 0.0], 0.5)
    bench.ticks(300)
    assert state(bench) is ServoState.ENGAGED
    assert np.linalg.norm(bench.force) > 1.0


def test_a_place_that_is_no_number_takes_the_force_away(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        pushing(bench)
        bench.device.place = np.array([0.0, np.nan, 0.0])
        q = bench.robot.q
        bench.ticks(20)
        assert (bench.force == 0.0).all()
        assert state(bench) is ServoState.HOLD
        assert bench.shared.disengaged_by == Disengaged.UNREADABLE
        np.testing.assert_array_equal(bench.robot.q, q)
        bench.device.place = np.array([0.0, 0.025, 0.0])
        bench.ticks(50)
        assert state(bench) is ServoState.HOLD  # the dead-man is still held from before
        bench.engage()
        assert state(bench) is ServoState.ENGAGED


def test_a_time_stamp_that_goes_backwards_takes_the_force_away(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        pushing(bench)
        bench.device.time_offset = -0.5
        bench.ticks(1)
        assert (bench.force == 0.0).all()
        bench.ticks(1)
        assert state(bench) is not ServoState.ENGAGED
        bench.servo.part.orders.decide(Reset())
        bench.ticks(50)
        bench.engage()
        bench.ticks(300)
        assert state(bench) is ServoState.ENGAGED


def test_a_silent_device_loses_its_force_and_the_robot_stays(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        pushing(bench)
        bench.device.silent = True
        bench.ticks(20)
        assert (bench.force == 0.0).all()
        assert state(bench) is ServoState.HOLD
        assert bench.shared.cause is Event.DEVICE_LOST
        assert bench.shared.haptics_fault & (Fault.STALE_SAMPLE | Fault.DEVICE_LOST)


def test_an_unfit_device_is_a_fault_with_a_name(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        pushing(bench)
        bench.device.become(DeviceStatus.FAULT)
        bench.ticks(2)
        assert (bench.force == 0.0).all()
        assert bench.shared.fault is Event.DEVICE_FAULT


def test_commands_are_done_or_refused_with_a_reason(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        ask = bench.servo.part.orders.decide
        bench.ticks(5)
        assert ask(Engage()) is Reason.DEAD_MAN
        assert ask(Reset()) is Reason.WRONG_STATE
        assert ask(SetGain(Cause.COUPLING, 5.0)) is Reason.OUT_OF_RANGE
        assert ask(SetGain(Cause.PASSIVITY, 0.0)) is Reason.NOT_POSSIBLE
        assert ask(SetView((0.0,) * 12)) is Reason.OUT_OF_RANGE
        pushing(bench)
        assert ask(SetMode(Mode.RATE)) is Reason.WRONG_STATE
        assert ask(Hold()) is Reason.ACCEPTED
        bench.ticks(2)
        assert state(bench) is ServoState.HOLD


def test_a_hand_that_is_uncoupled_by_command_moves_alone(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        bench.engage()
        bench.servo.part.orders.decide(Clutch(True))
        q = bench.robot.q
        bench.lead([0.01, 0.01, 0.0], 0.2)
        np.testing.assert_allclose(bench.robot.q, q, atol=1e-12)
        assert bench.shared.clutched == 1
        bench.servo.part.orders.decide(Clutch(False))
        bench.lead([0.02, 0.01, 0.0], 0.2)
        assert np.abs(bench.robot.q - q).max() == pytest.approx(0.01, abs=1e-4)


def test_an_effect_can_be_switched_off_while_it_is_felt(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        pushing(bench)
        for cause in (Cause.COUPLING, Cause.STOPS, Cause.CUES):
            assert bench.servo.part.orders.decide(SetGain(cause, 0.0)) is Reason.ACCEPTED
        before = float(np.linalg.norm(bench.force))
        bench.ticks(5)
        assert 0.0 < np.linalg.norm(bench.force) < before  # along a ramp
        bench.ticks(300)
        assert np.linalg.norm(bench.force) < 1e-9


def test_a_stuck_dead_man_does_not_engage(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        bench.device.buttons = DEAD_MAN
        bench.ticks(100)
        assert state(bench) is ServoState.READY


def test_cues_tell_clutch_limit_and_fault(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path) as bench:
        played: list[tuple[int, int]] = []

        def listen(ticks: int) -> None:
            for _ in range(ticks):
                bench.ticks()
                playing = bench.servo.part.memory.haptics_inputs.cue_count
                if not played or played[-1][0] != playing:
                    played.append((playing, bench.servo.part.memory.haptics_inputs.cue))

        bench.engage()
        listen(1)
        bench.device.buttons = DEAD_MAN | CLUTCH
        listen(5)
        bench.device.buttons = DEAD_MAN
        listen(5)
        bench.lead([0.0, 0.03, 0.0], 0.3)
        listen(5)
        bench.servo.part.orders.decide(EmergencyStop())
        listen(5)
        assert [cue for _, cue in played[1:]] == [Cue.CLUTCH, Cue.CLUTCH, Cue.LIMIT, Cue.FAULT]
