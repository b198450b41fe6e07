"""Whatever comes in, in whatever order: what must never happen does not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from station.controllers.supervisor import (
    ArmFact,
    Event,
    Facts,
    Shape,
    Stopped,
    Supervisor,
    SupervisorSettings,
    SupervisorState,
    Waiting,
)
from tests.controllers.records import all_finite

LIMITS = SupervisorSettings()
FLAGS = ["device_bad", "closure_lost", "late", "asked_park", "starter_silent"]
COMMANDS = ["engage", "hold", "reset", "estop", "shutdown", "release"]
RUBBISH: dict[str, list[Any]] = {
    "f8": [math.nan, math.inf, -math.inf, -1.0, 0.5, 2.0, 1e300],
    "i8": [-1, 7, 99, 1 << 40],
    "b1": [False, True],
}


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, float, int]:
    """Which fact changes, to what, and for how many ticks nothing else does."""
    kind = draw(st.sampled_from(["dead man", "device", "arm", "ages", "flag", "shaping", "rubbish", "nothing"]))
    rubbish = draw(st.sampled_from(sorted(Facts.fields)))
    arms = [*ArmFact, ArmFact.READY, ArmFact.ACTIVE, ArmFact.ACTIVE]
    value: st.SearchStrategy[tuple[str, float]] = {
        "dead man": st.tuples(st.just("dead_man"), st.sampled_from([False, True, True])),
        "device": st.tuples(st.just("device_ready"), st.sampled_from([False, True, True, True])),
        "arm": st.tuples(st.just("arm_fact"), st.sampled_from(arms)),
        "ages": st.tuples(
            st.sampled_from(["sample_age", "measured_age"]), st.sampled_from([0.0, 0.001, 0.019, 0.06, 9.0])
        ),
        "flag": st.one_of(
            st.tuples(st.sampled_from(FLAGS), st.sampled_from([False, False, False, True])),
            st.tuples(st.just("haptics_faults"), st.sampled_from([0, 0, 0, 1])),
        ),
        "shaping": st.one_of(
            st.tuples(st.just("stopped_for"), st.sampled_from([Stopped.FINE, *Stopped])),
            st.tuples(st.just("at_rest"), st.booleans()),
        ),
        "rubbish": st.tuples(st.just(rubbish), st.sampled_from(RUBBISH[Facts.fields[rubbish].form])),
        "nothing": st.just(("dead_man", False)),
    }[kind]
    where, number = draw(value)
    return where, number, draw(st.sampled_from([1, 1, 2, 5, 100]))


def arm_of(facts: Facts) -> ArmFact | None:
    """How the arm is doing; None for a number that nobody knows."""
    try:
        return facts.arm_fact
    except ValueError:
        return None


def all_fresh(facts: Facts) -> bool:
    """Independent of the kernels: device and arm are there, and what they said is not old."""
    device = facts.device_ready and abs(facts.sample_age) <= LIMITS.sample_limit
    arm = arm_of(facts)
    return device and (
        arm is ArmFact.NONE or (arm is ArmFact.ACTIVE and abs(facts.measured_age) <= LIMITS.measured_limit)
    )


def fine() -> Facts:
    """Facts with everything ready."""
    facts = Facts()
    facts.device_ready, facts.sample_age = True, 0.001
    facts.arm_fact, facts.measured_age = ArmFact.READY, 0.001
    return facts


_SUPERVISOR = Supervisor(LIMITS)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(changes(), st.sampled_from([None, None, None, *COMMANDS])), max_size=50), st.booleans())
def test_the_hand_never_moves_the_robot_without_dead_man_or_with_stale_data(
    script: list[tuple[tuple[str, float, int], str | None]], obedient: bool
) -> None:
    supervisor, facts = _SUPERVISOR, fine()
    supervisor.restart()
    before, seen_up, reset_at, now = SupervisorState.OFF, False, -math.inf, 0.0
    for (where, number, ticks), command in script:
        setattr(facts, where, number)
        for count in range(ticks):
            now += 1e-3
            if where != "now" or math.isfinite(number):
                facts.now = now
            if command is not None and count == 0:
                facts.ask(command)
            given_now = facts.copy()
            after = supervisor.tick(facts)
            if given_now.asked_reset:
                reset_at = now
            if after.state is SupervisorState.ENGAGED:
                assert given_now.dead_man
                assert all_fresh(given_now)
                assert not given_now.asked_estop
                assert not given_now.starter_silent
                assert before is SupervisorState.ENGAGED or seen_up
                seen_up = False
            elif not given_now.dead_man:
                seen_up = True
            if before is SupervisorState.FAULT and after.state is not SupervisorState.FAULT:
                assert after.cause is Event.RESET
                assert now - reset_at <= LIMITS.reset_within + 2e-3
            assert not after.permitted or after.state is SupervisorState.ENGAGED
            assert not after.force or given_now.device_ready
            assert after.stop or not (given_now.asked_estop and arm_of(given_now) is not ArmFact.NONE)
            assert not (after.activate and after.stop)
            assert all_finite(supervisor.memory)
            assert after.waiting in Waiting
            assert after.shape in Shape
            if obedient and after.activate:
                facts.arm_fact = ArmFact.ACTIVE
            before = after.state


def test_random_facts_engage_often_enough_for_the_property_to_mean_something() -> None:
    random, supervisor, facts, engaged = np.random.default_rng(1), Supervisor(LIMITS), fine(), 0
    for number in range(20_000):
        facts.now = 1e-3 * number
        facts.dead_man = bool(random.random() < 0.5) if number % 7 == 0 else facts.dead_man
        facts.arm_fact = ArmFact.ACTIVE if number % 11 else ArmFact.READY
        engaged += supervisor.tick(facts).state is SupervisorState.ENGAGED
    assert 2000 < engaged < 18_000
