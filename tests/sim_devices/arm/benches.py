"""Arms to test, and a clock to let them live by."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import robots
import station
from sim_devices.arm import ArmSettings, ArmState, EmulatedArm, emulated_arm
from station.bench import Bench

Floats = NDArray[np.float64]
QUIET: dict[str, Any] = {"force_noise": 0.0, "torque_noise": 0.0, "force_bias": 0.0, "torque_bias": 0.0}

# Two joints in the vertical plane, so that weight matters; the tool points along x.
LEVER = """RAFF v2.0 Lever
robot lever {
  base { }
  link 1 { name "shoulder" type revolute pred 0 parameters { theta 0 r 0 alpha 90 d 0 }
           limits { -90 90 } speed 180 acceleration 600 effort 60 friction { viscous 0.2 coulomb 0.1 } armature 0.1
           mass 2 com { 200 0 0 } inertia { xx 0.002 yy 0.03 zz 0.03 } }
  link 2 { name "elbow" type revolute pred 1 parameters { theta 0 r 0 alpha 0 d 400 }
           limits { -150 150 } speed 180 acceleration 600 effort 30 friction { viscous 0.1 coulomb 0.05 } armature 0.05
           mass 1 com { 150 0 0 } inertia { xx 0.001 yy 0.01 zz 0.01 } }
  tool 3 { name "point" pos { 300 0 0 } pred 2 mass 0.5 com { -20 0 0 } inertia { xx 0.0001 yy 0.0002 zz 0.0002 } }
}
"""


def shipped(name: str) -> Bench:
    """A robot that comes with the station."""
    return station.load(robots.path(name))


def lever(extra: str = "") -> Bench:
    """The small arm, with obstacles if there are any."""
    return station.loads(LEVER + extra)


class Live:
    """An arm on a clock of its own, and a client that sends what it is told."""

    def __init__(
        self,
        scene: Bench,
        settings: ArmSettings | None = None,
        faults: str = "",
        seed: int = 0,
        start: Floats | None = None,
    ) -> None:
        self.arm: EmulatedArm = emulated_arm(scene, None, settings, faults=faults, seed=seed, start=start)
        self.now = 0.0
        self.sequence = 0
        self.last: Floats | None = None  # setpoint that was sent
        self.arm.advance(0.0)

    def wait(self, seconds: float) -> None:
        """Let time pass in ticks of 1 ms, without setpoints."""
        for _ in range(round(1000 * seconds)):
            self.now += 0.001
            self.arm.advance(self.now)

    def follow(self, path: Callable[[float], Floats], seconds: float) -> list[Floats]:
        """Send setpoints at 1 kHz while it takes them; returns where the arm was after each."""
        begin, measured = self.now, []
        for _ in range(round(1000 * seconds)):
            self.sequence += 1
            self.last = path(self.now - begin)
            self.arm.setpoint(self.last, None, None, self.sequence)
            self.wait(0.001)
            measured.append(self.arm.body.q)
        return measured

    def hold(self, seconds: float) -> None:
        """Send the same setpoint again and again."""
        q = self.arm.reading().q
        self.follow(lambda _: q, seconds)

    def active(self) -> Live:
        """Activate, settled."""
        self.wait(0.02)
        assert self.arm.activate()
        assert self.arm.state is ArmState.ACTIVE
        return self


def rise(start: Floats, by: Floats, seconds: float) -> Callable[[float], Floats]:
    """From rest to rest by a smooth path."""

    def path(time: float) -> Floats:
        s = min(max(time / seconds, 0.0), 1.0)
        return np.asarray(start + by * (10 * s**3 - 15 * s**4 + 6 * s**5))

    return path
