"""What can go wrong while a run is watched.

MonitorError (StationError)
├── ReportError (OSError)             the report cannot be written where it was asked for
├── ReportKindError (ValueError)      a report of a kind that there is not
└── OtherRobotError (ValueError)      a servo that was started again with another robot
"""

from __future__ import annotations

from station.errors import StationError


class MonitorError(StationError):
    """Anything about watching a run."""


class ReportError(MonitorError, OSError):
    """The report cannot be written where it was asked for."""


class ReportKindError(MonitorError, ValueError):
    """A report of a kind that there is not."""


class OtherRobotError(MonitorError, ValueError):
    """A servo that was started again with another robot."""
