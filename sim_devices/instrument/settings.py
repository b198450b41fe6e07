"""What an emulated tracker is like: every number with its unit, range and meaning."""

from __future__ import annotations

from dataclasses import dataclass

from station.devices.parameter import check, parameter


@dataclass(frozen=True, kw_only=True)
class TrackerSettings:
    """An emulated tracker."""

    noise: float = parameter(5e-5, "of a position, standard deviation per axis", "m", 0.0, 0.01)
    turn_noise: float = parameter(2e-4, "of a turn, standard deviation per axis", "rad", 0.0, 0.1)
    away: float = parameter(2.0, "how far it stands from the robot's world", "m", 0.0, 30.0)
    blunders: float = parameter(0.0, "share of readings that are 20 mm off", "", 0.0, 1.0)
    unseen: float = parameter(0.0, "chance that the beam is interrupted", "", 0.0, 1.0)
    turns: bool = False  # it measures full poses, not only positions

    def __post_init__(self) -> None:
        check(self)
