"""`DrawnRobot`: a robot of the scene with its looks: predicted (solid), measured (ghost), commanded (thin lines)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.bench import Bench
from station.mad.leading import led_frame
from station.mad.scene import BASE_ID, Robot
from station.mad.units import JointType
from station.mechanism import Mechanism
from station.mechanism.results import MechanismError
from station.view.drawing.arrows import Arrow, axes_of
from station.view.drawing.robot_visual import LinkStates, RobotVisual
from station.view.errors import ViewRequestError
from station.view.geometry.mesh import Colour
from station.view.geometry.robot import RobotBody, robot_body
from station.view.poses import Poses

HIGHLIGHT: Colour = (1.0, 0.74, 0.05, 0.8)  # of selected links, opacity telling how much
STALE = 0.5  # age from which data are not to be trusted [s]


@dataclass
class Look:
    """One way in which a robot stands there."""

    states: LinkStates
    poses: NDArray[np.float64]  # (ids, 4, 4) in the world [m]
    shown: bool = True
    age: float | None = None  # of the joint values [s]; None: not told
    stale_after: float = STALE  # [s]

    @property
    def stale(self) -> bool:
        """Whether what one sees may no longer be true."""
        return self.age is not None and not self.age <= self.stale_after


@dataclass
class DrawnRobot:
    """A robot as it is drawn; ids are those of the file, 0 is the base."""

    robot: Robot
    body: RobotBody
    kinematics: Poses
    q: NDArray[np.float64]  # predicted joint values [rad | m]
    predicted: Look
    measured: Look
    commanded: Look
    emulated: bool = False
    selected: set[int] = field(default_factory=set)
    marks: dict[int, Colour | None] = field(default_factory=dict)
    tints: dict[int, Colour] = field(default_factory=dict)  # of what a station says; they are seen over marks
    opacities: dict[int, float] = field(default_factory=dict)
    version: int = 0  # grows whenever it moves
    _visual: RobotVisual | None = None

    def __post_init__(self) -> None:
        moving = [link for link in self.robot.links if link.joint is not JointType.FIXED]
        self.stops = np.array([link.stops or (np.nan, np.nan) for link in moving], np.float64).reshape(-1, 2)

    @property
    def name(self) -> str:
        """As in the file."""
        return self.robot.name

    def predict(self, q: ArrayLike, age: float | None = None) -> None:
        """Put the solid robot at joint values [rad | m] of an age [s]."""
        poses = self.kinematics.at(q)
        self.q = np.array(q, np.float64)
        self._put(self.predicted, poses, age)

    def measure(self, q: ArrayLike | None, age: float | None = None) -> None:
        """Put the ghost at joint values [rad | m] of an age [s]; None: there is no measurement."""
        self.version += self.measured.shown is not (q is not None)
        self.measured.shown = q is not None
        if q is not None:
            self._put(self.measured, self.kinematics.at(q), age)

    def command(self, q: ArrayLike | None, age: float | None = None) -> None:
        """Put the thin ghost at joint values [rad | m] that were sent so long ago [s]; None: it is not shown."""
        self.version += self.commanded.shown is not (q is not None)
        self.commanded.shown = q is not None
        if q is not None:
            self._put(self.commanded, self.kinematics.at(q), age)

    def stand_on(self, carrier: DrawnRobot | None, look: str) -> None:
        """Let what is put next stand on a robot that carries it, as that one is predicted, measured or commanded.

        What is not known of the carrier is as predicted.
        """
        on = self.robot.base.on
        if carrier is not None and on is not None and on.part is not None:
            under: Look = getattr(carrier, look)
            shown = under if under.shown else carrier.predicted
            self.kinematics.stand_at(shown.poses[carrier.row(on.part.target.id)] @ self.kinematics.mount)

    def pose(self, name: int, measured: bool = False) -> NDArray[np.float64]:
        """4×4 pose of a link or frame as it is drawn [m]."""
        look = self.measured if measured else self.predicted
        return np.asarray(look.poses[self.row(name)])

    def select(self, *names: int) -> None:
        """Let links stand out, and no others."""
        for name in names:
            self.row(name)  # known?
        self.selected = set(names)
        self._paint_links()

    def mark(self, colours: Mapping[int, Colour | None]) -> None:
        """Colour links by a quantity, opacity telling how much; None gives a link its own paint back."""
        for name, colour in colours.items():
            self.row(name)
            self.marks[name] = colour
        self._paint_links()

    def tint(self, colours: Mapping[int, Colour], opacities: Mapping[int, float]) -> None:
        """Colours and opacities of links by what a station says, instead of those before."""
        if (colours, opacities) != (self.tints, self.opacities):
            self.tints, self.opacities = dict(colours), dict(opacities)
            self._paint_links()

    def _paint_links(self) -> None:
        for row, name in enumerate(self.body.ids):
            mark = HIGHLIGHT if name in self.selected else self.tints.get(name, self.marks.get(name))
            self.predicted.states.mark(row, mark, self.opacities.get(name, 1.0))
            self.measured.states.mark(row, HIGHLIGHT if name in self.selected else None)

    def row(self, name: int) -> int:
        """Place of a link or frame in `body.ids`; raises ViewRequestError that lists them."""
        try:
            return self.body.ids.index(name)
        except ValueError:
            known = ", ".join(map(str, self.body.ids))
            raise ViewRequestError(f"robot {self.name} has no part {name}; there are: {known}") from None

    def points(self) -> NDArray[np.float64]:
        """All corners of the solid robot in the world [m]."""
        return self.body.points_at(self.predicted.poses)

    def extent(self) -> NDArray[np.float64]:
        """All corners that are shown, solid and ghosts [m]."""
        looks = (self.predicted, self.measured, self.commanded)
        shown = [self.body.points_at(look.poses) for look in looks if look.shown]
        return np.concatenate([np.empty((0, 3)), *shown])

    def axes(self, name: int) -> list[Arrow]:
        """A link or frame of the solid robot as three arrows."""
        return axes_of(self.pose(name), 2.2 * self.body.size)

    def visual(self) -> RobotVisual:
        """What draws it; made when it is first asked for, as it needs a canvas."""
        if self._visual is None:
            body = self.body
            self._visual = RobotVisual(body.mesh, body.rows, body.owners, body.wires, len(body.ids))
        return self._visual

    def forget_canvas(self) -> None:
        """Another canvas will draw it."""
        self._visual = None
        for look in (self.predicted, self.measured, self.commanded):
            look.states.forget_canvas()

    def _put(self, look: Look, poses: NDArray[np.float64], age: float | None) -> None:
        look.poses, look.age = poses, age
        self.version += 1
        look.states.put(poses)


def drawn_robot(bench: Bench, robot: Robot) -> DrawnRobot:
    """A robot at the joint values of its file, loops closed."""
    kinematics = poses_of(bench, robot)
    q = bench[robot.name].q
    poses = kinematics.at(q)
    body = robot_body(bench, robot, dict(zip(kinematics.ids, poses, strict=True)))
    predicted, measured, commanded = (_look(poses, shown) for shown in (True, False, False))
    return DrawnRobot(robot, body, kinematics, q, predicted, measured, commanded)


def poses_of(bench: Bench, robot: Robot) -> Poses:
    """Where everything of a robot is; one that another robot carries stands where that one is now."""
    poses = Poses(robot)
    if robot.base.on is not None:
        poses.stand_at(bench[robot.name].pose(BASE_ID))
    return poses


def stand(drawn: DrawnRobot, mechanism: Mechanism) -> None:
    """Draw a robot where its mechanism is; that of one which another carries knows where its base is."""
    if drawn.robot.base.on is not None:
        drawn.kinematics.stand_at(mechanism.pose(BASE_ID))
    drawn.predict(mechanism.q)


def _look(poses: NDArray[np.float64], shown: bool) -> Look:
    states = LinkStates(len(poses))
    states.put(poses)
    return Look(states, poses, shown)


def joint_values(mechanism: Mechanism, posture: str | None = None, q: ArrayLike | None = None) -> NDArray[np.float64]:
    """Joint values of a named posture or a list [rad | m], loops closed; those of the file if neither is given.

    Raises:
        ViewRequestError: that lists the postures there are, or says what the mechanism does not accept.
    """
    robot, wanted = mechanism.robot, mechanism.q
    if posture is not None:
        found = {item.name: item for item in robot.postures}
        if posture not in found:
            known = ", ".join(found) or "none"
            raise ViewRequestError(f"robot {robot.name} has no posture '{posture}'; there are: {known}")
        for joint in found[posture].joints:
            wanted[mechanism.joint_number(joint.link)] = joint.value
    if q is not None:
        wanted = np.asarray(q, np.float64)
    before = mechanism.q
    try:
        mechanism.q = wanted
        return mechanism.q
    except MechanismError as error:
        raise ViewRequestError(str(error)) from None
    finally:
        mechanism.q = before


def followed(robot: Robot) -> list[int]:
    """Frames that a hand leads by the file, else the tools, else the one that a run would choose."""
    led = [target.id for item in robot.constraints if not item.closes_loop for target in item.targets]
    chosen = led_frame(robot)
    return led or [tool.id for tool in robot.tools] or ([chosen.id] if chosen is not None else [])
