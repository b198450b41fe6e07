"""`Take`: what hands do with virtual robots becomes a task, with marks, contacts, waits and tool actions.

Samples are of all robots at the same time. Marks, waits and undoing are common; contact, and what a tool does, are of
one robot, and the others wait meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from station.tasks.task import Action, EditError, Kind, LinkLoss, Mark, Segment, Task, changed
from station.tasks.task.clips import Clip, cut_out, glued, standing
from station.tasks.task.model import Floats

MOST_SAMPLES = 4_000_000  # more than an hour at 1 kHz
LEAST_SAMPLES = 2


class Stand(NamedTuple):
    """The arm stands still at a sample: a wait, or an action of the tool."""

    sample: int
    periods: int
    action: Action | None
    comment: str
    robot: str  # whose tool acts


class Stretch(NamedTuple):
    """From a sample on, something else is going on."""

    sample: int
    kind: Kind
    force: float
    loss: LinkLoss
    comment: str


class Undone(NamedTuple):
    """What was taken back, to be done again."""

    rows: list[Floats]
    marks: list[Mark]
    stands: list[Stand]
    stretches: Mapping[str, list[Stretch]]


class Take:
    """One rehearsal. Samples are the driven joints, of all robots, of every tick in which a hand moves one."""

    def __init__(self, *tasks: Task) -> None:
        """`tasks`, one for each robot, have everything but the motion; their only samples are where it stands."""
        self._tasks = tasks
        self.robots = tuple(task.robot for task in tasks)
        self.chosen = self.robots[0]  # whose contact and tool are meant where none is named
        self.rows: list[Floats] = [np.concatenate([task.q[0] for task in tasks])]
        self.marks: list[Mark] = []
        self._stands: list[Stand] = []
        self._stretches = {robot: [Stretch(0, Kind.FREE, 0.0, LinkLoss.HOLD, "")] for robot in self.robots}
        self._undone: list[Undone] = []

    @property
    def sample(self) -> int:
        """Number of the newest sample."""
        return len(self.rows) - 1

    @property
    def here(self) -> Floats:
        """Driven joints of all robots there, one robot after the other [rad | m]."""
        return self.rows[-1]

    def parts(self, row: Floats) -> dict[str, Floats]:
        """The driven joints of each robot."""
        ends = np.cumsum([len(task.joints) for task in self._tasks])
        return dict(zip(self.robots, np.split(row, ends[:-1]), strict=True))

    def see(self, q: Floats) -> None:
        """The robots were moved by hands to here; what was undone is forgotten."""
        if len(self.rows) >= MOST_SAMPLES:
            raise EditError(f"a rehearsal of more than {MOST_SAMPLES} samples; save it and begin another")
        self._undone.clear()
        self.rows.append(np.array(q))

    # What a person says ----------------------------------------------------------------------------------------

    def mark(self, name: str = "", comment: str = "") -> Mark:
        """A way-point to come back to."""
        made = Mark(self.sample, name or f"m{len(self.marks) + 1}", comment)
        self.marks.append(made)
        return made

    def comment(self, text: str) -> None:
        """To the newest mark, or to a new one."""
        if self.marks and self.marks[-1].sample == self.sample:
            last = self.marks.pop()
            self.marks.append(last._replace(comment=text))
        else:
            self.mark("", text)

    def choose(self, robot: str) -> None:
        """Whose contact and tool are meant from here on, where none is named."""
        self._known(robot)
        self.chosen = robot

    def contact(self, force: float = 0.0, robot: str = "") -> None:
        """Contact is expected from here on, with so much force [N]; 0: as the executor's settings say."""
        name = self._known(robot or self.chosen)
        self._begin(name, self._stretches[name][-1]._replace(sample=self.sample, kind=Kind.CONTACT, force=force))

    def free(self, robot: str = "") -> None:
        """And no more from here on."""
        name = self._known(robot or self.chosen)
        self._begin(name, self._stretches[name][-1]._replace(sample=self.sample, kind=Kind.FREE, force=0.0))

    def on_link_loss(self, what: LinkLoss, robot: str = "") -> None:
        """What the arm does by itself from here on, if the link is lost; all arms, if none is named."""
        for name in [self._known(robot)] if robot else self.robots:
            self._begin(name, self._stretches[name][-1]._replace(sample=self.sample, loss=what))

    def wait(self, seconds: float, comment: str = "") -> None:
        """Stand still here."""
        self._stand(seconds, None, comment, "")

    def act(self, action: Action, seconds: float, comment: str = "", robot: str = "") -> None:
        """Let a tool do something here."""
        self._stand(seconds, action, comment, self._known(robot or self.chosen))

    def undo(self, name: str = "") -> Floats:
        """Back to a mark, the last one if none is named; returns where the robots belong then [rad | m]."""
        found = [mark for mark in self.marks if not name or mark.name == name]
        if not found:
            known = ", ".join(mark.name for mark in self.marks) or "none"
            raise EditError(f"no mark {name!r} to go back to; there are: {known}" if name else "no mark to go back to")
        at = found[-1].sample
        parts = Undone(
            self.rows[at + 1 :],
            [mark for mark in self.marks if mark.sample > at],
            [stand for stand in self._stands if stand.sample > at],
            {name: [one for one in rows if one.sample > at] for name, rows in self._stretches.items()},
        )
        self._undone.append(parts)
        del self.rows[at + 1 :]
        self.marks = [mark for mark in self.marks if mark.sample <= at]
        self._stands = [stand for stand in self._stands if stand.sample <= at]
        self._stretches = {name: [one for one in rows if one.sample <= at] for name, rows in self._stretches.items()}
        return self.here

    def redo(self) -> Floats:
        """What was undone last, again; returns where the robots belong then [rad | m]."""
        if not self._undone:
            raise EditError("nothing to do again")
        parts = self._undone.pop()
        self.rows += parts.rows
        self.marks += parts.marks
        self._stands += parts.stands
        for name, rows in parts.stretches.items():
            self._stretches[name] += rows
        return self.here

    # What becomes of it ----------------------------------------------------------------------------------------

    def task(self) -> Task:
        """The task of the first robot, as a rule the only one; raises an EditError if nothing was driven."""
        return self.tasks()[0]

    def tasks(self) -> list[Task]:
        """Of each robot, all with the same samples in time; raises an EditError if nothing was driven."""
        if len(self.rows) <= LEAST_SAMPLES:
            raise EditError("nothing was rehearsed: the hand did not move the robot")
        samples = self.parts(np.array(self.rows).T)
        return [self._of(task, np.ascontiguousarray(samples[task.robot].T)) for task in self._tasks]

    def _of(self, task: Task, q: Floats) -> Task:
        last = self.sample
        stretches = [stretch for stretch in self._stretches[task.robot] if stretch.sample < last]
        ends = [*(stretch.sample for stretch in stretches[1:]), last]
        segments = tuple(
            Segment(stretch.sample, end, stretch.kind, "", stretch.comment, stretch.loss, stretch.force)
            for stretch, end in zip(stretches, ends, strict=True)
            if stretch.sample < end
        )
        return self._with_stands(changed(task, q=q, segments=segments, marks=tuple(self.marks)))

    def _with_stands(self, plain: Task) -> Task:
        clips: list[Clip] = []
        at = 0
        for stand in sorted(self._stands, key=lambda one: one.sample):
            if stand.sample > at:
                clips.append(cut_out(plain, at, stand.sample))
                at = stand.sample
            action = stand.action if stand.robot == plain.robot else None
            kind = Kind.WAIT if action is None else Kind.ACTION
            name = "" if action is None else action.word
            clips.append(standing(plain.q[at], stand.periods, kind, name=name, comment=stand.comment, action=action))
        if at < self.sample:
            clips.append(cut_out(plain, at, self.sample))
        return glued(plain, clips)

    def _begin(self, robot: str, stretch: Stretch) -> None:
        stretches = self._stretches[robot]
        if stretches[-1].sample == stretch.sample:
            stretches.pop()
        stretches.append(stretch)

    def _stand(self, seconds: float, action: Action | None, comment: str, robot: str) -> None:
        period = self._tasks[0].period
        periods = round(seconds / period) if 0.0 < seconds <= 3600.0 else 0
        if periods < 1:
            raise EditError(f"stand still for {seconds:g} s; allowed: {period:g} to 3600")
        self._stands.append(Stand(self.sample, periods, action, comment, robot))

    def _known(self, robot: str) -> str:
        if robot not in self.robots:
            raise EditError(f"no robot {robot!r} is rehearsed; there are: {', '.join(self.robots)}")
        return robot
