"""`TaskPath`: the path of a task in a scene, coloured by what goes on and by what a check has found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.augment.additions import line_strip, spot
from station.view.drawing.label import Label
from station.view.drawing.segments import Lines
from station.view.errors import ViewRequestError
from station.view.geometry.mesh import Colour
from station.view.scene_view import SceneView
from station.view.task.shown import ShownFinding, ShownTask
from station.view.theme import Theme

FINEST = 3000  # pieces of the whole path that are drawn
WIDTH, FOUND_WIDTH = 2.5, 6.0  # [px]
STAR = 0.5  # half of the size of a star where something was found, over the thickness of the robot
MOST_LABELS = 8  # findings that are named in the picture
NEAR = 0.06  # distance up to which findings of one kind have one name, over the reach of the robot
KEY = "task"


class Spot(NamedTuple):
    """A place where something was found."""

    check: str
    place: NDArray[np.float64]  # [m]
    numbers: list[int]  # of the findings, from 1


class TaskPath:
    """Puts a task into a scene.

    Args:
        view: the scene; it has the robot of the task.
        task: what is shown.
        listed: whether findings are also told as lines at the top left, for pictures.

    Raises:
        ViewRequestError: if it is for another robot.
    """

    def __init__(self, view: SceneView, task: ShownTask, listed: bool = False) -> None:
        if task.robot not in view.robots:
            known = ", ".join(view.robots) or "none"
            raise ViewRequestError(f"the task is for robot '{task.robot}'; this scene has: {known}")
        self._view, self.task, self._listed = view, task, listed
        self.time = 0.0  # where the robot is [s]
        self._labels: list[Label] = []
        self.draw()

    def draw(self) -> None:
        """All of it, in the colours of the scene's theme."""
        view, task, theme = self._view, self.task, self._view.theme
        parts = list(path_lines(task, theme))
        view.lines = {name: lines for name, lines in view.lines.items() if not name.startswith(KEY)}
        view.lines |= {f"{KEY} {number}": lines for number, lines in enumerate(parts)}
        found = [place for _, place, _ in self._spots()]
        view.lines[f"{KEY} stars"] = _stars(found, STAR * view.robots[task.robot].body.size, theme.ramp[2])
        view.labels = [label for label in view.labels if label not in self._labels]
        self._labels = list(self._named(theme))
        view.labels += self._labels
        view.status = [task.outcome, *(self._lines() if self._listed else ())]

    def go(self, time: float) -> NDArray[np.float64]:
        """Put the robot where it is at a time [s]; returns its joint values [rad | m]."""
        self.time = min(max(time, 0.0), self.task.duration)
        q = np.asarray(self.task.q[self.task.sample_at(self.time)])
        self._view.robots[self.task.robot].predict(q)
        return q

    def _place(self, time: float) -> NDArray[np.float64]:
        return np.asarray(self.task.places[self.task.sample_at(time)])

    def _spots(self) -> list[Spot]:
        """Findings of one kind at one place, with their numbers from 1: many bodies touch at once."""
        near = NEAR * self._view.robots[self.task.robot].body.reach
        spots: list[Spot] = []
        for number, finding in enumerate(self.task.findings, start=1):
            at = self._place(finding.worst)
            for check, place, numbers in spots:
                if check == finding.check and np.linalg.norm(at - place) < near:
                    numbers.append(number)
                    break
            else:
                spots.append(Spot(finding.check, at, [number]))
        return spots

    def _named(self, theme: Theme) -> Iterator[Label]:
        for check, place, numbers in self._spots()[:MOST_LABELS]:
            yield Label(f"{_counted(numbers)} {check}", spot(place), theme.ramp[2], theme.text_back, (12.0, 0.0))
        for mark in self.task.marks:
            yield Label(mark.name, spot(self._place(mark.time)), theme.text, theme.text_back, (10.0, 12.0))

    def _lines(self) -> Iterator[str]:
        for number, finding in enumerate(self.task.findings[:MOST_LABELS], start=1):
            yield finding_words(number, finding._replace(text=finding.text.partition(", at ")[0]))
        if len(self.task.findings) > MOST_LABELS:
            yield f"… and {len(self.task.findings) - MOST_LABELS} more"


def _counted(numbers: list[int]) -> str:
    """`1 to 4, 7`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)


def finding_words(number: int, finding: ShownFinding) -> str:
    """A finding as one line."""
    when = f"{finding.begin:.2f} s" if finding.end <= finding.begin else f"{finding.begin:.2f} to {finding.end:.2f} s"
    return f"{number} {finding.check}, {when}: {finding.text}"


def path_lines(task: ShownTask, theme: Theme) -> Iterator[Lines]:
    """The path: each segment in the colour of its kind, and over it in red, wider, where something was found."""
    for segment in task.segments:
        yield _stretch(task, segment.begin, segment.end, kind_colour(segment.kind, theme), WIDTH)
    for finding in task.findings:
        yield _stretch(task, finding.begin, finding.end, theme.ramp[2], FOUND_WIDTH)


def kind_colour(kind: str, theme: Theme) -> Colour:
    """Of a segment: contact stands out."""
    return theme.ramp[1] if kind == "contact" else theme.measured_trail if kind == "free" else theme.track


def _stretch(task: ShownTask, begin: float, end: float, colour: Colour, width: float) -> Lines:
    first, last = task.sample_at(begin), task.sample_at(end)
    step = max(len(task.places) // FINEST, 1)
    numbers = np.unique(np.append(np.arange(first, last, step), last))
    return line_strip(task.places[numbers], colour, width)._replace(through=True)  # it may lead into a wall


def _stars(places: list[NDArray[np.float64]], half: float, colour: Colour) -> Lines:
    """Three lines across each place."""
    arms = half * np.eye(3)
    middles = np.repeat(np.reshape(places, (-1, 3)), 3, axis=0)
    ways = np.tile(arms, (len(places), 1))
    colours = np.tile(np.array(colour, np.float32), (len(middles), 1))
    return Lines(middles - ways, middles + ways, colours, WIDTH, through=True)
