"""A loaded scene whose robots can move: `station.load(…)["macdac"]`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from station import mad
from station.mad.joined import Joined, groups, join
from station.mad.scene import BASE_ID, Robot, Scene, Vector
from station.shipped import scene_path

if TYPE_CHECKING:
    from station.kernel import Floats
    from station.mechanism import Mechanism


@dataclasses.dataclass(frozen=True)
class System:
    """Robots that move as one, since constraints or bases hold them together; or a single one."""

    mechanism: Mechanism
    robots: tuple[str, ...]  # in the order of the file

    def joints_of(self, name: str) -> range:
        """Places of a robot's joints in the mechanism's `q`."""
        owners = [self.owner(joint.id) for joint in self.mechanism.joints]
        first = owners.index(name) if name in owners else 0
        self._offset(name)  # known?
        return range(first, first + owners.count(name))

    def frame_id(self, name: str, frame: int | str) -> int:
        """Id that a link or frame of a robot, by id or name, has in the mechanism; 0 is the base of that robot."""
        from station.mechanism import MechanismError

        offset = self._offset(name)
        if isinstance(frame, str):
            return self.mechanism.frame_id(f"{name}.{frame}" if self.is_joined else frame)
        try:
            return self.mechanism.frame_id(offset + frame)
        except MechanismError:
            ids = [known - offset for known in self.mechanism.frames if self.owner(known) == name]
            listed = ", ".join(map(str, ids))
            raise MechanismError(f"robot {name} has no frame {frame}; there are: {listed}") from None

    def q_of(self, name: str) -> Floats:
        """Joint values of a robot [rad | m], a copy."""
        joints = self.joints_of(name)
        return self.mechanism.q[joints.start : joints.stop]

    def put(self, name: str, q: Sequence[float] | Floats) -> None:
        """Put one robot to joint values [rad | m]; the others go along as far as the loops between them ask."""
        if not self.is_joined:
            self.mechanism.q = q
            return
        joints, values = self.joints_of(name), self.mechanism.q
        given = list(q)
        if len(given) != len(joints):
            from station.mechanism import MechanismError

            raise MechanismError(f"robot {name} takes {len(joints)} finite joint values")
        values[joints.start : joints.stop] = given
        self.mechanism.q = values

    @property
    def is_joined(self) -> bool:
        """Whether there are several robots."""
        return isinstance(self.mechanism.robot, Joined)

    def _offset(self, name: str) -> int:
        robot = self.mechanism.robot
        if isinstance(robot, Joined):
            return robot.member(name).offset
        if name != robot.name:
            raise KeyError(f"no robot '{name}' here; there is: {robot.name}")
        return 0

    def owner(self, number: int) -> str | None:
        """The robot to which a link or frame of the mechanism belongs; None: the world."""
        robot = self.mechanism.robot
        if not isinstance(robot, Joined):
            return robot.name
        return robot.member_of(number).robot.name if number != BASE_ID else None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Bench(Scene):
    """A scene; indexing it by the name of a robot compiles that robot, once.

    Robots that are held together move as one mechanism, that of their `System`. Indexed by its name, such a robot is
    alone, as its own controller sees it: at the joint values at which all of them fit together.
    """

    mechanisms: dict[str, Mechanism] = dataclasses.field(default_factory=dict, compare=False, repr=False)
    joined: dict[tuple[str, ...], System] = dataclasses.field(default_factory=dict, compare=False, repr=False)

    def __getitem__(self, name: str) -> Mechanism:
        """The robot of that name, loops assembled; raises KeyError that lists the names there are."""
        if name not in self.mechanisms:
            from station.mechanism import Mechanism  # loads the compiler: not needed to look at a file

            robot, names = self.robot(name), self.group(name)
            if len(names) == 1:
                self.mechanisms[name] = Mechanism(robot)
            else:
                system = self.system(name)
                alone = Mechanism(_alone(robot, system))
                alone.q = system.q_of(name)
                self.mechanisms[name] = alone
        return self.mechanisms[name]

    def group(self, name: str) -> tuple[str, ...]:
        """Names of the robots that move as one with a robot, itself included; needs no compiler."""
        self.robot(name)  # known?
        return next(names for names in groups(self) if name in names)

    def system(self, name: str) -> System:
        """The mechanism that moves a robot; raises KeyError that lists the names there are."""
        names = self.group(name)
        if names not in self.joined:
            if len(names) == 1:
                self.joined[names] = System(self[name], names)
            else:
                from station.mechanism import Mechanism

                self.joined[names] = System(Mechanism(join(self, names)), names)
        return self.joined[names]

    def settle(self, name: str) -> tuple[str, ...]:
        """Put every robot that moves as one with a robot where all of them are now; returns their names."""
        names = self.group(name)
        if len(names) > 1:
            system = self.system(name)
            for each in names:
                alone = self[each]
                if self.robot(each).base.on is not None:
                    alone.stand_at(system.mechanism.pose(system.frame_id(each, BASE_ID)))
                alone.q = system.q_of(each)
        return names

    def systems(self) -> tuple[System, ...]:
        """All mechanisms of the scene, in the order of their first robots."""
        return tuple(self.system(names[0]) for names in groups(self))

    def open_loops(self) -> list[str]:
        """What stays open in robots that were compiled, as their parts do not quite fit: a line each."""
        return [mechanism.report.note for mechanism in self._compiled() if mechanism.report.note]

    def _compiled(self) -> list[Mechanism]:
        """All that is compiled, robots that are tied once, as one."""
        joined = [system.mechanism for system in self.joined.values() if system.is_joined]
        tied = {name for names in self.joined for name in names if len(names) > 1}
        return [*(mechanism for name, mechanism in self.mechanisms.items() if name not in tied), *joined]


def _alone(robot: Robot, system: System) -> Robot:
    """A robot that stands in the world where what carries it is now."""
    if robot.base.on is None:
        return robot
    from station.mad.placement import angles_of  # numpy is not needed to look at a file

    pose = system.mechanism.pose(system.frame_id(robot.name, BASE_ID))
    x, y, z = map(float, pose[:3, 3])
    base = dataclasses.replace(robot.base, on=None, pos=Vector(x, y, z), ori=angles_of(pose))
    return dataclasses.replace(robot, base=base)


def load(path: str | Path, package_path: Sequence[str | Path] = ()) -> Bench:
    """Read a scene from a `.mad` or `.urdf` file, or by the name of a shipped robot; see `station.mad.load`."""
    return bench_of(mad.load(scene_path(str(path)), package_path))


def loads(text: str, file: str = "<text>") -> Bench:
    """Read a scene from MAD text; see `station.mad.loads`."""
    return bench_of(mad.loads(text, file))


def bench_of(scene: Scene) -> Bench:
    """A scene with robots that can move, none of them compiled yet."""
    return Bench(**{field.name: getattr(scene, field.name) for field in dataclasses.fields(Scene)})
