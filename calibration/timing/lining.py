"""Commanded and measured joints of a recording, lined up by the timing of the link.

In a record of the servo both stand side by side as they were known in that tick: the measurement is older by its age,
and it shows a setpoint that is older still by what the arm takes to obey. Once that is taken off, what is left is how
well the arm follows.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from calibration.errors import DataError, WrongDeviceError
from calibration.judge import Errors
from calibration.parameters import Floats
from calibration.results import Result, read_results
from station.servo.shared import ControllerCode
from station.tasks.recording import Recording

METHOD = "timing"
FRESH = 0.05  # age from which a setpoint or a measurement is not one any more [s]
FEWEST = 100  # records


class LinedUp(NamedTuple):
    """How far measured joints are from those that were commanded."""

    side_by_side: Errors  # as recorded [rad | m]
    lined_up: Errors  # each with the setpoint that it shows [rad | m]
    records: int
    late: float  # usual time from a setpoint to the tick in which it shows [s]


class Records(NamedTuple):
    """What the servo knew in its ticks, while the arm followed."""

    time: Floats  # (n) [s]
    commanded: Floats  # (n × joints) [rad | m]
    commanded_age: Floats  # (n) [s]
    measured: Floats  # (n × joints) [rad | m]
    measured_age: Floats  # (n) [s]


def records_of(path: Path) -> Records:
    """Of a recording of a run; a DataError if the arm followed in too few of them."""
    with Recording(path) as recording:
        held = recording.tables(("/status", "/commanded", "/measured"))
    status, commanded, measured = held["/status"], held["/commanded"], held["/measured"]
    count = min(len(status), len(commanded), len(measured))
    status, commanded, measured = status[:count], commanded[:count], measured[:count]
    fresh = (commanded["commanded_age"] < FRESH) & (measured["measured_age"] < FRESH)
    follows = (status["controller_status"] == int(ControllerCode.ACTIVE)) & fresh
    if int(follows.sum()) < FEWEST:
        raise DataError(
            f"{path}: the arm followed in {int(follows.sum())} of {count} records; at least {FEWEST} needed"
        )
    return Records(
        status["time"][follows],
        commanded["commanded_q"][follows],
        commanded["commanded_age"][follows],
        measured["measured_q"][follows],
        measured["measured_age"][follows],
    )


def robot_of(path: Path) -> str:
    """Name of the robot of a recording."""
    with Recording(path) as recording:
        return recording.metadata.get("servo", {}).get("robot", "")


def line_up(records: Records, command: float) -> LinedUp:
    """Compare each measurement with the setpoint that it shows.

    Args:
        records: of a run.
        command: time from a setpoint to the joints, as `LinkTiming` has it [s].
    """
    sent_at = records.time - records.commanded_age
    new = np.concatenate([[True], np.diff(sent_at) > 0.0])
    late = records.measured_age + command
    shown = records.time - late
    known = shown >= sent_at[0]
    if int(known.sum()) < FEWEST or int(new.sum()) < 2:
        raise DataError(
            f"{int(known.sum())} measurements show setpoints of this recording; at least {FEWEST} are needed"
        )
    expected = np.column_stack([np.interp(shown, sent_at[new], joint[new]) for joint in records.commanded.T])
    return LinedUp(
        Errors.of((records.measured - records.commanded)[known]),
        Errors.of((records.measured - expected)[known]),
        int(known.sum()),
        float(np.median(late)),
    )


def timing_for(path: Path, robot: str) -> Result:
    """The newest timing of a result file, if it is of the arm of this robot."""
    for result in read_results(path):
        if result.method == METHOD:
            if result.subject.name != robot:
                raise WrongDeviceError(f"{path}: belongs to {result.subject}, not to {robot}; it is not applied")
            return result
    raise DataError(f"{path}: holds no timing; make one with: station calibrate timing")
