"""What stops the arm, each injected: stale targets, the tube, setpoints that must not be sent."""

from __future__ import annotations

import math

import numpy as np
import pytest

from station.controllers.shaping import JointLimits, Refusal, ShapingSettings, Stopped
from station.controllers.shaping.motion import after
from station.controllers.shaping.shaper import refusal
from station.controllers.supervisor import Shape
from tests.controllers.shaping.arms import STEP, TYPICAL, Led, park_for_a_while


def moving(settings: ShapingSettings | None = None) -> Led:
    """An arm on its way, at about 1 rad/s."""
    led = Led(settings=settings)
    led.start()
    led.ticks(0.2, 2.0)
    assert np.all(led.last.v > 0.5)
    return led


def rests(led: Led) -> bool:
    """Whether it comes to rest, whatever it is told, and stays stopped until it is started anew."""
    stopped = led.last.stopped
    led.ticks(0.6, 2.0)
    assert led.last.stopped is stopped
    return led.last.at_rest


def test_a_stale_target_stops_the_arm() -> None:
    with moving() as led:
        assert led.tick(2.0, target_age=0.049).stopped is Stopped.FINE
        assert led.tick(2.0, target_age=0.051).stopped is Stopped.STALE
        assert rests(led)
        assert led.start(led.arm.copy()).stopped is Stopped.FINE


def test_a_clock_that_goes_back_stops_the_arm() -> None:
    for dt in (-1.0, math.nan, math.inf):
        with moving() as led:
            now = led.now
            led.tick(2.0, dt=dt)
            led.now = now
            assert led.last.stopped is Stopped.STALE
            assert rests(led)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_target_that_is_no_number_stops_the_arm(bad: float) -> None:
    with moving() as led:
        led.tick([2.0, bad])
        assert led.last.stopped is Stopped.REFUSED
        assert (led.shaper.refusals, led.shaper.last_refusal) == (1, (Refusal.NOT_FINITE, 1))
        assert rests(led)


def test_a_stuck_arm_is_slowed_and_then_stopped() -> None:
    with moving() as led:
        led.stuck = True
        slowest = 1.0
        for _ in range(1000):
            led.tick(2.0, target_age=0.0)
            if led.last.stopped is Stopped.FINE:
                slowest = min(slowest, led.last.slow)
        assert led.last.stopped is Stopped.TUBE
        assert slowest < 0.3  # there was a warning before
        assert led.last.at_rest
        assert np.all(led.last.q - led.arm < 0.15 + 0.25 * TYPICAL.speed)  # tube, lag, and the way of stopping


@pytest.mark.parametrize("speed", [0.02, 0.1, 0.35])  # of the target [rad/s]; the arm could do 2
def test_an_arm_that_is_held_back_is_slowed_however_slowly_it_moves(speed: float) -> None:
    """A hand lets it go on only so far behind what it is sent that the tube leaves half of the speed."""
    with Led((TYPICAL,)) as led:
        led.start(-1.0)
        led.stuck, target = True, -1.0
        for k in range(12000):
            target = min(target + speed * STEP, 0.5)
            led.tick(target, speed if target < 0.5 else 0.0)
            held = led.last.q[0] - speed * 0.1 - 0.10  # behind all that was sent within the lag
            led.arm[:] = max(held, led.arm[0]) if k > 500 else led.last.q
            if k > 2000 and target < 0.5 and led.last.slow < 1.0:
                assert led.last.v[0] <= (led.last.slow + 0.05) * speed
        assert led.last.stopped is Stopped.FINE


def test_a_slowed_arm_is_as_fast_as_before_once_it_is_let_go() -> None:
    speed, slowest, fastest = 0.35, 1.0, 0.0
    with Led((TYPICAL,)) as led:
        led.start(-1.0)
        led.stuck = True
        for k in range(4000):
            led.tick(-1.0 + speed * k * STEP, speed)
            held = 1500 < k < 2500
            led.arm[:] = max(led.last.q[0] - 0.14, led.arm[0]) if held else led.last.q
            slowest = min(slowest, led.last.v[0]) if 1800 < k < 2500 else slowest
            fastest = max(fastest, led.last.v[0])
        assert slowest < 0.7 * speed
        assert fastest > 1.2 * speed  # it has caught up
        assert led.last.q[0] == pytest.approx(-1.0 + speed * 3.999, abs=1e-3)
        assert led.last.stopped is Stopped.FINE


def test_an_arm_that_lags_as_expected_is_not_slowed() -> None:
    with Led() as led:
        led.start()
        led.stuck, sent = True, []
        for k in range(2000):
            sent.append(led.tick(0.5 * math.sin(3.0 * k * STEP), 1.5 * math.cos(3.0 * k * STEP)).q.copy())
            led.arm[:] = sent[max(0, k - 100)]  # a tenth of a second behind
            assert (led.last.stopped, led.last.slow) == (Stopped.FINE, 1.0)


def test_a_long_link_needs_its_delay_to_be_told() -> None:
    def run(delay: float) -> Stopped:
        with Led() as led:
            led.start()
            led.stuck, sent = True, []
            led.inputs.link(0.001, delay)
            for k in range(2500):
                sent.append(led.tick(math.sin(1.5 * k * STEP), 1.5 * math.cos(1.5 * k * STEP)).q.copy())
                led.arm[:] = sent[max(0, k - 1000)]  # a whole second behind
            return led.last.stopped

    assert run(1.0) is Stopped.FINE
    assert run(0.0) is Stopped.TUBE


def test_an_arm_pushed_aside_stops() -> None:
    with moving() as led:
        led.stuck = True
        led.arm[1] += 0.2
        led.tick(2.0)
        assert led.last.stopped is Stopped.TUBE
        assert led.shaper.state.worst_joint == 1
        assert rests(led)


@pytest.mark.parametrize("age", [0.26, math.nan, math.inf])
def test_an_arm_that_is_not_measured_any_more_stops(age: float) -> None:
    with moving() as led:
        led.inputs.link(age)
        led.tick(2.0)
        assert led.last.stopped is Stopped.TUBE
        assert rests(led)


def test_without_the_tube_a_stuck_arm_is_not_noticed() -> None:
    with moving(ShapingSettings(tube=False)) as led:
        led.stuck = True
        led.ticks(1.5, 2.0)
        assert led.last.stopped is Stopped.FINE


SPOILS = {  # what is added to the positions of a move; and why it is then refused
    "not finite": (math.nan, Refusal.NOT_FINITE),
    "out of range": (2.9, Refusal.OUT_OF_RANGE),
    "a jump": (0.1, Refusal.JUMP),
    "a small jump": (0.005, Refusal.TOO_FAST),
    "does not belong together": (1e-5, Refusal.NOT_SMOOTH),
}


@pytest.mark.parametrize(("added", "reason"), SPOILS.values(), ids=SPOILS.keys())
def test_a_setpoint_that_must_not_be_sent_is_replaced_by_a_stop(added: float, reason: Refusal) -> None:
    with Led() as led:
        park_for_a_while(led)
        led.shaper.state.pieces[1, : led.shaper.state.piece_count[1], 1] += added
        led.tick(0.0, wanted=Shape.PARK)
        assert led.last.stopped is Stopped.REFUSED
        assert (led.shaper.refusals, led.shaper.last_refusal) == (1, (reason, 1))
        led.ticks(1.0, 0.0, wanted=Shape.PARK)
        assert led.last.at_rest


GOOD = ((1.0, 0.5, 2.0), 100.0)  # a joint, and the jerk for the next tick
STEPS = {
    "fine": (GOOD, (0.0, 0.0, 0.0), Refusal.NONE),
    "position is no number": (GOOD, (math.nan, 0.0, 0.0), Refusal.NOT_FINITE),
    "speed is infinite": (GOOD, (0.0, math.inf, 0.0), Refusal.NOT_FINITE),
    "acceleration is no number": (GOOD, (0.0, 0.0, math.nan), Refusal.NOT_FINITE),
    "beyond the range": (GOOD, (1.9, 0.0, 0.0), Refusal.OUT_OF_RANGE),
    "a leap": (GOOD, (-0.02, 0.0, 0.0), Refusal.JUMP),
    "too far for the time": (GOOD, (0.003, 0.0, 0.0), Refusal.TOO_FAST),
    "too fast": (GOOD, (0.0, 1.6, 0.0), Refusal.TOO_FAST),
    "speed steps": (GOOD, (0.0, 0.02, 0.0), Refusal.TOO_SUDDEN),
    "too much acceleration": (((1.0, 0.5, 9.95), 100.0), (0.0, 0.0, 0.0), Refusal.TOO_SUDDEN),
    "acceleration steps": (GOOD, (0.0, 0.0, 0.2), Refusal.TOO_JERKY),
    "speed without position": (GOOD, (1e-6, 0.0, 0.0), Refusal.NOT_SMOOTH),
    "acceleration without speed": (GOOD, (0.0, 1e-3, 0.0), Refusal.NOT_SMOOTH),
    "too close to the end of the range": (((2.79, 0.5, 0.0), 0.0), (0.0, 0.0, 0.0), Refusal.CANNOT_STOP),
    "too close to the speed limit": (((1.0, 1.99, 5.0), 0.0), (0.0, 0.0, 0.0), Refusal.CANNOT_STOP),
}


@pytest.mark.parametrize(("sound", "added", "reason"), STEPS.values(), ids=STEPS.keys())
def test_the_last_check_names_what_is_wrong(
    sound: tuple[tuple[float, float, float], float], added: tuple[float, float, float], reason: Refusal
) -> None:
    led = Led((TYPICAL,))
    (was, jerk), state = sound, led.shaper.state
    state.q[0], state.v[0], state.a[0] = was
    state.new_q[0], state.new_v[0], state.new_a[0] = np.array(after(*was, jerk, STEP)) + added
    assert refusal(state, led.shaper.numbers, STEP) == reason


def test_a_move_that_could_not_be_stopped_in_time_is_refused() -> None:
    with Led([JointLimits(-1.0, 1.0, 2.0, 10.0, 200.0, 0.05, 0.15)]) as led:
        led.start()
        led.shaper.park([1.0])
        state = led.shaper.state
        state.piece_count[0] = 3  # speed up, then go on for ever
        state.pieces[0, :3] = [[0.0, 0.0, 0.0, 0.0, 100.0], [0.1, 1 / 60, 0.5, 10.0, -100.0], [9.0, 9.0, 0.0, 0.0, 0.0]]
        led.ticks(0.2, 0.0, wanted=Shape.PARK)
        state.piece_count[0] = 2
        led.ticks(1.0, 0.0, wanted=Shape.PARK)
        assert led.last.stopped is Stopped.REFUSED
        assert led.last.at_rest
        assert np.all(led.last.q <= 1.0)
