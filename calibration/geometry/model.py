"""Robot geometry as a model to fit: dimensions, joint zeros, gear ratios, where robot and tool are.

Parameters by name: `stand x … a` (where the robot's world is for whoever measures), `tool x … a`, `frame 16 x … a` (ends
of loops), `link 3 alpha | d | beta | theta | r`, `link 3 zero` (added to what the encoder tells) and `link 3 ratio`
(by which it is multiplied first).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibration.errors import DataError, UnitsError
from calibration.geometry.loops import Loops, closures_of
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.screws import FRAME_MOTIONS, STAND, TURNS, Placed, Tree, joint_motion, lines_up
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.turning import aligned, right_rate, rotation_vector
from station.devices.parameter import check, parameter
from station.mad.placement import from_position
from station.mad.scene import Angles, Frame, Link, Robot, Vector
from station.mad.units import JointType
from station.mechanism import Mechanism

THOUSANDS = {1000.0: "millimetres given for metres", 0.001: "metres given for millimetres"}


@dataclass(frozen=True, kw_only=True)
class GeometrySettings:
    """What is estimated of a robot."""

    stand: bool = True  # where the robot stands for whoever measures
    ratios: bool = False  # gear ratios of the joints
    length_error: float = parameter(1e-3, "typical error of a length", "m", 1e-7, 0.1)
    angle_error: float = parameter(3.5e-3, "typical error of an angle or a zero", "rad", 1e-7, 0.2)
    ratio_error: float = parameter(1e-3, "typical error of a gear ratio", "", 1e-7, 0.1)
    prior: bool = False  # lengths and angles are known to within their typical errors beforehand
    parallel: float = parameter(0.17, "angle between axes that count as parallel", "rad", 0.0, 0.5)

    def __post_init__(self) -> None:
        check(self)


class GeometryModel:
    """A robot and measurements of its tool."""

    def __init__(
        self, robot: Robot, frame: int | str, data: ToolMeasurements, settings: GeometrySettings | None = None
    ) -> None:
        self.settings = settings or GeometrySettings()
        self.robot, self.data = robot, data
        mechanism = Mechanism(robot)
        self.frame = mechanism.frame_id(frame)
        ends = tuple(target.id for closure in closures_of(robot) for target in closure.targets)
        coupled = tuple(one.link for one in robot.couplings) + tuple(
            link for one in robot.couplings for link, _ in one.equals
        )
        self.tree = Tree(robot, (self.frame, *ends, *coupled))
        start = {joint.id: float(value) for joint, value in zip(mechanism.joints, mechanism.q, strict=True)}
        self._check_joints(mechanism)
        self.loops = Loops(self.tree, self._encoders(), start)
        self._passive: Floats | None = None
        self.dimensions = self.tree.nominal()
        self.stand = np.eye(4)
        self.stand = self._first_stand() if self.settings.stand else self.stand
        self._build(start)

    # What there is ---------------------------------------------------------------------------------------

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """In the order of the values that `rows` takes."""
        return self._parameters

    @property
    def observations(self) -> int:
        """How many there are."""
        return len(self.data.joints)

    def _encoders(self) -> tuple[int, ...]:
        """Links with an encoder that move something that counts."""
        moving = {link.id for link in self.tree.links}
        return tuple(name for name in self.data.encoders if name in moving)

    def _check_joints(self, mechanism: Mechanism) -> None:
        known = {joint.id: joint for joint in mechanism.joints}
        for place, name in enumerate(self.data.encoders):
            if name not in known:
                ids = ", ".join(map(str, known))
                raise DataError(f"robot {self.robot.name} has no joint {name}; there are: {ids}")
            largest = float(np.abs(self.data.joints[:, place]).max())
            joint = known[name]
            most = max(map(abs, joint.limits)) if joint.limits else 4.0 * math.pi
            if joint.type is JointType.REVOLUTE and largest > most + 0.5 and math.radians(largest) <= most + 0.5:
                raise UnitsError(f"joint {name} goes to {largest:.4g} rad, its stop is at {most:.4g}: degrees given")
            if joint.type is JointType.PRISMATIC and joint.limits and largest > 100.0 * max(most, 1e-3):
                raise UnitsError(
                    f"joint {name} goes to {largest:.4g} m, its stop is at {most:.4g}: {THOUSANDS[1000.0]}"
                )
        moving = {link.id for link in self.tree.links}
        measured = len([name for name in self.data.encoders if name in moving])
        if closures_of(self.robot) or self.robot.couplings:
            needed = mechanism.mobility
            if measured != needed:
                raise DataError(
                    f"{measured} encoders for a robot with loops and {needed} freedoms; name the links of {needed}"
                )
        elif measured < len(moving):
            without = ", ".join(str(name) for name in sorted(moving - set(self.data.encoders)))
            raise DataError(f"joints without an encoder: {without}; all joints up to the tool are needed")

    def _first_stand(self) -> Floats:
        """Where the robot stands, roughly: nominal tool positions laid over the measured ones."""
        placed, _ = self._placed(self.dimensions, np.arange(self.observations), {})
        pose, scale = aligned(placed.pose[self.frame][:, :3, 3], self.data.positions)
        self._check_scale(scale)
        return pose

    def _check_scale(self, scale: float) -> None:
        for factor, words in THOUSANDS.items():
            if factor / 1.5 < scale < factor * 1.5:
                raise UnitsError(f"positions are {scale:.4g} times as large as the robot reaches: {words}")
        if not 0.5 < scale < 2.0:
            raise DataError(f"positions are {scale:.3g} times as large as the robot reaches; are they of this robot?")

    def _build(self, start: dict[int, float]) -> None:
        """Parameters, and which motion of the tree each of them is."""
        settings = self.settings
        self._parameters: tuple[Parameter, ...] = ()
        self._motion: list[int] = []  # of each parameter
        self._ratio_of: dict[int, int] = {}  # place of a ratio among parameters → link
        self._zero_of: dict[int, int] = {}
        made: list[Parameter] = []

        def add(name: str, owner: int, motion: str, keep: int, *, known: bool) -> None:
            number = self.tree.motions.number[owner, motion]
            turns = motion in TURNS
            typical = settings.angle_error if turns else settings.length_error
            made.append(
                Parameter(
                    name=name,
                    unit="rad" if turns else "m",
                    nominal=float(self.dimensions[number]),
                    typical=typical,
                    prior=typical if known and settings.prior else None,
                    keep=keep,
                )
            )
            self._motion.append(number)

        if settings.stand:
            for motion in FRAME_MOTIONS:
                add(f"stand {motion}", STAND, motion, 0, known=False)
        for name, item in self.tree.items.items():
            if isinstance(item, Frame) and (name == self.frame or name in self._loop_ends()):
                word = "tool" if name == self.frame else f"frame {name}"
                turned = name != self.frame or self.data.rotations is not None
                for motion in FRAME_MOTIONS if turned else FRAME_MOTIONS[:3]:
                    add(f"{word} {motion}", name, motion, 1 if name == self.frame else 6, known=True)
        placed, _ = self._placed(self.dimensions, np.arange(1), {}, {name: np.array([q]) for name, q in start.items()})
        for name, item in self.tree.items.items():
            if isinstance(item, Link):
                for motion, keep in self._free_motions(item, placed.pose):
                    zero = motion in ("theta", "r") and self.tree.motions.number[name, motion] == self._own(item)
                    if zero:
                        self._zero_of[len(made)] = name
                    add(f"link {name} {'zero' if zero else motion}", name, motion, keep, known=True)
        if settings.ratios:
            for name in self._encoders():
                self._ratio_of[len(made)] = name
                number = self._own(self.tree.items[name])
                prior = settings.ratio_error if settings.prior else None
                made.append(
                    Parameter(
                        name=f"link {name} ratio", unit="", nominal=1.0, typical=settings.ratio_error, prior=prior, keep=5
                    )
                )
                self._motion.append(number)
        self._parameters = tuple(made)
        self._motions = np.array(self._motion, dtype=np.int64)

    def _own(self, item: Link | Frame) -> int:
        if not isinstance(item, Link) or item.joint is JointType.FIXED:
            return -1
        return joint_motion(self.tree, item)

    def _loop_ends(self) -> set[int]:
        return {target.id for closure in closures_of(self.robot) for target in closure.targets}

    def _free_motions(self, link: Link, poses: dict[int, Floats]) -> list[tuple[str, int]]:
        """Dimensions of a row that can be wrong, and how much each should be kept."""
        if link.joint is JointType.FIXED:
            return []
        motions = [("alpha", 2), ("d", 3)]
        if lines_up(self.tree, link, poses, self.settings.parallel):
            motions.append(("beta", 2))
        own = "theta" if link.joint is JointType.REVOLUTE else "r"
        if link.id in self._encoders():
            motions.append((own, 4))
        motions.append(("r", 5) if own == "theta" else ("theta", 4))
        return motions

    # From parameters to the tool ---------------------------------------------------------------------------

    def split(self, values: Floats) -> tuple[Floats, dict[int, float]]:
        """Dimensions in the order of the tree's motions, and gear ratios by link."""
        dimensions = self.dimensions.copy()
        ratios: dict[int, float] = {}
        for place, value in enumerate(values):
            if place in self._ratio_of:
                ratios[self._ratio_of[place]] = float(value)
            else:
                dimensions[self._motion[place]] = value
        return dimensions, ratios

    def _placed(
        self, dimensions: Floats, which: Ints, ratios: dict[int, float], joints: dict[int, Floats] | None = None
    ) -> tuple[Placed, dict[int, Floats]]:
        """The tree at some observations, loops closed, and what encoders tell times their ratios."""
        encoders = {
            name: ratios.get(name, 1.0) * self.data.joints[which, place]
            for place, name in enumerate(self.data.encoders)
            if name in self._encoders()
        }
        if joints is None:
            passive = np.zeros((len(which), 0))
            if self.loops.passive:
                told = {name: values + dimensions[self.loops.joint(name)] for name, values in encoders.items()}
                free = dimensions.copy()
                free[[self.loops.joint(name) for name in encoders]] = 0.0
                guess = None if self._passive is None else self._passive[which]
                passive = self.loops.close(self.stand, free, told, guess)
                if self._passive is not None:
                    self._passive[which] = passive  # the next values are near these
                elif len(which) == self.observations:
                    self._passive = passive
            joints = self.loops.joints(encoders, passive)
            self._last_passive = passive
        return Placed(self.tree, self.stand, dimensions, joints, len(next(iter(joints.values())))), encoders

    def poses(self, values: Floats, which: Ints) -> Floats:
        """Predicted poses of the tool (n, 4, 4)."""
        dimensions, ratios = self.split(values)
        return self._placed(dimensions, which, ratios)[0].pose[self.frame]

    def stand_pose(self, values: Floats) -> Floats:
        """Where the robot's world is for whoever measures (4, 4) [m]."""
        x, y, z, c, b, a = self.split(values)[0][:6].tolist()
        return np.asarray(self.stand @ from_position(Vector(x, y, z), Angles(a, b, c)))

    def zeros(self, values: Floats) -> dict[int, float]:
        """What to add to each encoder, by link [rad | m]."""
        return {name: float(values[place]) for place, name in self._zero_of.items()}

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Residuals and their derivatives."""
        dimensions, ratios = self.split(values)
        placed, encoders = self._placed(dimensions, which, ratios)
        columns = placed.jacobian(self.frame, self._motions)
        if self.loops.passive:
            told = {name: value + dimensions[self.loops.joint(name)] for name, value in encoders.items()}
            follow = self.loops.following(placed, told, self._last_passive, self._motions)
            columns = columns + placed.jacobian(self.frame, self.loops.own) @ follow
        for place, name in self._ratio_of.items():
            column = self.data.encoders.index(name)
            columns[:, :, place] *= self.data.joints[which, column][:, None]
        return self._against(placed.pose[self.frame], columns, which)

    def _against(self, poses: Floats, columns: Floats, which: Ints) -> Rows:
        data = self.data
        residuals = (poses[:, :3, 3] - data.positions[which]) / data.position_noise
        jacobian = columns[:, :3] / data.position_noise
        if data.rotations is None:
            return Rows(residuals, jacobian)
        turned = np.swapaxes(data.rotations[which], 1, 2) @ poses[:, :3, :3]
        vectors = rotation_vector(turned)
        slopes = right_rate(vectors) @ np.swapaxes(poses[:, :3, :3], 1, 2) @ columns[:, 3:]
        return Rows(
            np.concatenate([residuals, vectors / data.rotation_noise], axis=1),
            np.concatenate([jacobian, slopes / data.rotation_noise], axis=1),
        )
