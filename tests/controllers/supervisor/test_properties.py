"""Whatever comes in, in whatever order: what must never happen does not."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from station.controllers.supervisor import Event, Facts, Supervisor, SupervisorSettings, SupervisorState
from station.controllers.supervisor.kernels import layout as at

LIMITS = SupervisorSettings()
FLAGS = [at.DEVICE_BAD, at.HAPTICS, at.SOLVER_LOST, at.LATE, at.ASKED_PARK, at.STARTER_SILENT]
COMMANDS = ["engage", "hold", "reset", "estop", "shutdown", "release"]
RUBBISH = [math.nan, math.inf, -math.inf, -1.0, 0.5, 2.0, 1e300]


@st.composite
def changes(draw: st.DrawFn) -> tuple[int, float, int]:
    """Where a fact changes, to what, and for how many ticks nothing else does."""
    kind = draw(st.sampled_from(["dead man", "device", "arm", "ages", "flag", "shaping", "rubbish", "nothing"]))
    value = {
        "dead man": st.tuples(st.just(at.DEAD_MAN), st.sampled_from([0.0, 1.0, 1.0])),
        "device": st.tuples(st.just(at.DEVICE_READY), st.sampled_from([0.0, 1.0, 1.0, 1.0])),
        "arm": st.tuples(st.just(at.ARM), st.sampled_from([0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0, 5.0, 6.0])),
        "ages": st.tuples(
            st.sampled_from([at.SAMPLE_AGE, at.MEASURED_AGE]), st.sampled_from([0.0, 0.001, 0.019, 0.06, 9.0])
        ),
        "flag": st.tuples(st.sampled_from(FLAGS), st.sampled_from([0.0, 0.0, 0.0, 1.0])),
        "shaping": st.tuples(st.sampled_from([at.SHAPING, at.AT_REST]), st.sampled_from([0.0, 0.0, 1.0, 2.0, 3.0])),
        "rubbish": st.tuples(st.integers(0, at.INPUTS_SIZE - 1), st.sampled_from(RUBBISH)),
        "nothing": st.just((at.DEAD_MAN, 0.0)),
    }[kind]
    where, number = draw(value)
    return where, number, draw(st.sampled_from([1, 1, 2, 5, 100]))


def all_fresh(numbers: np.ndarray[tuple[int], np.dtype[np.float64]]) -> bool:
    """Independent of the kernels: device and arm are there, and what they said is not old."""
    device = numbers[at.DEVICE_READY] == 1.0 and abs(numbers[at.SAMPLE_AGE]) <= LIMITS.sample_limit
    arm = numbers[at.ARM] == at.NO_ARM or (
        numbers[at.ARM] == at.ARM_ACTIVE and abs(numbers[at.MEASURED_AGE]) <= LIMITS.measured_limit
    )
    return bool(device and arm)


def fine() -> Facts:
    """Facts with everything ready."""
    facts = Facts()
    facts.numbers[at.DEVICE_READY], facts.numbers[at.SAMPLE_AGE] = 1.0, 0.001
    facts.numbers[at.ARM], facts.numbers[at.MEASURED_AGE] = at.ARM_READY, 0.001
    return facts


_SUPERVISOR = Supervisor(LIMITS)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(changes(), st.sampled_from([None, None, None, *COMMANDS])), max_size=50), st.booleans())
def test_the_hand_never_moves_the_robot_without_dead_man_or_with_stale_data(
    script: list[tuple[tuple[int, float, int], str | None]], obedient: bool
) -> None:
    supervisor, facts = _SUPERVISOR, fine()
    supervisor.restart()
    before, seen_up, reset_at, now = SupervisorState.OFF, False, -math.inf, 0.0
    for (where, number, ticks), command in script:
        facts.numbers[where] = number
        for count in range(ticks):
            now += 1e-3
            if where != at.NOW or math.isfinite(number):
                facts.numbers[at.NOW] = now
            if command is not None and count == 0:
                facts.ask(command)
            given_now = facts.numbers.copy()
            after = supervisor.tick(facts)
            numbers = np.nan_to_num(given_now, nan=7.0)
            if given_now[at.ASKED_RESET] == 1.0:
                reset_at = now
            if after.state is SupervisorState.ENGAGED:
                assert given_now[at.DEAD_MAN] == 1.0
                assert all_fresh(numbers)
                assert given_now[at.ASKED_ESTOP] == given_now[at.STARTER_SILENT] == 0.0
                assert before is SupervisorState.ENGAGED or seen_up
                seen_up = False
            elif given_now[at.DEAD_MAN] != 1.0:
                seen_up = True
            if before is SupervisorState.FAULT and after.state is not SupervisorState.FAULT:
                assert after.cause is Event.RESET
                assert now - reset_at <= LIMITS.reset_within + 2e-3
            assert not after.permitted or after.state is SupervisorState.ENGAGED
            assert not after.force or numbers[at.DEVICE_READY] == 1.0
            assert after.stop or not (given_now[at.ASKED_ESTOP] != 0.0 and given_now[at.ARM] != at.NO_ARM)
            assert not (after.activate and after.stop)
            assert np.all(np.isfinite(supervisor.state))
            assert np.all(np.isfinite(supervisor.outputs))
            if obedient and after.activate:
                facts.numbers[at.ARM] = at.ARM_ACTIVE
            before = after.state


def test_random_facts_engage_often_enough_for_the_property_to_mean_something() -> None:
    random, supervisor, facts, engaged = np.random.default_rng(1), Supervisor(LIMITS), fine(), 0
    for number in range(20_000):
        facts.numbers[at.NOW] = 1e-3 * number
        facts.numbers[at.DEAD_MAN] = float(random.random() < 0.5) if number % 7 == 0 else facts.numbers[at.DEAD_MAN]
        facts.numbers[at.ARM] = at.ARM_ACTIVE if number % 11 else at.ARM_READY
        engaged += supervisor.tick(facts).state is SupervisorState.ENGAGED
    assert 2000 < engaged < 18_000
