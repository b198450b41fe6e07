"""What a task asks of a tool."""

from __future__ import annotations

from typing import Protocol

from station.tasks.task import Action


class TaskTool(Protocol):
    """A tool that takes actions; no method waits."""

    def check(self, action: Action) -> str:
        """Why it cannot do this; empty if it can."""

    def wake(self) -> None:
        """Get ready: the task is about to start, and the arm still stands where it was."""

    def begin(self, action: Action) -> None:
        """Begin to do it."""

    def listen(self) -> None:
        """Take what the tool says; called in every tick."""

    @property
    def busy(self) -> bool:
        """Whether it is still at it."""

    @property
    def trouble(self) -> str:
        """Why it cannot go on; empty if all is well."""


class NoTool:
    """There is none: every action is refused before anything moves."""

    busy, trouble = False, ""

    def check(self, action: Action) -> str:
        """Always a reason."""
        return f"no tool is connected that could {action.word}"

    def wake(self) -> None:
        """Nothing to get ready."""

    def listen(self) -> None:
        """Nothing says anything."""

    def begin(self, action: Action) -> None:
        """Never called."""
