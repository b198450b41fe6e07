from __future__ import annotations

import math

import numpy as np
import pytest

from station.controllers.controller import ControlledJoint
from station.controllers.shaping import Acting, JointLimits, Shaper, ShapingError, ShapingSettings, Stopped, limits_of
from station.controllers.supervisor import Shape
from station.devices.parameter import SettingsError
from tests.controllers.shaping.arms import STEP, TYPICAL, Floats, Led


def lag_of_sine(frequency: float, *, with_speed: bool) -> float:
    """By how much the setpoint is late behind a slow sine, from its phase [s]."""
    turn = 2.0 * math.pi * frequency
    times, sent = np.arange(1, 4001) * STEP, np.zeros(4000)
    with Led() as led:
        led.start()
        for k, t in enumerate(times):
            target = 0.02 * math.sin(turn * t) * min(1.0, t)
            speed = 0.02 * turn * math.cos(turn * t) if with_speed else 0.0
            sent[k] = led.tick(target, speed).q[0]
        assert led.last.stopped is Stopped.FINE
    whole = times > 2.0
    basis = np.stack([np.sin(turn * times[whole]), np.cos(turn * times[whole])], axis=1)
    (along, across), *_ = np.linalg.lstsq(basis, sent[whole], rcond=None)
    assert math.hypot(along, across) == pytest.approx(0.02, rel=0.02)
    return float(-math.atan2(across, along) / turn)


@pytest.mark.parametrize("frequency", [0.5, 1.0, 2.0])
def test_a_smooth_motion_is_followed_within_a_tick(frequency: float) -> None:
    assert abs(lag_of_sine(frequency, with_speed=True)) < STEP


def test_without_the_speed_of_the_target_it_lags_by_the_way_it_needs_to_stop() -> None:
    assert 0.005 < lag_of_sine(0.5, with_speed=False) < 0.050


def test_a_far_target_is_reached_nearly_as_fast_as_can_be() -> None:
    import ruckig  # type: ignore[import-not-found]

    move, wish = ruckig.Trajectory(1), ruckig.InputParameter(1)
    wish.target_position, wish.max_velocity = [1.0], [TYPICAL.speed]
    wish.max_acceleration, wish.max_jerk = [TYPICAL.acceleration], [TYPICAL.jerk]
    ruckig.Ruckig(1).calculate(wish, move)
    with Led((TYPICAL,)) as led:
        led.start()
        led.ticks(1.1 * move.duration, 1.0)
    assert led.last.q[0] == pytest.approx(1.0, abs=0.005)


def test_a_target_beyond_the_range_is_followed_up_to_its_end() -> None:
    with Led() as led:
        led.start(2.5)
        led.ticks(2.0, 9.0)
        assert led.last.q == pytest.approx(TYPICAL.high, abs=1e-6)
        assert led.last.stopped is Stopped.FINE


def test_what_holds_back_is_told() -> None:
    with Led() as led:
        led.start()
        seen = Acting.NOTHING
        for _ in range(300):
            seen |= led.tick(2.0).acting
    assert seen == Acting.SPEED | Acting.ACCELERATION


def test_the_end_of_the_range_holds_back_even_a_target_that_rushes_there() -> None:
    with Led() as led:
        led.start(2.5)
        seen = Acting.NOTHING
        for k in range(200):
            seen |= led.tick(2.5 + 0.002 * k, 2.0).acting
    assert Acting.POSITION in seen
    assert np.all(led.last.q <= TYPICAL.high)


def test_a_start_is_at_the_measured_pose_wherever_the_target_is() -> None:
    with Led() as led:
        led.arm[:] = 0.7
        led.inputs.start()
        assert led.tick(-1.0).q == pytest.approx(0.7, abs=1e-6)  # within limits from there on, gently
        assert np.all(led.tick(-1.0).q > 0.7 - 1e-6)


def test_a_start_in_motion_goes_on_with_the_measured_speed() -> None:
    with Led() as led:
        assert led.start(0.0, speed=0.5).v == pytest.approx(0.5)
        held = led.ticks(1.0, 0.0, wanted=Shape.BRAKE)
        assert held.at_rest
        assert np.all(held.q > 0.0)


def test_a_measured_speed_from_which_one_cannot_stop_is_not_taken() -> None:
    with Led() as led:
        led.start(2.79, speed=1.5)
        assert np.all(led.last.v < 0.5)
        assert led.ticks(1.0, 0.0, wanted=Shape.BRAKE).at_rest


def test_an_arm_a_little_outside_its_range_comes_back_without_a_jump() -> None:
    with Led() as led:
        led.start(2.815)
        assert led.last.running
        led.ticks(1.0, 5.0)
        assert led.last.q == pytest.approx(2.8, abs=1e-3)
        assert led.ticks(2.0, 0.0).q == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("pose", [2.9, -3.5, math.nan, math.inf])
def test_an_arm_far_outside_its_range_or_unknown_is_not_started(pose: float) -> None:
    with Led() as led:
        led.start(pose)
        assert (led.last.running, led.last.stopped) == (False, Stopped.TUBE)


def test_an_arm_whose_measurement_is_old_is_not_started() -> None:
    with Led() as led:
        led.inputs.link(0.3)
        assert not led.start().running


def test_idle_sends_nothing_and_needs_a_start() -> None:
    with Led() as led:
        led.start()
        led.ticks(0.1, 0.5)
        assert not led.tick(0.5, wanted=Shape.IDLE).running
        assert not led.tick(0.5).running
        assert led.start(0.2).running


def test_a_hold_stops_within_limits_and_stays() -> None:
    with Led() as led:
        led.start()
        led.ticks(0.4, 2.0)
        held = led.ticks(1.0, 2.0, wanted=Shape.BRAKE)
        assert held.at_rest
        place = held.q.copy()
        assert np.array_equal(led.ticks(0.5, 2.0, wanted=Shape.BRAKE).q, place)


def driven(led: Led, speeds: Floats, seconds: float = 0.6) -> None:
    """Joints that follow evenly moving targets."""
    for number in range(round(seconds / STEP)):
        led.tick(speeds * STEP * (number + 1), speeds)


def test_a_hold_keeps_to_the_way() -> None:
    """A fast and a slow joint, one with half of the limits: all stop together, in the direction that they had."""
    speeds = np.array([1.5, -0.5, 0.2, 0.0])
    half = TYPICAL._replace(acceleration=5.0, jerk=100.0)
    with Led((TYPICAL, TYPICAL, half, TYPICAL)) as led:
        led.start()
        driven(led, speeds)
        began, ways, rests = led.last.q.copy(), [], []
        for _ in range(400):
            led.tick(0.0, wanted=Shape.BRAKE)
            ways.append(led.last.q - began)
            rests.append(led.last.v == 0.0)
        assert led.last.at_rest
        stopped = [int(np.argmax(column)) for column in np.array(rests).T[:3]]
        assert max(stopped) - min(stopped) <= 1  # [ticks]
        assert max(stopped) * STEP == pytest.approx(1.5 / 10.0 + 10.0 / 200.0, abs=0.005)  # as soon as the fast one can
        way = np.array(ways)
        along = way @ speeds / (speeds @ speeds)
        assert np.abs(way - along[:, None] * speeds).max() < 0.005 * np.abs(way).max()  # each by itself: 0.16


def test_a_joint_without_room_stops_by_itself_in_a_hold() -> None:
    """To stop along with the fast joint, the slow one would have to pass its end."""
    with Led((TYPICAL, TYPICAL._replace(high=0.35))) as led:
        led.start()
        driven(led, np.array([1.9, 0.5]), 0.63)
        assert 0.3 < led.last.q[1] < 0.32
        held = led.ticks(1.0, 0.0, wanted=Shape.BRAKE)
        assert held.at_rest
        assert 0.33 < held.q[1] <= 0.35


def test_a_late_tick_does_not_leap() -> None:
    with Led() as led:
        led.start()
        led.ticks(0.4, 2.0)
        before = led.last.q.copy()
        led.tick(2.0, dt=0.040)
        assert np.all(led.last.q - before <= 0.025 * TYPICAL.speed)


def test_by_the_clock_on_the_wall_late_ticks_are_on_the_same_smooth_motion() -> None:
    even: list[float] = []
    uneven: list[float] = []
    for late, rows in ((False, even), (True, uneven)):
        with Led() as led:
            led.start()
            for number in range(1, 33):
                for _ in range(1 if late else 25):
                    led.tick(2.0, dt=0.025 if late else 0.001)
                if number > 16:
                    led.tick(2.0, dt=0.001)  # and some that are in time
                rows.append(float(led.last.q[0]))
    assert np.abs(np.array(even) - np.array(uneven)).max() < 1e-3
    assert even[-1] > 0.5


def test_limits_are_a_share_of_the_arms_own_and_set_where_it_tells_none() -> None:
    told = ControlledJoint(name="a", low=-1.0, high=1.0, speed=2.0, acceleration=10.0, jerk=100.0)
    silent = ControlledJoint(name="b", prismatic=True)
    turning, sliding = limits_of((told, silent), ShapingSettings(share=0.5))
    assert turning[:5] == (-1.0, 1.0, 1.0, 5.0, 50.0)
    assert sliding[:5] == (-math.inf, math.inf, 0.25, 1.25, 25.0)
    assert sliding.outer == pytest.approx(0.15 * 0.25)


def test_limits_within_which_nothing_can_move_are_refused() -> None:
    with pytest.raises(ShapingError, match="speed limit is 0; allowed"):
        limits_of((ControlledJoint(name="a", speed=0.0),))
    with pytest.raises(ShapingError, match="low below high"):
        limits_of((ControlledJoint(name="a", low=1.0, high=-1.0),))
    with pytest.raises(ShapingError, match="jerk limit is nan"):
        Shaper([JointLimits(-1.0, 1.0, 1.0, 1.0, math.nan, 0.05, 0.15)])
    with pytest.raises(ShapingError, match="at least one"):
        Shaper([])
    with pytest.raises(SettingsError, match="more than inner"):
        ShapingSettings(inner=0.2, outer=0.1)
