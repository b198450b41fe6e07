"""`Design`: a scene that is edited and moved; needs no window.

The text of the file is what is edited, and the scene is read from it anew: so everything that the language allows can
be edited, comments stay, and no edit can lead to a scene that could not be loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.bench import Bench, loads
from station.errors import StationError
from station.mad import dumps
from station.mad.joined import groups
from station.mad.scene import Link, Robot
from station.mad.units import JointType
from station.mechanism import Mechanism
from station.view.design.errors import DesignError
from station.view.design.files import SourceFile
from station.view.design.history import History
from station.view.design.motion import stand_alike, turn_alone
from station.view.design.source import Source

Rewrite = Callable[[Source], str]  # a text to another one


class Design:
    """The scene of a file, where its robots stand, and every edit.

    Args:
        bench: the scene as it was loaded.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.file = _file_of(bench)
        try:
            text = self.file.read() if self.file is not None else dumps(bench)
        except StationError as error:  # gone since it was loaded
            self.file, text = None, dumps(bench)
            self.trouble = str(error)
        else:
            self.trouble = ""  # why the scene is not that of the file
        self.history = History(text)
        self._saved = text
        self.revision = 0  # of the scene: counts edits
        self.moved: set[str] = set()  # robots that stand elsewhere since somebody looked
        self.rebuilt: set[str] = set()  # robots that are others since somebody looked

    # Edits -------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Of the file in messages."""
        return str(self.file.path) if self.file is not None else (self.bench.file or self.bench.name)

    @property
    def text(self) -> str:
        """Of the file as it would be saved."""
        return self.history.text

    @property
    def dirty(self) -> bool:
        """Whether there are edits that no file has."""
        return self.text != self._saved

    def source(self) -> Source:
        """The text with its places."""
        return Source(self.text, self.name)

    def edit(self, rewrite: Rewrite, label: str, gesture: str | None = None) -> bool:
        """Change the text and read the scene from it; returns whether anything has changed.

        Raises:
            StationError: that says why it cannot be; then everything stays as it was.
        """
        text = rewrite(self.source())
        if text == self.text:
            return False
        self._take(text)
        self.history.add(text, label, gesture)
        return True

    def undo(self) -> str | None:
        """Take the last edit back; returns what it was."""
        return self._go(-1, self.history.undoes)

    def redo(self) -> str | None:
        """Do again what was undone; returns what it was."""
        return self._go(1, self.history.redoes)

    def _go(self, step: int, label: str | None) -> str | None:
        text = self.history.peek(step)
        if text is None:
            return None
        self._take(text)
        self.history.go(step)
        return label

    def _take(self, text: str) -> None:
        """Another scene in the place of this one, its robots where they were as far as they can be there."""
        bench = loads(text, self.name)
        if not bench.robots and self.bench.robots:
            raise DesignError(f"{self.name}: no robot is left")
        rebuilt: set[str] = set()
        for robot in bench.robots:
            if len(bench.group(robot.name)) > 1:
                continue
            old = self.bench.mechanisms.get(robot.name)
            if old is not None and old.robot == robot:
                bench.mechanisms[robot.name] = old
                continue
            stand_alike(bench[robot.name], old)
            rebuilt.add(robot.name)
        for names in groups(bench):
            if len(names) > 1:
                rebuilt |= self._take_together(bench, names)
        gone = {robot.name for robot in self.bench.robots} - {robot.name for robot in bench.robots}
        self.bench = bench
        self.rebuilt |= rebuilt | gone
        self.moved |= rebuilt
        self.revision += 1

    def _take_together(self, bench: Bench, names: tuple[str, ...]) -> set[str]:
        """Robots of another scene that move as one, where they were; returns those that are others now."""
        system, old = bench.system(names[0]), self.bench.joined.get(names)
        if old is not None and old.mechanism.robot == system.mechanism.robot:
            bench.joined[names] = old
            bench.mechanisms.update((name, self.bench[name]) for name in names)
            return set()
        stand_alike(system.mechanism, old.mechanism if old is not None else None)
        bench.settle(names[0])
        return set(names)

    # The file ----------------------------------------------------------------------------------------------

    def save(self, path: Path | None = None) -> Path:
        """Write the text to its file or another one, which is edited from then on; returns where it is.

        Raises:
            StationError: that says why it cannot be saved.
        """
        if path is None and self.file is None:
            raise DesignError(f"{self.name} is no MAD file; save it under a name that ends in .mad")
        if path is not None and path.suffix.lower() != ".mad":
            raise DesignError(f"{path.name}: a MAD file has a name that ends in .mad")
        file = SourceFile(path) if path is not None else self.file
        assert file is not None
        file.write(self.text, over_changes=path is not None)
        self.file, self._saved = file, self.text
        return file.path

    @property
    def outdated(self) -> bool:
        """Whether the file was changed by somebody else."""
        return self.file is not None and self.file.changed

    def reload(self) -> bool:
        """Read the file again; returns whether the scene is another. It can be undone.

        Raises:
            StationError: that says what is wrong with it; the scene stays as it was.
        """
        if self.file is None:
            raise DesignError(f"{self.name} is no MAD file that could be read again")
        text = self.file.read()
        if text == self.text:
            self._saved = text
            return False
        self._take(text)
        self.history.add(text, "reload")
        self._saved = text
        return True

    # The robots --------------------------------------------------------------------------------------------

    def robot(self, name: str) -> Robot:
        """As it is described now; raises DesignError that lists what there is."""
        for robot in self.bench.robots:
            if robot.name == name:
                return robot
        raise DesignError(f"no robot {name}; there are: {', '.join(item.name for item in self.bench.robots)}")

    def link(self, robot: str, number: int) -> Link | None:
        """A link by its id; None: it is none."""
        return next((link for link in self.robot(robot).links if link.id == number), None)

    def joint_value(self, robot: str, link: int) -> float:
        """Where a joint is [rad | m]."""
        mechanism = self.bench[robot]
        return float(mechanism.q[mechanism.joint_number(link)])

    def set_joint(self, robot: str, link: int, value: float) -> float:
        """Move a joint to a value [rad | m] as far as stops and loops allow; returns where it is then.

        In a robot with loops, other driven joints stay where they are as far as the loops let them.
        """
        mechanism, joint = self.led(robot, link)
        if mechanism.report.closure_rows and mechanism.joints[mechanism.joint_number(joint)].active:
            turn_alone(mechanism, joint, value)
        reached = mechanism.set_joint(joint, value)
        self.settle(robot)
        return reached

    def put(self, robot: str, q: ArrayLike) -> None:
        """Put a robot to joint values [rad | m], loops closed; raises MechanismError if they cannot be.

        Robots that move as one with it go along.
        """
        self.bench.system(robot).put(robot, np.asarray(q, np.float64))
        self.settle(robot)

    def led(self, robot: str, part: int) -> tuple[Mechanism, int]:
        """What moves when a link or frame of a robot is led, and the id that it has there."""
        system = self.bench.system(robot)
        return system.mechanism, system.frame_id(robot, part)

    def settle(self, robot: str) -> None:
        """What moves a robot has been moved: all that move with it are there."""
        self.moved |= set(self.bench.settle(robot))

    def take_posture(self, robot: str, name: str | None) -> None:
        """Go to a posture of the file; None: to its initial values."""
        mechanism = self.bench[robot]
        initial = {link.id: link.initial for link in mechanism.robot.links if link.joint is not JointType.FIXED}
        if name is not None:
            found = {posture.name: posture for posture in mechanism.robot.postures}
            if name not in found:
                raise DesignError(f"robot {robot} has no posture {name}; there are: {', '.join(found) or 'none'}")
            initial.update(found[name].joints)
        self.put(robot, [initial[joint.id] for joint in mechanism.joints])

    def joint_values(self, robot: str) -> NDArray[np.float64]:
        """Of all joints of a robot, in the order of the file [rad | m]."""
        return self.bench[robot].q


def _file_of(bench: Bench) -> SourceFile | None:
    """The MAD file that a scene came from, if it did."""
    path = Path(bench.file) if bench.file else None
    if path is None or path.suffix.lower() in (".urdf", ".xacro") or not path.is_file():
        return None
    return SourceFile(path)
