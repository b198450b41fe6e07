"""Settings of the supervisor: type, default, unit, range and one sentence each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from station.controllers.supervisor.kernels import layout as at
from station.controllers.supervisor.kernels.layout import Floats
from station.devices.parameter import check, parameter


@dataclass(frozen=True, kw_only=True)
class SupervisorSettings:
    """When something counts as lost, late or refused."""

    sample_limit: float = parameter(0.020, "age of a sample from which the device is lost", "s", 1e-3, 1.0)
    measured_limit: float = parameter(0.050, "age of a measurement from which the arm is lost", "s", 1e-3, 5.0)
    late_most: float = parameter(50.0, "late ticks that are a fault, within the window", "", 1.0, 1e6)
    late_window: float = parameter(1.0, "window in which late ticks are counted", "s", 0.01, 60.0)
    start_within: float = parameter(3.0, "the arm must become active within", "s", 0.01, 60.0)
    reset_within: float = parameter(3.0, "a reset waits so long for causes to go", "s", 0.01, 60.0)
    repeat: float = parameter(0.2, "what the arm does not do is asked again after", "s", 0.01, 10.0)
    rest_within: float = parameter(2.0, "the arm is told to hold by itself at the latest after", "s", 0.01, 60.0)
    by_press: bool = parameter(True, "whether a fresh press engages by itself; else with the command Engage only")

    def __post_init__(self) -> None:
        check(self)


def packed(settings: SupervisorSettings) -> Floats:
    """All settings in one array; `kernels/layout.py` says where."""
    numbers = np.zeros(at.SETTINGS_SIZE)
    numbers[at.SAMPLE_LIMIT], numbers[at.MEASURED_LIMIT] = settings.sample_limit, settings.measured_limit
    numbers[at.LATE_MOST], numbers[at.LATE_WINDOW] = settings.late_most, settings.late_window
    numbers[at.START_WITHIN], numbers[at.RESET_WITHIN] = settings.start_within, settings.reset_within
    numbers[at.REPEAT], numbers[at.REST_WITHIN] = settings.repeat, settings.rest_within
    numbers[at.BY_PRESS] = settings.by_press
    return numbers
