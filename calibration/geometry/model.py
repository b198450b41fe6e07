"""Robot geometry as a model to fit: from dimensions, joint zeros and gear ratios to where the tool is."""

from __future__ import annotations

import numpy as np

from calibration.geometry.checks import check_encoders, check_scale
from calibration.geometry.listing import list_parameters
from calibration.geometry.loops import Loops, closures_of
from calibration.geometry.measured import ToolMeasurements
from calibration.geometry.screws import Placed, Tree
from calibration.geometry.settings import GeometrySettings
from calibration.parameters import Floats, Ints, Parameter, Rows, nominal_of
from calibration.turning import aligned
from station.kernel.so3 import right_rate, rotation_vector
from station.mad.placement import from_position
from station.mad.scene import Angles, Robot, Vector
from station.mechanism import Mechanism


def tool_poses(robot: Robot, frame: int | str, encoders: tuple[int, ...], joints: Floats) -> Floats:
    """Where a frame is for encoder values (n, encoders) [rad | m], loops closed: (n, 4, 4) [m]."""
    mechanism = Mechanism(robot)
    name = mechanism.frame_id(frame)
    tree = _tree(robot, name)
    start = {joint.id: float(value) for joint, value in zip(mechanism.joints, mechanism.q, strict=True)}
    moving = {link.id for link in tree.links}
    told = {link: joints[:, place] for place, link in enumerate(encoders) if link in moving}
    loops = Loops(tree, tuple(told), start)
    passive = loops.close(np.eye(4), tree.nominal(), told, None)
    return Placed(tree, np.eye(4), tree.nominal(), loops.joints(told, passive), len(joints)).pose[name]


def _tree(robot: Robot, frame: int) -> Tree:
    """What carries a frame, both ends of every loop, and coupled joints."""
    ends = tuple(target.id for closure in closures_of(robot) for target in closure.targets)
    coupled = tuple(name for one in robot.couplings for name in (one.link, *one.leaders))
    return Tree(robot, (frame, *ends, *coupled))


class GeometryModel:
    """A robot and measurements of its tool."""

    def __init__(
        self, robot: Robot, frame: int | str, data: ToolMeasurements, settings: GeometrySettings | None = None
    ) -> None:
        self.settings = settings or GeometrySettings()
        self.robot, self.data = robot, data
        mechanism = Mechanism(robot)
        self.frame = mechanism.frame_id(frame)
        self.tree = _tree(robot, self.frame)
        self.encoders = check_encoders(mechanism, self.tree, data)
        start = {joint.id: float(value) for joint, value in zip(mechanism.joints, mechanism.q, strict=True)}
        self.loops = Loops(self.tree, self.encoders, start)
        self._passive: Floats | None = None  # of all observations, for the nominal robot
        self._own = {name: self.loops.joint(name) for name in self.encoders}
        self.dimensions = self.tree.nominal()
        self.stand = np.eye(4)
        nominal = self._placed(self.dimensions, {}, np.arange(len(data.joints)))[0].pose[self.frame][:, :3, 3]
        pose, scale = aligned(nominal, data.positions)
        check_scale(scale)
        self.stand = pose if self.settings.stand else self.stand
        at = Placed(self.tree, self.stand, self.dimensions, {name: np.array([q]) for name, q in start.items()}, 1)
        self._listing = list_parameters(
            self.tree, self.settings, (self.frame, data.rotations is not None), self.encoders, at.pose
        )
        self._parameters, self._motions = tuple(self._listing.parameters), self._listing.motions

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """In the order of the values that `rows` takes."""
        return self._parameters

    @property
    def observations(self) -> int:
        """How many there are."""
        return len(self.data.joints)

    def split(self, values: Floats) -> tuple[Floats, dict[int, float]]:
        """Dimensions in the order of the tree's motions, and gear ratios by link."""
        dimensions = self.dimensions.copy()
        ratios: dict[int, float] = {}
        for place, value in enumerate(values[: len(self._motions)]):
            if place in self._listing.ratios:
                ratios[self._listing.ratios[place]] = float(value)
            else:
                dimensions[self._motions[place]] = value
        return dimensions, ratios

    def zeros(self, values: Floats) -> dict[int, float]:
        """What to add to each encoder, by link [rad | m]."""
        return {name: float(values[place]) for place, name in self._listing.zeros.items()}

    def stand_pose(self, values: Floats) -> Floats:
        """Where the robot's world is for whoever measures (4, 4) [m]."""
        x, y, z, c, b, a = self.split(values)[0][:6].tolist()
        return np.asarray(self.stand @ from_position(Vector(x, y, z), Angles(a, b, c)))

    def poses(self, values: Floats, which: Ints) -> Floats:
        """Predicted poses of the tool (n, 4, 4)."""
        return self._placed(*self.split(values), which)[0].pose[self.frame]

    def _placed(
        self, dimensions: Floats, ratios: dict[int, float], which: Ints
    ) -> tuple[Placed, dict[int, Floats], Floats]:
        """The tree at some observations, loops closed; true values of joints with an encoder, and of passive ones."""
        told = {name: self.data.joints[which, self.data.encoders.index(name)] for name in self.encoders}
        true = {name: ratios.get(name, 1.0) * value + dimensions[self._own[name]] for name, value in told.items()}
        without = dimensions.copy()
        without[list(self._own.values())] = 0.0  # the zeros are in the joint values already
        guess = None if self._passive is None else self._passive[which]
        passive = self.loops.close(self.stand, without, true, guess)
        if self._passive is None:  # the first time, all are asked for; later values would keep a wrong way to close
            self._passive = passive
        return Placed(self.tree, self.stand, without, self.loops.joints(true, passive), len(which)), true, passive

    def moved(self, values: Floats, which: Ints) -> tuple[Floats, Floats]:
        """Poses of the tool (n, 4, 4), and how every parameter moves it (n, 6, parameters), linear first."""
        placed, true, passive = self._placed(*self.split(values), which)
        columns = placed.jacobian(self.frame, self._motions)
        if self.loops.passive:
            follow = self.loops.following(placed, true, passive, self._motions)
            columns = columns + placed.jacobian(self.frame, self.loops.own) @ follow
        for place, name in self._listing.ratios.items():
            columns[:, :, place] *= self.data.joints[which, self.data.encoders.index(name)][:, None]
        return placed.pose[self.frame], columns

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Residuals and their derivatives."""
        return self._against(*self.moved(values, which), which)

    def errors(self, values: Floats, which: Ints) -> Floats:
        """Distances between predicted and measured places (n,) [m]."""
        away = self.poses(values, which)[:, :3, 3] - self.data.positions[which]
        return np.asarray(np.linalg.norm(away, axis=1))

    def nominal_errors(self, which: Ints) -> Floats:
        """What the nominal robot is wrong by, at its best place (n,) [m]."""
        positions, measured = self.poses(nominal_of(self), which)[:, :3, 3], self.data.positions[which]
        pose = aligned(positions, measured)[0] if self.settings.stand else np.eye(4)
        return np.asarray(np.linalg.norm(positions @ pose[:3, :3].T + pose[:3, 3] - measured, axis=1))

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
