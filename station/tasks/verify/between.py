"""What is between the robots of a task: said as long as it is not checked, so that nobody takes it for safe."""

from __future__ import annotations

from collections.abc import Sequence

from station.bench import Bench
from station.tasks.task import Task


def between_robots(tasks: Sequence[Task], scene: Bench) -> tuple[str, ...]:
    """Notes on a task of several robots; none for one of one.

    The robots' paths are known at the same instants (`check_together`), so this is where a check of the distances
    between them belongs.
    """
    if len(tasks) < 2:
        return ()
    names = [task.robot for task in tasks]
    notes = [f"NOT CHECKED: distances between the robots {' and '.join(names)}; watch them"]
    if any(set(scene.group(name)) & (set(names) - {name}) for name in names):
        notes.append("NOT CHECKED: what ties these robots to each other; each was checked as if it were alone")
    return tuple(notes)
