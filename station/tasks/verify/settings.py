"""Settings of the check: type, default, unit, range and one sentence each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from station.devices.parameter import check, check_length, parameter


@dataclass(frozen=True, kw_only=True)
class VerifySettings:
    """What a task is held to."""

    share: float = parameter(0.9, "part of speed, acceleration and jerk that a task may use", "", 0.05, 1.0)
    effort_share: float = parameter(0.9, "part of the effort that a motion may ask for", "", 0.05, 1.0)
    clearance: float = parameter(0.0005, "least distance from obstacles, other robots and itself", "m", 0.0, 1.0)
    singularity: float = parameter(0.02, "least over largest gain of the tool", "", 0.0, 1.0)
    made_up: bool = parameter(True, "whether two bodies of made-up shapes (auto) are kept apart")
    closure: float = parameter(1e-6, "largest gap of a loop", "m", 1e-10, 0.01)
    tie: float = parameter(1e-4, "that what ties robots to each other may be open", "m", 1e-9, 0.1)
    payload: float = parameter(0.0, "held by the tool besides what the file says", "kg", 0.0, 1000.0)
    payload_at: tuple[float, float, float] = parameter((0.0, 0.0, 0.0), "its centre in its frame", "m", -10.0, 10.0)
    payload_frame: int | None = parameter(None, "id of the frame that holds it; else that which the task leads")
    payload_arm: str = parameter("", "serial number of the arm whose load was measured; empty: any arm's")
    start: float = parameter(0.02, "of a joint from the task's first sample, to count as there", "rad | m", 1e-5, 0.5)
    device_gap: float = parameter(0.05, "longest time without a sample of the device in rehearsal", "s", 0.001, 1.0)
    rate_error: float = parameter(0.001, "that setpoints at the arm's rate may cut off the path", "rad | m", 1e-6, 0.1)

    def __post_init__(self) -> None:
        object.__setattr__(self, "payload_at", tuple(self.payload_at))  # JSON has lists
        check_length(self, "payload_at", 3)
        check(self)


@dataclass(frozen=True, kw_only=True)
class RobustSettings:
    """How wrong things may be in the Monte Carlo check; standard deviations, unless they say otherwise."""

    variants: int = parameter(1000, "how many", "", 1, 1_000_000)
    seed: int = parameter(0, "the same seed gives the same variants", "", 0, 2**31)
    zero: float = parameter(math.radians(0.02), "of a joint's zero", "rad", 0.0, 0.1)
    zero_slide: float = parameter(0.0002, "of a sliding joint's zero", "m", 0.0, 0.1)
    length: float = parameter(0.0001, "of where a joint sits on the link before it, each axis", "m", 0.0, 0.1)
    axis: float = parameter(math.radians(0.01), "of how it is turned there, each axis", "rad", 0.0, 0.1)
    mass: float = parameter(0.03, "of the mass of every body, as a part of it", "", 0.0, 0.3)
    place: float = parameter(0.001, "of every obstacle's place, each axis", "m", 0.0, 0.5)
    turn: float = parameter(math.radians(0.1), "of every obstacle's turn, each axis", "rad", 0.0, 0.5)
    lag: float = parameter(0.005, "by which the arm is late, one-sided", "s", 0.0, 0.5)
    wobble: float = parameter(math.radians(0.05), "of a joint about its setpoint, slowly changing", "rad", 0.0, 0.1)
    play: float = parameter(
        0.001, "that parts of a loop whose lengths do not fit may give; no deviation", "m", 0.0, 0.1
    )
    wobble_slide: float = parameter(0.0002, "the same of a joint that slides", "m", 0.0, 0.1)

    def __post_init__(self) -> None:
        check(self)
