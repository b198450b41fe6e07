"""What can go wrong in a design study.

ViewError (StationError)
└── DesignError (ValueError)   a change, a save or a sweep that is not possible
"""

from __future__ import annotations

from station.errors import MadError
from station.view.errors import ViewError


class DesignError(ViewError, ValueError):
    """A change, a save or a sweep that is not possible; one line that says why."""


def one_line(error: Exception) -> str:
    """An error in one line: of many problems in a file, the first and how many more there are."""
    if isinstance(error, MadError):
        errors = [problem for problem in error.problems if problem.severity.value == "error"] or list(error.problems)
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        return f"{errors[0]}{more}"
    return " ".join(str(error).split()) or type(error).__name__
