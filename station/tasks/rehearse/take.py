"""`Take`: what the hand does with the virtual robot becomes a task, with marks, contacts, waits and tool actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from station.controllers.shaping import JointLimits
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
    stretches: list[Stretch]


class Take:
    """One rehearsal. Samples are the driven joints of every tick in which the hand moves the robot."""

    def __init__(self, task: Task, limits: Sequence[JointLimits]) -> None:
        """`task` has everything but the motion; its only samples are where the robot stands."""
        self._task, self._limits = task, limits
        self.rows: list[Floats] = [np.array(task.q[0])]
        self.marks: list[Mark] = []
        self._stands: list[Stand] = []
        self._stretches = [Stretch(0, Kind.FREE, 0.0, LinkLoss.HOLD, "")]
        self._undone: list[Undone] = []

    @property
    def sample(self) -> int:
        """Number of the newest sample."""
        return len(self.rows) - 1

    @property
    def here(self) -> Floats:
        """Driven joints there [rad | m]."""
        return self.rows[-1]

    def see(self, q: Floats) -> None:
        """The robot was moved by the hand to here; what was undone is forgotten."""
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

    def contact(self, force: float = 0.0) -> None:
        """Contact is expected from here on, with so much force [N]; 0: as the executor's settings say."""
        self._begin(self._stretches[-1]._replace(sample=self.sample, kind=Kind.CONTACT, force=force))

    def free(self) -> None:
        """And no more from here on."""
        self._begin(self._stretches[-1]._replace(sample=self.sample, kind=Kind.FREE, force=0.0))

    def on_link_loss(self, what: LinkLoss) -> None:
        """What the arm does by itself from here on, if the link is lost."""
        self._begin(self._stretches[-1]._replace(sample=self.sample, loss=what))

    def wait(self, seconds: float, comment: str = "") -> None:
        """Stand still here."""
        self._stand(seconds, None, comment)

    def act(self, action: Action, seconds: float, comment: str = "") -> None:
        """Let the tool do something here."""
        self._stand(seconds, action, comment)

    def undo(self, name: str = "") -> Floats:
        """Back to a mark, the last one if none is named; returns where the robot belongs then [rad | m]."""
        found = [mark for mark in self.marks if not name or mark.name == name]
        if not found:
            known = ", ".join(mark.name for mark in self.marks) or "none"
            raise EditError(f"no mark {name!r} to go back to; there are: {known}" if name else "no mark to go back to")
        at = found[-1].sample
        parts = Undone(
            self.rows[at + 1 :],
            [mark for mark in self.marks if mark.sample > at],
            [stand for stand in self._stands if stand.sample > at],
            [stretch for stretch in self._stretches if stretch.sample > at],
        )
        self._undone.append(parts)
        del self.rows[at + 1 :]
        self.marks = [mark for mark in self.marks if mark.sample <= at]
        self._stands = [stand for stand in self._stands if stand.sample <= at]
        self._stretches = [stretch for stretch in self._stretches if stretch.sample <= at]
        return self.here

    def redo(self) -> Floats:
        """What was undone last, again; returns where the robot belongs then [rad | m]."""
        if not self._undone:
            raise EditError("nothing to do again")
        parts = self._undone.pop()
        self.rows += parts.rows
        self.marks += parts.marks
        self._stands += parts.stands
        self._stretches += parts.stretches
        return self.here

    # What becomes of it ----------------------------------------------------------------------------------------

    def task(self) -> Task:
        """The task; raises an EditError if nothing was driven."""
        if len(self.rows) <= LEAST_SAMPLES:
            raise EditError("nothing was rehearsed: the hand did not move the robot")
        last = self.sample
        stretches = [stretch for stretch in self._stretches if stretch.sample < last]
        ends = [*(stretch.sample for stretch in stretches[1:]), last]
        segments = tuple(
            Segment(stretch.sample, end, stretch.kind, "", stretch.comment, stretch.loss, stretch.force)
            for stretch, end in zip(stretches, ends, strict=True)
            if stretch.sample < end
        )
        plain = changed(self._task, q=np.array(self.rows), segments=segments, marks=tuple(self.marks))
        return self._with_stands(plain)

    def _with_stands(self, plain: Task) -> Task:
        clips: list[Clip] = []
        at = 0
        for stand in sorted(self._stands, key=lambda one: one.sample):
            if stand.sample > at:
                clips.append(cut_out(plain, at, stand.sample))
                at = stand.sample
            kind = Kind.WAIT if stand.action is None else Kind.ACTION
            name = "" if stand.action is None else stand.action.word
            clips.append(
                standing(plain.q[at], stand.periods, kind, name=name, comment=stand.comment, action=stand.action)
            )
        if at < self.sample:
            clips.append(cut_out(plain, at, self.sample))
        return glued(plain, clips)

    def _begin(self, stretch: Stretch) -> None:
        if self._stretches[-1].sample == stretch.sample:
            self._stretches.pop()
        self._stretches.append(stretch)

    def _stand(self, seconds: float, action: Action | None, comment: str) -> None:
        periods = round(seconds / self._task.period) if 0.0 < seconds <= 3600.0 else 0
        if periods < 1:
            raise EditError(f"stand still for {seconds:g} s; allowed: {self._task.period:g} to 3600")
        self._stands.append(Stand(self.sample, periods, action, comment))
