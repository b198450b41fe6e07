"""Supervisor and shaping for 7 joints, beside ruckig alone: `python -m benchmarks.shaping`.

The target is the same for both: seven sines that stay within the limits of the arm. Ours is measured from Python,
kernel by kernel, and once more as it runs in a servo whose tick is one kernel. Ruckig is given target position and
speed and asked for the next setpoint, as in its own examples; without synchronisation, which would cost it more.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import ruckig  # type: ignore[import-not-found]
from numpy.typing import NDArray

from station.controllers.controller import ControllerStatus
from station.controllers.shaping import JointLimits, Shaper, ShapingInputs, ShapingLimits, ShapingState, shaping_tick
from station.controllers.supervisor import (
    Decision,
    Facts,
    Shape,
    Supervisor,
    SupervisorLimits,
    SupervisorMemory,
    SupervisorState,
    supervisor_tick,
)
from station.devices.device import DeviceStatus
from station.kernel import Floats2, entry

Floats = NDArray[np.float64]

JOINTS, TICKS, STEP = 7, 20_000, 1e-3
LIMITS = JointLimits(-2.8, 2.8, 2.0, 10.0, 200.0, 0.05, 0.15)


def motion(now: float) -> tuple[Floats, Floats]:
    """Where the predicted robot is, and how fast [rad], [rad/s]."""
    phase = 3.0 * now + np.arange(JOINTS)
    grow = min(1.0, now)
    return 0.3 * grow * np.sin(phase), 0.9 * grow * np.cos(phase)


def engaged() -> tuple[Supervisor, Facts]:
    """A supervisor whose dead-man is held and whose arm is active."""
    supervisor, facts = Supervisor(), Facts()
    for number in range(4):
        facts.now = STEP * number
        facts.device(DeviceStatus.READY, 0.001, dead_man=number >= 2)
        facts.arm(ControllerStatus.ACTIVE if number >= 2 else ControllerStatus.READY, 0.001)
        decision = supervisor.tick(facts)
    assert decision.state is SupervisorState.ENGAGED
    return supervisor, facts


@entry
def both(
    memory: SupervisorMemory,
    limits: SupervisorLimits,
    facts: Facts,
    decision: Decision,
    shaper: ShapingState,
    joints: ShapingLimits,
    inputs: ShapingInputs,
    setpoint: Floats2,
) -> None:
    """The order of a servo's tick: supervisor, then what it says to shaping."""
    supervisor_tick(memory, limits, facts, decision)
    inputs.wanted = decision.shape
    shaping_tick(shaper, joints, inputs, setpoint)
    facts.stopped_for, facts.at_rest = shaper.stopped, shaper.at_rest


def timed(tick: Callable[[], object], prepare: Callable[[float], None]) -> Floats:
    """Time of each tick [µs], the first 10 % left out."""
    taken = np.zeros(TICKS)
    for number in range(TICKS):
        prepare(STEP * (number + 5))
        started = time.perf_counter()
        tick()
        taken[number] = time.perf_counter() - started
    return 1e6 * taken[TICKS // 10 :]


def ours() -> dict[str, Floats]:
    """Times of a tick [µs]: each kernel from Python, and both as one kernel."""
    supervisor, facts = engaged()
    shaper = Shaper([LIMITS] * JOINTS)
    inputs = shaper.inputs()
    inputs.link(0.001)
    inputs.at(0.0, Shape.FOLLOW)
    inputs.start()
    shaper.tick(inputs)

    def prepare(now: float) -> None:
        facts.now = now
        inputs.at(now, Shape.FOLLOW)
        inputs.target[:], inputs.target_v[:] = motion(now)
        inputs.measured[:] = shaper.setpoint[0]

    parts = (supervisor.memory, supervisor.limits, facts, supervisor.outputs)
    arm = (shaper.state, shaper.numbers, inputs, shaper.setpoint)
    both(*parts, *arm)
    times: dict[str, Floats] = {}
    ticks: dict[str, Callable[[], object]] = {
        "supervisor + shaping, one kernel": lambda: both(*parts, *arm),
        "supervisor": lambda: supervisor_tick(*parts),
        "shaping": lambda: shaping_tick(*arm),
    }
    for name, tick in ticks.items():
        begin = facts.now
        times[name] = timed(tick, lambda now, begin=begin: prepare(begin + now))  # type: ignore[misc]
        inputs.start()
        assert supervisor.decision().state is SupervisorState.ENGAGED
        assert name == "supervisor" or np.abs(shaper.setpoint[0] - inputs.target).max() < 1e-3
        shaper.tick(inputs)
    return times


def theirs() -> Floats:
    """Times of a call of ruckig with a moving target [µs]; it must not fail, or the figure would mean nothing."""
    maker, wish, answer = ruckig.Ruckig(JOINTS, STEP), ruckig.InputParameter(JOINTS), ruckig.OutputParameter(JOINTS)
    wish.max_velocity, wish.max_acceleration = [LIMITS.speed] * JOINTS, [LIMITS.acceleration] * JOINTS
    wish.max_jerk, wish.synchronization = [LIMITS.jerk] * JOINTS, ruckig.Synchronization.No
    results = []

    def prepare(now: float) -> None:
        target, speed = motion(now)
        wish.target_position, wish.target_velocity = target.tolist(), speed.tolist()

    def tick() -> None:
        results.append(maker.update(wish, answer))
        answer.pass_to_input(wish)

    times = timed(tick, prepare)
    assert all(int(result) >= 0 for result in results)
    return times


def restless(count: int = 50_000) -> list[tuple[float, float]]:
    """A target that wanders between -1 and 1 rad and turns round at the ends; positions and speeds."""
    random, place, speed, targets = np.random.default_rng(0), 0.0, 0.0, []
    for _ in range(count):
        speed = float(np.clip(speed + 0.2 * random.standard_normal(), -1.9, 1.9))
        place = float(np.clip(place + speed * STEP, -1.0, 1.0))
        if abs(place) >= 1.0:
            speed *= 0.5 if random.random() < 0.9 else -1.0
        targets.append((place, speed))
    return targets


def furthest() -> tuple[float, float]:
    """How far setpoints go beyond a range of ±1 rad after that target: ours, ruckig's [rad]."""
    ranged = LIMITS._replace(low=-1.0, high=1.0)
    shaper, most = Shaper([ranged]), [0.0, 0.0]
    inputs = shaper.inputs()
    inputs.link(0.001)
    inputs.start()
    maker, wish, answer = ruckig.Ruckig(1, STEP), ruckig.InputParameter(1), ruckig.OutputParameter(1)
    wish.max_velocity, wish.max_acceleration = [ranged.speed], [ranged.acceleration]
    wish.max_jerk, wish.min_position, wish.max_position = [ranged.jerk], [ranged.low], [ranged.high]
    for number, (place, speed) in enumerate(restless()):
        inputs.at(STEP * number, Shape.FOLLOW)
        inputs.target[:], inputs.target_v[:], inputs.measured[:] = place, speed, np.nan_to_num(shaper.setpoint[0])
        most[0] = max(most[0], abs(float(shaper.tick(inputs).q[0])))
        wish.target_position, wish.target_velocity = [place], [speed]
        maker.update(wish, answer)
        answer.pass_to_input(wish)
        most[1] = max(most[1], abs(float(answer.new_position[0])))
    return max(0.0, most[0] - 1.0), max(0.0, most[1] - 1.0)


def run() -> dict[str, float]:
    """Figures by name, for `python -m benchmarks`."""
    figures: dict[str, float] = {}
    for name, times in {**ours(), "ruckig alone": theirs()}.items():
        for label, part in (("p50", 50.0), ("p99", 99.0)):
            figures[f"{name}, {JOINTS} joints, {label} [µs]"] = float(np.percentile(times, part))
    ratio = figures[f"ruckig alone, {JOINTS} joints, p50 [µs]"]
    ratio /= figures[f"supervisor + shaping, one kernel, {JOINTS} joints, p50 [µs]"]
    beyond, ruckig_beyond = furthest()
    figures["ruckig alone over supervisor + shaping, p50"] = ratio
    return {**figures, "beyond the range, shaping [rad]": beyond, "beyond the range, ruckig [rad]": ruckig_beyond}


if __name__ == "__main__":
    for title, value in run().items():
        print(f"{title:<60} {value:.3g}")
