"""The syntaxer as mathematics: counts to pose, wrench to currents, and what the device can do.

The stages are decoupled. The ball of the rotation stage is the handle's origin and moves with the platform, so forces
at it ask nothing of the strings; torques go through the bars to the plate and ask nothing of the arms.

What it can do is computed: the worst place of the workspace counts.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.devices.device import Axis, AxisKind, Capabilities
from station.devices.syntaxer.geometry import Syntaxer, need
from station.devices.syntaxer.rotation import Turned, cube, handle_weight, rotation_from, torques_along, turned_by
from station.devices.syntaxer.state import Parts, Place, PlaceStatus, parts_of
from station.devices.syntaxer.tick import drive, felt, sense
from station.devices.syntaxer.translation import (
    cylinder_points,
    force_along,
    least_damping,
    survey,
    torque_limits,
    weakest_force,
)
from station.kernel import Floats
from station.kernel.vectors import solve

BUTTONS = ("deadman", "index", "left", "right")


class Strength(NamedTuple):
    """Forces [N] or torques [N·m] along the three axes, in the worst place."""

    for_long: Floats
    peak: Floats


def capabilities(geometry: Syntaxer, parts: Parts) -> Capabilities:
    """Declare the device: axes with their ends, forces and stiffness."""
    cylinder, angle = geometry.cylinder, geometry.paramat.range
    force, torque = force_strength(geometry, parts), torque_strength(geometry, parts)
    spring, twist = stiffest(geometry, parts)
    ends = ((cylinder.near, cylinder.far), (-cylinder.radius, cylinder.radius), (-cylinder.radius, cylinder.radius))
    along = [
        Axis(kind=AxisKind.ABSOLUTE, low=low, high=high, force=steady, peak=peak, stiffness=spring)
        for (low, high), steady, peak in zip(ends, force.for_long.tolist(), force.peak.tolist(), strict=True)
    ]
    about = [
        Axis(kind=AxisKind.INCREMENTAL, low=-angle, high=angle, force=steady, peak=peak, stiffness=twist)
        for steady, peak in zip(torque.for_long.tolist(), torque.peak.tolist(), strict=True)
    ]
    axes = (along[0], along[1], along[2], about[0], about[1], about[2])
    return Capabilities(model="syntaxer", axes=axes, buttons=BUTTONS, grip=True, rate=geometry.rate)


def force_strength(geometry: Syntaxer, parts: Parts) -> Strength:
    """Forces along x, y, z anywhere in the cylinder, weight carried [N]."""
    found = survey(parts, cylinder_points(geometry.cylinder))

    def least(amperes: ArrayLike) -> Floats:
        limits = torque_limits(parts, amperes)
        return np.array([np.nan_to_num(force_along(found, limits, axis), nan=0.0).min() for axis in range(3)])

    return Strength(least(parts.continuous), least(parts.peak))


def torque_strength(geometry: Syntaxer, parts: Parts) -> Strength:
    """Torques about x, y, z anywhere in the range of rotations, weight carried, strings taut [N·m]."""
    places = [turned_by(parts, vector) for vector in cube(geometry.paramat.range)]
    strings, weights = np.array([at.strings for at in places]), np.array([weight_tensions(parts, at) for at in places])

    def least(amperes: ArrayLike) -> Floats:
        weakest: Floats = torques_along(parts, strings, amperes, weights).min(axis=0)
        return weakest

    return Strength(least(parts.continuous), least(parts.peak))


def weight_tensions(parts: Parts, at: Turned) -> Floats:
    """Changes of tension that carry the weight of the turning parts [N]."""
    weights = np.zeros(6)
    handle_weight(parts.loads, at.rotation, at.strings, weights)
    return weights[3:]


def stiffest(geometry: Syntaxer, parts: Parts) -> tuple[float, float]:
    """Stiffest springs for hand translation [N/m] and rotation [N·m/rad] that cannot start to buzz: K < 2·b/T.

    b is the damping of the device in its least damped direction and place, T the sampling time: a sampled spring
    makes energy in every period, and only damping takes it away.
    """
    found = survey(parts, cylinder_points(geometry.cylinder))
    damping = float(np.nanmin(least_damping(found, [chain.damping for chain in geometry.chains])))
    return 2.0 * damping * geometry.rate, 2.0 * geometry.paramat.damping * geometry.rate


WORST_CONDITION = 5.0  # of the strings anywhere in the range, above which a geometry is refused


class Jacobians(NamedTuple):
    """How the handle moves with the joints."""

    arms: Floats  # 3×3: handle per arm [m/rad]
    strings: Floats  # 3×3: string per rotation about fixed axes [m/rad]


class Currents(NamedTuple):
    """What the six motors are to get, and how much of the wrench that gives."""

    amperes: Floats  # three arms, three strings [A]
    force_share: float  # 1: all of the force; less: shortened, direction kept; 0: none
    torque_share: float  # the same of the torque


class Joints(NamedTuple):
    """Joint values at a pose, if there are any."""

    status: PlaceStatus
    values: Floats  # three arm angles [rad], three string lengths [m]


class SyntaxerModel:
    """Kinematics and statics of one syntaxer. `pose` says where it is; all else refers to that place."""

    def __init__(self, geometry: Syntaxer | None = None) -> None:
        """Make the model of a geometry; raises GeometryError if its parts do not fit together."""
        self.geometry = geometry or Syntaxer()
        self.parts = parts_of(self.geometry)
        self.place = Place(pose=np.eye(4))
        self._amperes, self._wrench, self._felt = np.zeros(6), np.zeros(6), np.zeros(6)
        self._check()
        self.pose(self.counts_of(self.joints_at(self.middle).values))
        self.wrench_of(self.currents(self.velocity(np.zeros(6))).amperes)  # so that no tick has to compile anything
        place = self.place
        for unknown in (place.joints, place.arms, place.strings):  # until the first counts: no place, no current
            unknown.fill(np.nan)
        place.status, place.margin = PlaceStatus.UNKNOWN, float("nan")

    def _check(self) -> None:
        """Refuse a geometry whose stages do not work where they are used most."""
        found = survey(self.parts, cylinder_points(self.geometry.cylinder))
        need(self.geometry.cylinder, found.inside, "arms and bars cannot reach all of it within their stops")
        struts = self.parts.struts
        for vector in cube(self.geometry.paramat.range, 3):
            at = turned_by(self.parts, vector)
            fine = np.linalg.cond(at.strings) < WORST_CONDITION
            need(self.geometry.paramat, bool(fine), "the struts come near a singularity within the range")
            push = struts.pretension - struts.spring * (at.lengths - struts.neutral)
            need(self.geometry.paramat, bool((push > 0.0).all()), "a spring is pulled apart within the range")

    @property
    def middle(self) -> Floats:
        """Centre of the cylinder of the workspace [m]."""
        return np.array([0.5 * (self.geometry.cylinder.near + self.geometry.cylinder.far), 0.0, 0.0])

    def pose(self, counts: ArrayLike) -> Floats:
        """Pose of the handle in the device frame [m], 4×4; not numbers if the counts make no sense (see `status`).

        Six whole numbers: arms positive towards the operator, strings positive when paid out. Counters of 32 bits may
        go round: only the way from home counts.
        """
        self.place.counts[:] = counts
        sense(self.parts, self.place)
        return self.place.pose.copy()

    @property
    def status(self) -> PlaceStatus:
        """Whether the last counts could be understood."""
        return self.place.status

    @property
    def margin(self) -> float:
        """Smallest sine to a singularity at the last counts."""
        return self.place.margin

    @property
    def joints(self) -> Floats:
        """Arm angles [rad] and string lengths [m] at the last counts."""
        return self.place.joints.copy()

    @property
    def jacobians(self) -> Jacobians:
        """Jacobians at the last counts."""
        return Jacobians(self.place.arms.copy(), self.place.strings.copy())

    def velocity(self, joint_rates: ArrayLike) -> Floats:
        """Twist of the handle [m/s, rad/s] from rates of arms [rad/s] and strings [m/s]."""
        rates = np.asarray(joint_rates, dtype=np.float64)
        turning = solve(self.place.strings, (float(rates[3]), float(rates[4]), float(rates[5])))
        return np.concatenate([self.place.arms @ rates[:3], turning])

    def currents(self, wrench: ArrayLike, *, for_long: bool = False, carry: float = 1.0) -> Currents:
        """Currents that push the hand with a wrench [N, N·m], device frame, besides carrying the weight.

        A torque comes on top of that of the return springs. Zero currents for a wrench or a place that is not finite.

        Args:
            wrench: force [N] and torque [N·m] on the hand, at the ball.
            for_long: keep to the currents that the motors bear for long, not to the peak ones.
            carry: share of the weight to carry, 0 to 1.
        """
        self._wrench[:] = wrench
        limits = self.parts.continuous if for_long else self.parts.peak
        force_share, torque_share = drive(self.parts, self.place, limits, carry, self._wrench, self._amperes)
        return Currents(self._amperes.copy(), force_share, torque_share)

    def wrench_of(self, amperes: ArrayLike) -> Floats:
        """What the hand feels of six currents [A], weight taken off, return springs left out [N, N·m]."""
        self._amperes[:] = amperes
        felt(self.parts, self.place, self._amperes, self._felt)
        return self._felt.copy()

    @property
    def weight_torques(self) -> Floats:
        """Torques at the arms that carry the weight at the last counts [N·m]."""
        return self.place.weights[:3].copy()

    def joints_at(self, position: ArrayLike, rotation_vector: ArrayLike = (0.0, 0.0, 0.0)) -> Joints:
        """Joint values at a place of the handle [m] and a rotation vector [rad]."""
        found = survey(self.parts, position)
        at = turned_by(self.parts, rotation_vector)
        values = np.concatenate([found.angles[0], at.lengths])
        status = PlaceStatus.OK
        if rotation_from(self.parts, at.lengths) is None:
            status = PlaceStatus.NO_ROTATION
        if not found.margins[0] > 0.0:
            far = found.margins[0] == -np.inf
            status = PlaceStatus.NO_SOLUTION if far else PlaceStatus.BEYOND_SINGULARITY
        return Joints(status, values)

    def counts_of(self, joints: ArrayLike) -> NDArray[np.int32]:
        """Nearest counts for joint values [rad, m], as counters of 32 bits show them."""
        values, parts = np.asarray(joints, dtype=np.float64), self.parts
        zero = np.concatenate([parts.chains.zero, parts.struts.neutral])
        per_count = [parts.chains.angle_per_count, parts.struts.length_per_count]
        counts = np.rint((values - zero) / np.concatenate(per_count)).astype(np.int64) + parts.home
        wrapped: NDArray[np.int32] = counts.astype(np.uint32).astype(np.int32)
        return wrapped

    def inside(self, position: ArrayLike) -> bool:
        """Whether the handle can be at a place [m]: within the stops, on this side of every singularity."""
        return survey(self.parts, position).inside

    def capability_map(self, points: ArrayLike, *, for_long: bool = True) -> Floats:
        """Largest force in the worst direction [N] at places [m], weight carried; not a number out of reach."""
        found = survey(self.parts, points)
        amperes = self.parts.continuous if for_long else self.parts.peak
        return np.where(found.rooms >= 0.0, weakest_force(found, torque_limits(self.parts, amperes)), np.nan)

    @cached_property
    def capabilities(self) -> Capabilities:
        """What the device can do, by this model; the driver adds the serial number."""
        return capabilities(self.geometry, self.parts)
