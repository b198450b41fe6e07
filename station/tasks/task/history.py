"""`History`: a task while it is being made: every step can be undone and done again."""

from __future__ import annotations

from station.tasks.task.edit import trimmed_to_mark
from station.tasks.task.errors import EditError
from station.tasks.task.model import Task

MOST_STEPS = 200  # that are remembered


class History:
    """The task as it is now, how it was before each change, and what was undone."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self._before: list[Task] = []
        self._undone: list[Task] = []

    def do(self, task: Task) -> Task:
        """The task is now this; what was undone is forgotten."""
        self._before = [*self._before, self.task][-MOST_STEPS:]
        self._undone.clear()
        self.task = task
        return task

    def undo(self) -> Task:
        """One step back."""
        if not self._before:
            raise EditError(f"task {self.task.name}: nothing to undo")
        self._undone.append(self.task)
        self.task = self._before.pop()
        return self.task

    def redo(self) -> Task:
        """One step that was undone, again."""
        if not self._undone:
            raise EditError(f"task {self.task.name}: nothing to do again")
        self._before.append(self.task)
        self.task = self._undone.pop()
        return self.task

    def undo_to_mark(self, name: str) -> Task:
        """Take away what came after the last mark of a name; `redo` brings it back."""
        shorter = trimmed_to_mark(self.task, name)
        self._undone.append(self.task)
        self.task = shorter
        return shorter
