"""Whatever comes in, what goes out is within limits and never jumps; `arms.Led` checks each setpoint."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from station.controllers.shaping import JointLimits, Shaper, ShapingSettings, Stopped
from station.controllers.supervisor import Shape
from tests.controllers.records import all_finite
from tests.controllers.shaping.arms import Floats, Led

JOINTS = 2
LIMITS = ["low", "high", "speed", "acceleration", "jerk", "inner", "outer", "leap"]


@st.composite
def limits(draw: st.DrawFn) -> JointLimits:
    """Limits of arms from slow and soft to fast and stiff."""
    low = draw(st.floats(-3.0, -0.05))
    high = draw(st.floats(0.05, 3.0)) if draw(st.booleans()) else math.inf
    speed, rise = draw(st.floats(0.05, 8.0)), draw(st.floats(0.02, 1.0))
    ramp = draw(st.floats(0.003, 0.5))
    return JointLimits(low, high, speed, speed / rise, speed / rise / ramp, 0.05, 1e3)


numbers = st.one_of(
    st.floats(-4.0, 4.0), st.floats(-0.01, 0.01), st.sampled_from([0.0, 1e6, -1e300, math.nan, math.inf, -math.inf])
)
numbers_mostly_sound = st.one_of(st.floats(-4.0, 4.0), st.floats(-4.0, 4.0), st.floats(-4.0, 4.0), numbers)


class Stretch(NamedTuple):
    """Some ticks of one kind: the first with an odd step in time, the others with 1 ms."""

    kind: str
    value: list[float]
    speed: float
    dt: float
    wanted: Shape
    restart: bool
    ticks: int


stretches = st.builds(
    Stretch,
    kind=st.sampled_from(["step", "step", "ramp", "sine", "noise"]),
    value=st.lists(numbers_mostly_sound, min_size=JOINTS, max_size=JOINTS),
    speed=st.one_of(st.just(0.0), st.floats(-10.0, 10.0), numbers),
    dt=st.sampled_from([1e-3, 1e-3, 1e-3, 4e-3, 1e-5, 0.0, 0.02, 0.7, -0.3, math.nan]),
    wanted=st.sampled_from([Shape.FOLLOW] * 6 + [Shape.BRAKE, Shape.PARK, Shape.IDLE]),
    restart=st.sampled_from([False, False, True]),
    ticks=st.integers(1, 200),
)


def target_at(stretch: Stretch, k: int, random: np.random.Generator) -> Floats:
    """Target of the k-th tick."""
    value: Floats = np.array(stretch.value)
    if stretch.kind == "noise":
        value = value + 0.1 * random.standard_normal(JOINTS)
    with np.errstate(invalid="ignore", over="ignore"):
        if stretch.kind == "ramp":
            value = 0.003 * np.sign(value) * k
        if stretch.kind == "sine":
            value = value * math.sin(0.05 * k)
    return value


def run(led: Led, stretch: Stretch, seed: int) -> None:
    """Feed some ticks of one kind."""
    random = np.random.default_rng(seed)
    if stretch.restart:
        led.inputs.start()
    for k in range(stretch.ticks):
        before, target = led.now, target_at(stretch, k, random)
        led.tick(target, stretch.speed, dt=stretch.dt if k == 0 else 1e-3, wanted=stretch.wanted)
        led.now = led.now if math.isfinite(led.now) else before


FOLLOWED = Stretch("step", [0.0, 0.0], 0.0, 1e-3, Shape.FOLLOW, False, 195)
# A joint that stops slowly, along with another, near the end of its range: it kept less way than it needed.
SOFT = [
    JointLimits(-0.5, math.inf, 7.5, 240.0, 240.0 / 0.40625, 0.05, 1e3),
    JointLimits(-1.0, math.inf, 1.0, 1.0, 2.0, 0.05, 1e3),
]
STOPS_SLOWLY = [
    FOLLOWED._replace(value=[0.0, 1.0], ticks=23),
    FOLLOWED._replace(kind="ramp", value=[-1.0, 0.0], speed=6.0, ticks=127),
    FOLLOWED._replace(kind="ramp", value=[1.0, 0.0], speed=6.0, ticks=129),
    FOLLOWED,
    FOLLOWED._replace(value=[0.0, 1e6], speed=-3.0, ticks=170),
    FOLLOWED._replace(value=[0.0, math.nan], ticks=97),
]


@settings(max_examples=100, deadline=None)
@example(SOFT, STOPS_SLOWLY, 0)
@given(st.lists(limits(), min_size=JOINTS, max_size=JOINTS), st.lists(stretches, max_size=12), st.integers(0, 1000))
def test_whatever_comes_in_setpoints_keep_their_limits(
    joints: list[JointLimits], script: list[Stretch], seed: int
) -> None:
    with Led(joints) as led:
        led.start()
        for number, stretch in enumerate(script):
            run(led, stretch, seed + number)
            assert all_finite(led.shaper.state)
        led.inputs.start()
        assert led.tick(led.arm).running  # it can always be started again


@settings(max_examples=60, deadline=None)
@given(st.lists(limits(), min_size=JOINTS, max_size=JOINTS), st.lists(stretches, max_size=4), st.integers(0, 1000))
def test_a_hold_always_ends_at_rest_within_the_range(
    joints: list[JointLimits], script: list[Stretch], seed: int
) -> None:
    longest = max(joint.speed / joint.acceleration + 2.0 * joint.acceleration / joint.jerk for joint in joints)
    with Led(joints) as led:
        led.start()
        for number, stretch in enumerate(script):
            run(led, stretch._replace(wanted=Shape.FOLLOW, restart=False, dt=1e-3), seed + number)
        answer = led.ticks(longest + 0.002, 0.0, wanted=Shape.BRAKE)
    assert answer.at_rest
    assert np.all(answer.v == 0.0)
    assert all(joint.low - 1e-9 <= q <= joint.high + 1e-9 for joint, q in zip(joints, answer.q, strict=True))


@settings(max_examples=25, deadline=None)
@given(st.lists(limits(), min_size=JOINTS, max_size=JOINTS), st.lists(st.floats(-2.0, 2.0), min_size=2, max_size=2))
def test_a_target_that_stands_still_is_reached_without_passing_it(
    joints: list[JointLimits], seconds_away: list[float]
) -> None:
    goal = np.array([away * joint.speed for away, joint in zip(seconds_away, joints, strict=True)])
    reachable = np.array([min(max(q, joint.low), joint.high) for q, joint in zip(goal, joints, strict=True)])
    passed = np.zeros(JOINTS)
    slowest = max(3.0 * joint.speed / joint.acceleration + 8.0 * joint.acceleration / joint.jerk for joint in joints)
    with Led(joints) as led:
        led.start()
        for _ in range(math.ceil((2.3 + slowest) / 1e-3)):
            answer = led.tick(goal)
            passed = np.maximum(passed, np.sign(reachable) * (answer.q - reachable))
    assert answer.stopped is Stopped.FINE
    assert np.all(np.abs(answer.q - reachable) < 2e-4)
    assert np.all(passed <= 5e-3 * np.abs(reachable) + 1e-6)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_numbers_written_over_by_chance_send_nothing_that_is_no_number(data: st.DataObject) -> None:
    """State and settings as another kernel might spoil them: setpoints stay finite, or there are none."""
    shaper = _SPOILT
    shaper.state.reset()
    inputs = shaper.inputs()
    inputs.link(0.0)
    inputs.at(0.0, Shape.FOLLOW)
    inputs.start()
    shaper.tick(inputs)
    good = shaper.numbers.copy()
    where = data.draw(
        st.tuples(st.sampled_from(["q", "v", "a", "new_q", "new_v", "new_a", "apart"]), st.integers(0, 1))
    )
    limit = data.draw(st.tuples(st.sampled_from(LIMITS), st.integers(0, 1)))
    for k in range(1, 50):
        inputs.target[:] = 0.3
        inputs.at(1e-3 * k, Shape.FOLLOW)
        if k == 20:
            spoilt = data.draw(st.sampled_from([math.nan, math.inf, 1e200, -5.0]))
            if data.draw(st.booleans()):
                getattr(shaper.state, where[0])[where[1]] = spoilt
            else:
                getattr(shaper.numbers, limit[0])[limit[1]] = spoilt
        answer = shaper.tick(inputs)
        assert np.all(np.isfinite(shaper.setpoint)) == answer.running
        if k > 22 and answer.running and answer.stopped is Stopped.FINE:
            assert np.all(np.abs(answer.v) <= 2.0 + 1e-9)
    shaper.numbers.take(good)


_SPOILT = Shaper([JointLimits(-1.0, 1.0, 2.0, 10.0, 200.0, 0.05, 1e3)] * 2, ShapingSettings(tube=False))
