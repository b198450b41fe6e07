"""`Follower`: what a running station says, near or far, put into a scene. It only reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from station.errors import StationError
from station.servo.shared import Emulated, Snapshot
from station.view.local import LocalStation, Source
from station.view.moment import NEVER, Link, Moment, no_records
from station.view.robot import DrawnRobot
from station.view.scene_view import SceneView

__all__ = ["Follower", "Link", "Moment"]


class Follower:
    """Keeps a scene as a running station says.

    Args:
        view: the scene.
        path: shared state of the station; that of the one which was started last, if not given.
        folder: where to look for it.
    """

    def __init__(self, view: SceneView, path: Path | None = None, folder: Path | None = None) -> None:
        self._view = view
        self.source: Source = LocalStation(path, folder)
        self._robot: DrawnRobot | None = None
        self.augment = view.augment
        self.moment = Moment()  # newest
        self.link = Link.NONE
        self.trouble = ""  # why it does not follow, if it could
        self.listeners: list[Callable[[Moment], object]] = []  # told of every moment, also while nobody looks
        self.leaving: list[Callable[[], object]] = []  # called when it stops following

    @property
    def robot(self) -> DrawnRobot | None:
        """The robot of the scene that the station moves."""
        return self._robot

    def use(self, source: Source) -> None:
        """Follow another station from now on."""
        self.close()
        self.source, self.moment, self.link = source, Moment(), Link.NONE

    def update(self) -> bool:
        """Put the newest state into the scene; returns whether the picture has changed. Never raises."""
        try:
            changed = self._take(self.source.look())
        except (StationError, ValueError) as error:  # ended, stopped, or it says what nobody knows
            self.trouble = str(error)
            self._end(Link.ENDED)
            changed = True
        for listener in self.listeners:
            try:
                listener(self.moment)
            except Exception as error:  # the window stays, whatever a panel does
                self.trouble = f"a panel failed: {error}"
        return changed

    def close(self) -> None:
        """Stop following; may be called twice."""
        for leave in self.leaving:
            leave()
        self.source.close()
        self._robot = None

    def _take(self, moment: Moment) -> bool:
        """A moment that has come; returns whether it changes the picture."""
        self.trouble = self.source.trouble
        if not moment.joints:  # nobody is there: what was seen last stays
            self._end(moment.link)
            return False
        if self._robot is None or moment.epoch != self.moment.epoch:
            self._robot = self._match(moment)
            self.augment.restart()
        if self._robot is None:
            self.source.close()
            self.trouble = f"the running station moves a robot of {moment.joints} joints, which is not in this file"
            return False
        self.moment, self.link = moment, moment.link
        if moment.snapshot is None:
            return False
        self._put_robot(self._robot, moment.snapshot, moment.silence)
        self.augment.put(self._robot, moment)
        if moment.link is Link.SILENT:
            self._view.status.append(self.trouble)
        return True

    def _end(self, link: Link) -> None:
        """There is nothing new; what was seen last is not taken for what is."""
        self.link = link
        if self.moment.snapshot is not None:
            self.moment = replace(self.moment, link=Link.ENDED, records=no_records(), fresh=False, lost=0)

    def _match(self, moment: Moment) -> DrawnRobot | None:
        """The robot by the name that the station tells, else by its number of joints."""
        name = moment.text.get("robot")
        fitting = [robot for robot in self._view.robots.values() if robot.kinematics.joints == moment.joints]
        named = [robot for robot in fitting if robot.name == name]
        return next(iter(named or (fitting if name is None else [])), None)

    def _put_robot(self, robot: DrawnRobot, snapshot: Snapshot, silence: float) -> None:
        if np.isfinite(snapshot.predicted_q).all():
            robot.predict(snapshot.predicted_q, silence)
        age = float(snapshot.measured_age[0])
        known = age < NEVER and np.isfinite(snapshot.measured_q).all()
        robot.measure(snapshot.measured_q if known else None, age + silence)
        robot.emulated = bool(Emulated(int(snapshot.emulated[0])) & Emulated.CONTROLLER)
