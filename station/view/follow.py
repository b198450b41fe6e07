"""`Follower`: what a running station says, near or far, put into a scene. It only reads."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import numpy as np

from station.errors import StationError
from station.servo.shared import Emulated, Snapshot
from station.view.edits import Edits
from station.view.local import LocalStation, Source
from station.view.moment import NEVER, Link, Moment, no_records
from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView

__all__ = ["FollowedPart", "Follower", "Link", "Moment"]


@dataclass
class FollowedPart:
    """A hand of the station with the robot that it leads."""

    source: Source
    moment: Moment = field(default_factory=Moment)  # newest
    robot: DrawnRobot | None = None  # of the scene
    who: str = ""  # told apart from the others by this; empty: there are no others


class Follower:
    """Keeps a scene as a running station says: all of its parts are drawn, one of them is the chosen one of panels.

    Args:
        view: the scene.
        path: shared state of the station; that of the one which was started last, if not given.
        folder: where to look for it.
    """

    def __init__(self, view: SceneView, path: Path | None = None, folder: Path | None = None) -> None:
        self._view = view
        self._edits = Edits(view)
        self._carried: list[tuple[DrawnRobot, Snapshot, float]] = []  # robots on others, which are put after these
        self.parts = [FollowedPart(LocalStation(path, folder))]
        self.chosen = self.parts[0]
        self.augment = view.augment
        self.link = Link.NONE
        self.trouble = ""  # why it does not follow, if it could
        self.listeners: list[Callable[[Moment], object]] = []  # told of every moment, also while nobody looks
        self.listeners_to_all: list[Callable[[FollowedPart], object]] = []  # told of those of each part
        self.choosing: list[Callable[[], object]] = []  # called before another part is chosen
        self.leaving: list[Callable[[], object]] = []  # called when it stops following

    @property
    def moment(self) -> Moment:
        """The newest of the chosen part."""
        return self.chosen.moment

    @property
    def source(self) -> Source:
        """Where those come from."""
        return self.chosen.source

    @property
    def robot(self) -> DrawnRobot | None:
        """The robot of the scene that the chosen part moves."""
        return self.chosen.robot

    def part_of(self, robot: str) -> FollowedPart | None:
        """The part that moves a robot of the scene, of several the chosen one first; None: none does."""
        moving = [part for part in self.parts if part.robot is not None and part.robot.name == robot]
        return self.chosen if self.chosen in moving else next(iter(moving), None)

    def choose(self, part: FollowedPart) -> None:
        """Let another part of the station be the one of panels and orders."""
        if part is not self.chosen and part in self.parts:
            for leave in self.choosing:
                leave()
            self.chosen = part

    def use(self, source: Source) -> None:
        """Follow another station from now on."""
        self.close()
        self.parts, self.link = [FollowedPart(source)], Link.NONE
        self.chosen = self.parts[0]

    def update(self) -> bool:
        """Put the newest state into the scene; returns whether the picture has changed. Never raises."""
        first = self.parts[0]
        try:
            changed = self._take_first(first, first.source.look())
        except (StationError, ValueError) as error:  # ended, stopped, or it says what nobody knows
            self.trouble = str(error)
            self._end(Link.ENDED)
            changed = True
        for part in self.parts[1:]:
            changed |= self._look_further(part)
        self._put_carried()
        for part in self.parts:
            for hear in self.listeners_to_all:
                self._tell(partial(hear, part))
        for listener in self.listeners:
            self._tell(partial(listener, self.moment))
        return changed

    def _tell(self, listener: Callable[[], object]) -> None:
        try:
            listener()
        except Exception as error:  # the window stays, whatever a panel does
            self.trouble = f"a panel failed: {error}"

    def close(self) -> None:
        """Stop following; may be called twice."""
        for leave in self.leaving:
            leave()
        for part in self.parts:
            part.source.close()
            part.robot = None

    def _take_first(self, part: FollowedPart, moment: Moment) -> bool:
        """A moment of the first part, which tells whether there is a station; returns whether the picture changes."""
        self.trouble = part.source.trouble
        if not moment.joints:  # nobody is there: what was seen last stays
            self._end(moment.link)
            return False
        if part.robot is None or moment.epoch != part.moment.epoch:
            if moment.epoch != part.moment.epoch:
                self._edits.forget()
            part.robot = self._match(moment)
            self._forget_further()
            self.augment.restart()
        if part.robot is None:
            part.source.close()
            self.trouble = f"the running station moves a robot of {moment.joints} joints, which is not in this file"
            return False
        begins = moment.snapshot is not None and (
            part.moment.snapshot is None or part.moment.epoch != moment.epoch or part.moment.link is Link.ENDED
        )
        part.moment, self.link = moment, moment.link
        if begins:  # all of its parts are there, then
            self._find_further(part)
        if moment.snapshot is None:
            return False
        self._put(part, moment.snapshot)
        if moment.link is Link.SILENT:
            self._view.status.append(self.trouble)
        return True

    def _find_further(self, first: FollowedPart) -> None:
        self._forget_further()
        further = [FollowedPart(source) for source in first.source.further()]
        for part in further:
            with contextlib.suppress(StationError, ValueError):  # told when it is looked at
                self._look(part)
        self.parts = [first, *further]
        if further:
            for part, who in zip(self.parts, told_apart([part.moment for part in self.parts]), strict=True):
                part.who = who

    def _forget_further(self) -> None:
        for part in self.parts[1:]:
            part.source.close()
        self.parts = self.parts[:1]
        self.parts[0].who = ""
        self.choose(self.parts[0])

    def _look(self, part: FollowedPart) -> None:
        """Take what a further part says; whether it is there is said by the first."""
        moment = part.source.look()
        if moment.joints:
            part.robot = part.robot or self._match(moment)
            part.moment = replace(moment, link=self.link)

    def _look_further(self, part: FollowedPart) -> bool:
        try:
            self._look(part)
            if part.robot is None:
                self.trouble = f"{part.who}: {part.source.trouble or 'its robot is not in this file'}"
            elif part.moment.snapshot is not None:
                self._put(part, part.moment.snapshot)
        except (StationError, ValueError) as error:
            self.trouble = f"{part.who}: {error}"
        return part.moment.fresh

    def _end(self, link: Link) -> None:
        """There is nothing new; what was seen last is not taken for what is."""
        self.link = link
        for part in self.parts:
            if part.moment.snapshot is not None:
                part.moment = replace(part.moment, link=Link.ENDED, records=no_records(), fresh=False, lost=0)

    def _match(self, moment: Moment) -> DrawnRobot | None:
        """The robot by the name that the station tells, else by its number of joints."""
        name = moment.text.get("robot")
        fitting = [robot for robot in self._view.robots.values() if robot.kinematics.joints == moment.joints]
        named = [robot for robot in fitting if robot.name == name]
        return next(iter(named or (fitting if name is None else [])), None)

    def _put(self, part: FollowedPart, snapshot: Snapshot) -> None:
        robot = part.robot
        assert robot is not None
        if next(other for other in self.parts if other.robot is robot) is part:  # else another hand's has put it there
            self._edits.take(robot, snapshot)
            if robot.robot.base.on is None:
                self._put_robot(robot, snapshot, part.moment.silence)
            else:
                self._carried.append((robot, snapshot, part.moment.silence))
        self.augment.put(robot, part.moment, part.who, part is self.chosen)

    def _put_carried(self) -> None:
        """Put robots that others carry onto these, from the ground up."""
        carried, self._carried = self._carried, []
        for robot, snapshot, silence in sorted(carried, key=lambda one: self._height(one[0])):
            self._put_robot(robot, snapshot, silence)

    def _height(self, robot: DrawnRobot) -> int:
        carrier = self._view.carrier_of(robot)
        return 0 if carrier is None else 1 + self._height(carrier)

    def _put_robot(self, robot: DrawnRobot, snapshot: Snapshot, silence: float) -> None:
        carrier = self._view.carrier_of(robot)
        if np.isfinite(snapshot.predicted_q).all():
            robot.stand_on(carrier, "predicted")
            robot.predict(snapshot.predicted_q, silence)
        age = float(snapshot.measured_age[0])
        known = age < NEVER and np.isfinite(snapshot.measured_q).all()
        robot.stand_on(carrier, "measured")
        robot.measure(snapshot.measured_q if known else None, age + silence)
        sent = self._view.show_commanded and snapshot.commanded_pose[3, 3] == 1.0  # never filled: all zero
        robot.stand_on(carrier, "commanded")
        robot.command(snapshot.commanded_q if sent else None, float(snapshot.commanded_age[0]) + silence)
        robot.emulated = bool(Emulated(int(snapshot.emulated[0])) & Emulated.CONTROLLER)


def told_apart(moments: list[Moment]) -> list[str]:
    """A name for each part of a station: its own; where a device may lead several frames with robot and frame."""
    robots = [moment.text.get("robot") for moment in moments]
    ways = (
        [moment.name for moment in moments],
        [f"{moment.name} → {robot}" for moment, robot in zip(moments, robots, strict=True)],
        [f"{moment.name} → {robot} {moment.text.get('frame')}" for moment, robot in zip(moments, robots, strict=True)],
        [f"{moment.name} {number}" for number, moment in enumerate(moments, 1)],
    )
    return [next(way[nth] for way in ways if way.count(way[nth]) == 1) for nth in range(len(moments))]
