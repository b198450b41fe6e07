"""Settings of execution: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from station.devices.parameter import SettingsError, check, parameter


@dataclass(frozen=True, kw_only=True)
class ExecuteSettings:
    """How a task is led, and what ends it."""

    rate: float = parameter(1000.0, "setpoints per second at most", "Hz", 10.0, 4000.0)
    ramp: float = parameter(0.4, "time in which the speed goes from nothing to full", "s", 0.02, 10.0)
    tube: float = parameter(0.01, "of the tool around the path; beyond, the arm is held", "m", 1e-4, 1.0)
    contact_tube: float = parameter(0.03, "the same where contact is expected", "m", 1e-4, 1.0)
    joint_tube: float = parameter(0.1, "of a joint around the path; beyond, shaping stops it", "rad", 1e-3, 1.0)
    lag: float = parameter(0.08, "by which the arm may be late, besides the link", "s", 0.0, 2.0)
    free_force: float = parameter(
        20.0, "at the tool where nothing is to be touched; beyond, the arm is held", "N", 1.0, 1e4
    )
    contact_force: float = parameter(60.0, "at the tool where contact is expected and no more is said", "N", 1.0, 1e4)
    felt: float = parameter(3.0, "at the tool, from which a contact counts as felt", "N", 0.1, 1e3)
    untouched: float = parameter(5.0, "that a calibrated sensor may tell before anything is touched", "N", 0.1, 1e3)
    patience: float = parameter(2.0, "how long a contact may hold up the motion", "s", 0.05, 60.0)
    start_within: float = parameter(3.0, "for the arm to measure, or to follow", "s", 0.1, 60.0)
    settle: float = parameter(0.005, "from the last sample, at which the task is done", "rad | m", 1e-5, 0.1)
    settle_within: float = parameter(2.0, "for the arm to get there", "s", 0.05, 60.0)
    tool_within: float = parameter(10.0, "for the tool to be done with an action", "s", 0.1, 600.0)
    link_limit: float = parameter(1.0, "without a word of the station until the arm acts by itself", "s", 0.05, 60.0)

    def __post_init__(self) -> None:
        check(self)
        if self.contact_tube < self.tube:
            raise SettingsError(f"contact_tube is {self.contact_tube:g} [m]; allowed: at least tube, {self.tube:g}")

    @classmethod
    def with_tube(cls, tube: float, link_limit: float = 1.0) -> Self:
        """With this tube [m], and at least three times as much in contact."""
        return cls(tube=tube, contact_tube=max(0.03, 3.0 * tube), link_limit=link_limit)
