"""Arms that hold one thing: what they are told stays where the thing allows it, within the limits of each."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
import pytest

from station.controllers.shaping import Acting, JointLimits, Shaper, ShapingSettings, Stopped, shape_together, tie
from station.controllers.supervisor import Shape
from tests.controllers.shaping.arms import STEP, TYPICAL, Floats, check_setpoints

SLOW = JointLimits(-6.0, 6.0, 0.8, 4.0, 60.0, 0.05, 0.15)
FAST = JointLimits(-6.0, 6.0, 3.0, 20.0, 500.0, 0.05, 0.15)
ARMS = ((SLOW, FAST, TYPICAL), (FAST, TYPICAL))
# Five joints of which two can be chosen: the others follow as the thing between the arms wants it.
WAYS = np.array([[1.0, -0.4], [0.3, 0.8], [-0.7, 0.2], [0.5, 0.5], [-0.2, -1.0]])


class Pair:
    """Two arms that are tied, or not; leaving the context checks every setpoint."""

    def __init__(self, arms: Sequence[Sequence[JointLimits]] = ARMS, *, tied: bool = True, tube: bool = False) -> None:
        self.shapers = [Shaper(arm, ShapingSettings(tube=tube)) for arm in arms]
        self.inputs = [shaper.inputs() for shaper in self.shapers]
        self.wanted = [Shape.FOLLOW for _ in arms]
        self._tied = (
            tie([(one.state, one.numbers, told) for one, told in zip(self.shapers, self.inputs, strict=True)])
            if tied
            else None
        )
        self._ends = np.cumsum([len(arm) for arm in arms])[:-1]
        self._limits = np.array([joint[:5] for arm in arms for joint in arm]).T
        self._sent: list[Floats] = []
        self.now = 1.0
        for told in self.inputs:
            told.link(0.001)
            told.start()
        self.tick(np.zeros(self._limits.shape[1]))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            sent = np.array(self._sent)
            check_setpoints(sent, np.full(len(sent), STEP), self._limits)

    def tick(self, target: Floats, speed: Floats | float = 0.0) -> Floats:
        """One tick; the setpoints of all joints [rad]."""
        self.now += STEP
        speeds = np.broadcast_to(speed, target.shape)
        parts = zip(self.inputs, self.wanted, np.split(target, self._ends), np.split(speeds, self._ends), strict=True)
        for told, wanted, q, v in parts:
            told.target[:], told.target_v[:] = q, v
            told.at(self.now, wanted)
        if self._tied is not None:
            shape_together(self._tied)
        else:
            for shaper, told in zip(self.shapers, self.inputs, strict=True):
                shaper.tick(told)
        states = [shaper.state for shaper in self.shapers]
        self._sent.append(np.array([np.concatenate([getattr(one, name) for one in states]) for name in "qva"]))
        for told, state in zip(self.inputs, states, strict=True):
            told.measured[:] = state.q
        sent: Floats = self._sent[-1][0]
        return sent

    @property
    def speed(self) -> Floats:
        """Of all joints, as sent [rad/s]."""
        v: Floats = self._sent[-1][1]
        return v


def off_the_way(q: Floats) -> float:
    """How far joints are from where the thing allows them to be [rad]."""
    inside, *_ = np.linalg.lstsq(WAYS, q, rcond=None)
    return float(np.abs(WAYS @ inside - q).max())


def jerky(seconds: float, size: float, seed: int) -> tuple[Floats, Floats]:
    """A hand that leaps, goes and stops at once: two coordinates and their speeds, tick by tick."""
    random = np.random.default_rng(seed)
    speeds = np.repeat(size * random.standard_normal((round(seconds / 0.05), 2)), 50, axis=0)
    speeds[::3] = 0.0
    leaps = np.zeros_like(speeds)
    leaps[::400] = 0.05 * size * random.standard_normal((len(leaps[::400]), 2))
    return np.cumsum(STEP * speeds + leaps, axis=0), speeds


@pytest.mark.parametrize("seed", range(5))
def test_what_tied_arms_are_told_keeps_the_loop_closed_however_the_hand_jerks(seed: int) -> None:
    worst = {}
    for tied in (True, False):
        with Pair(tied=tied) as pair:
            worst[tied] = max(
                off_the_way(pair.tick(WAYS @ q, WAYS @ v)) for q, v in zip(*jerky(3.0, 0.2, seed), strict=True)
            )
    assert worst[True] < 1e-10
    assert worst[False] > 1e-4


@pytest.mark.parametrize("way", [1e-4, 0.01, 0.1, 0.5])
def test_a_target_is_reached_as_soon_as_by_the_slowest_alone_and_not_passed(way: float) -> None:
    goal = way * WAYS @ [1.0, 0.5]
    ticks = {}
    for tied in (True, False):
        with Pair(tied=tied) as pair:
            path = np.array([pair.tick(goal) for _ in range(3000)]) / goal
        assert path.max() < 1.0 + 1e-6
        assert np.abs(path[-1] - 1.0).max() < 1e-9
        ticks[tied] = int(np.argmax(np.abs(path - 1.0).max(axis=1) < 0.01))
    assert ticks[True] <= 1.15 * ticks[False]


def test_a_smooth_motion_is_followed_as_by_arms_that_are_not_tied() -> None:
    times = np.arange(1, 2001) * STEP
    sizes = 0.0005 * np.minimum(times, 1.0) ** 3
    with Pair() as pair, Pair(tied=False) as single:
        for t, size in zip(times, sizes, strict=True):
            target, speed = size * np.sin(3.0 * t) * WAYS[:, 0], 3.0 * size * np.cos(3.0 * t) * WAYS[:, 0]
            np.testing.assert_allclose(pair.tick(target, speed), single.tick(target, speed), atol=1e-9)


def test_if_one_arm_may_not_follow_both_stop_at_the_same_time() -> None:
    with Pair() as pair:
        for k in range(300):
            pair.tick(WAYS[:, 0] * 0.0005 * k, 0.5 * WAYS[:, 0])
        first, second = (shaper.state for shaper in pair.shapers)
        first.stopped = Stopped.TUBE
        moving, off = [], 0.0
        for k in range(300, 900):
            off = max(off, off_the_way(pair.tick(WAYS[:, 0] * 0.0005 * k, 0.5 * WAYS[:, 0])))
            moving.append(pair.speed != 0.0)
        assert second.stopped == Stopped.FINE  # it may go on as soon as the other may
        last = np.array([np.flatnonzero(joint).max() for joint in np.transpose(moving)])
        assert np.ptp(last) <= 2  # ticks
        assert last.max() < 400
        assert off < 1e-3  # over a way of 60 mrad; joints whose jerk is not in proportion stop in another curve


def test_an_arm_that_presses_slows_the_other_as_well() -> None:
    with Pair() as pair:
        for k in range(300):
            pair.tick(WAYS[:, 0] * 0.0002 * k, 0.2 * WAYS[:, 0])
        pair.inputs[1].press(1.0)  # as hard as it may
        for k in range(300, 700):
            assert off_the_way(pair.tick(WAYS[:, 0] * 0.0002 * k, 0.2 * WAYS[:, 0])) < 1e-9
        assert np.abs(pair.speed).max() < 1e-3
        assert Acting.SLOWED in Acting(pair.shapers[0].state.acting)
        assert Acting.PRESSING not in Acting(pair.shapers[0].state.acting)
        assert Acting.PRESSING in Acting(pair.shapers[1].state.acting)


def test_an_arm_that_is_idle_does_not_hold_the_other() -> None:
    with Pair(((TYPICAL,), (TYPICAL,))) as pair:
        pair.wanted[1] = Shape.IDLE
        for _ in range(1000):
            pair.tick(np.array([0.1, 0.1]))
        assert not pair.shapers[1].state.running
        assert pair.shapers[0].state.q[0] == pytest.approx(0.1)


def test_a_late_tick_is_gone_through_together() -> None:
    with Pair() as pair:
        path, speeds = jerky(1.0, 0.2, 1)
        for k, (q, v) in enumerate(zip(path, speeds, strict=True)):
            if k == 500:
                break
            pair.tick(WAYS @ q, WAYS @ v)
    pair.now += 0.018
    assert off_the_way(pair.tick(WAYS @ path[519], WAYS @ speeds[519])) < 1e-10
    assert all(shaper.state.step == pytest.approx(0.019) for shaper in pair.shapers)
    assert all(shaper.state.stopped == Stopped.FINE for shaper in pair.shapers)
