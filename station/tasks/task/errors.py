"""What can be wrong with a task.

StationError
└── TaskError (ValueError)             a task that cannot be made, edited, read or used; one line
    ├── TaskFileError (OSError)        the file: missing, truncated, of another version, changed since it was written
    ├── TaskMismatchError              made for another robot, another scene file or another calibration
    ├── EditError                      an edit that cannot be done
    └── RetimeError                    no timing within the limits
"""

from __future__ import annotations

from station.errors import StationError


class TaskError(StationError, ValueError):
    """A task that cannot be made, edited, read or used; the text is one line with what is allowed."""


class TaskFileError(TaskError, OSError):
    """A task file that cannot be read as it is, or cannot be written."""


class TaskMismatchError(TaskError):
    """A task that belongs to another robot, scene file or calibration."""


class EditError(TaskError):
    """An edit that cannot be done."""


class RetimeError(TaskError):
    """A path for which no timing within the limits was found."""
