"""What can go wrong, as one tree.

StationError                     anything this project raises on purpose
└── MadError (ValueError)        a scene description that cannot be used; carries every problem found
    └── MadFileError (OSError)   the file itself: missing, a directory, not readable, too large
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

MOST_SHOWN = 50  # problems in one message: more than this helps nobody


class StationError(Exception):
    """Base of every error that the station raises on purpose."""


class Severity(StrEnum):
    """How bad a problem is: an error stops the scene from loading, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Problem(NamedTuple):
    """One finding about a scene file, at a place a text editor can jump to."""

    file: str
    line: int  # 1-based; 0 when the problem is with the file as a whole
    column: int  # 1-based
    text: str
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{place}: {self.severity.value}: {self.text}"


class MadError(StationError, ValueError):
    """A scene description that cannot be used; `problems` holds every finding in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            lines.append(f"… and {len(self.problems) - MOST_SHOWN} more")
        super().__init__("\n".join(lines))

    @property
    def line(self) -> int:
        """Line of the first problem, 1-based (0: the file as a whole)."""
        return self.problems[0].line

    @property
    def column(self) -> int:
        """Column of the first problem, 1-based."""
        return self.problems[0].column


class MadFileError(MadError, OSError):
    """The file could not be read at all."""
