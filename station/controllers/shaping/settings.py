"""Settings of shaping: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import SettingsError, check, parameter


@dataclass(frozen=True, kw_only=True)
class ShapingSettings:
    """How the arm is led after the predicted robot."""

    period: float = parameter(1e-3, "time between two ticks", "s", 1e-5, 0.1)
    longest: float = parameter(0.025, "time that a late tick stands for at most, if not 5 periods", "s", 1e-4, 0.1)
    gain: float = parameter(100.0, "how fast small errors go: the slower pole of following", "1/s", 1.0, 1000.0)
    share: float = parameter(0.9, "part of the arm's own speed, acceleration and jerk that is used", "", 0.01, 1.0)
    file_share: float = parameter(1.0, "part of the file's speed, acceleration and jerk that is used", "", 0.01, 1.0)
    speed: float = parameter(
        1.0, "speed limit of a turning joint if neither file nor arm tells one", "rad/s", 1e-3, 100.0
    )
    speed_time: float = parameter(0.2, "time to full speed, if neither tells an acceleration", "s", 1e-3, 10.0)
    acceleration_time: float = parameter(0.05, "time to full acceleration, if neither tells a jerk", "s", 1e-3, 10.0)
    metre: float = parameter(0.25, "metres of a sliding joint that count as a radian", "m/rad", 1e-3, 10.0)
    target_limit: float = parameter(0.050, "age of a target from which the arm is stopped", "s", 1e-3, 1.0)
    tube: bool = parameter(True, "whether commanded and measured joints are compared")
    inner: float = parameter(0.05, "following error from which the arm is slowed", "rad", 1e-6, 10.0)
    outer: float = parameter(0.15, "following error from which it is stopped", "rad", 2e-6, 20.0)
    lag: float = parameter(0.1, "time by which the arm may lag behind its setpoint, besides the link", "s", 0.0, 2.0)
    measured_limit: float = parameter(0.25, "age of a measurement from which the arm is stopped", "s", 1e-3, 5.0)
    outside: float = parameter(0.02, "how far outside its range a joint may begin", "rad | m", 0.0, 1.0)

    def __post_init__(self) -> None:
        check(self)
        if self.outer <= self.inner:
            raise SettingsError(f"outer is {self.outer:g} [rad]; allowed: more than inner, {self.inner:g}")
