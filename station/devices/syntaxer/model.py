"""The syntaxer as mathematics: counts to pose, wrench to currents, and what the device can do.

The stages are decoupled. The ball of the rotation stage is the handle's origin and moves with the platform, so forces
at it ask nothing of the strings; torques go through the bars to the plate and ask nothing of the arms.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from station.devices.device import Capabilities
from station.devices.syntaxer import capability
from station.devices.syntaxer.checks import need
from station.devices.syntaxer.geometry import Syntaxer
from station.devices.syntaxer.kernels import hot, layout
from station.devices.syntaxer.kernels.layout import Floats, Whole
from station.devices.syntaxer.kernels.vectors import solve
from station.devices.syntaxer.packing import pack
from station.devices.syntaxer.results import STATUSES, Currents, Jacobians, Joints, PlaceStatus
from station.devices.syntaxer.rotation import cube, rotation_from, turned_by
from station.devices.syntaxer.translation import cylinder_points, survey, torque_limits, weakest_force

WORST_CONDITION = 5.0  # of the strings anywhere in the range, above which a geometry is refused


class SyntaxerModel:
    """Kinematics and statics of one syntaxer. `pose` says where it is; all else refers to that place."""

    def __init__(self, geometry: Syntaxer | None = None) -> None:
        """Make the model of a geometry; raises GeometryError if its parts do not fit together."""
        self.geometry = geometry or Syntaxer()
        self.packed = pack(self.geometry)
        self._counts: Whole = np.zeros(6, dtype=np.int64)
        self._joints, self._weights = np.zeros(6), np.zeros(6)
        self._pose, self._arms, self._strings = np.eye(4), np.zeros((3, 3)), np.zeros((3, 3))
        self._amperes, self._wrench, self._felt = np.zeros(6), np.zeros(6), np.zeros(6)
        self._check()
        self.pose(self.counts_of(self.joints_at(self.middle).values))
        self.wrench_of(self.currents(self.velocity(np.zeros(6))).amperes)  # so that no tick has to compile anything
        for unknown in (self._joints, self._arms, self._strings):  # until the first counts: no place, no current
            unknown.fill(np.nan)
        self.status = PlaceStatus.UNKNOWN
        self.margin = float("nan")  # smallest sine to a singularity at the last counts

    def _check(self) -> None:
        """Refuse a geometry whose stages do not work where they are used most."""
        found = survey(self.packed, cylinder_points(self.geometry.cylinder))
        need(self.geometry.cylinder, found.inside, "arms and bars cannot reach all of it within their stops")
        struts = self.packed.struts
        for vector in cube(self.geometry.paramat.range, 3):
            at = turned_by(self.packed, vector)
            fine = np.linalg.cond(at.strings) < WORST_CONDITION
            need(self.geometry.paramat, bool(fine), "the struts come near a singularity within the range")
            push = struts[:, layout.PRETENSION] - struts[:, layout.SPRING] * (at.lengths - struts[:, layout.NEUTRAL])
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
        self._counts[:] = counts
        packed = self.packed
        answer, self.margin = hot.sense(
            packed.chains,
            packed.struts,
            packed.loads,
            packed.home,
            self._counts,
            self._joints,
            self._pose,
            self._arms,
            self._strings,
            self._weights,
        )
        self.status = STATUSES[answer]
        return self._pose.copy()

    @property
    def arrays(self) -> dict[str, Any]:
        """What `hot.sense` and `hot.drive` take, for loops that call them; the model then knows its place."""
        packed = self.packed
        return {
            "chains": packed.chains,
            "struts": packed.struts,
            "loads": packed.loads,
            "home": packed.home,
            "peak": packed.peak,
            "continuous": packed.continuous,
            "joints": self._joints,
            "pose": self._pose,
            "arms": self._arms,
            "strings": self._strings,
            "weights": self._weights,
        }

    def sensed(self, status: int, margin: float) -> None:
        """Take over what `hot.sense` answered."""
        self.status, self.margin = STATUSES[status], margin

    @property
    def joints(self) -> Floats:
        """Arm angles [rad] and string lengths [m] at the last counts."""
        return self._joints.copy()

    @property
    def jacobians(self) -> Jacobians:
        """Jacobians at the last counts."""
        return Jacobians(self._arms.copy(), self._strings.copy())

    def velocity(self, joint_rates: ArrayLike) -> Floats:
        """Twist of the handle [m/s, rad/s] from rates of arms [rad/s] and strings [m/s]."""
        rates = np.asarray(joint_rates, dtype=np.float64)
        turning = solve(self._strings, (float(rates[3]), float(rates[4]), float(rates[5])))
        return np.concatenate([self._arms @ rates[:3], turning])

    def currents(self, wrench: ArrayLike, *, for_long: bool = False, carry: float = 1.0) -> Currents:
        """Currents that push the hand with a wrench [N, N·m], device frame, besides carrying the weight.

        A torque comes on top of that of the return springs. Zero currents for a wrench or a place that is not finite.

        Args:
            wrench: force [N] and torque [N·m] on the hand, at the ball.
            for_long: keep to the currents that the motors bear for long, not to the peak ones.
            carry: share of the weight to carry, 0 to 1.
        """
        self._wrench[:] = wrench
        packed = self.packed
        force_share, torque_share = hot.drive(
            packed.chains,
            packed.struts,
            self._arms,
            self._strings,
            self._weights,
            packed.continuous if for_long else packed.peak,
            float(carry),
            self._wrench,
            self._amperes,
        )
        return Currents(self._amperes.copy(), force_share, torque_share)

    def wrench_of(self, amperes: ArrayLike) -> Floats:
        """What the hand feels of six currents [A], weight taken off, return springs left out [N, N·m]."""
        self._amperes[:] = amperes
        packed = self.packed
        arms, strings, weights = self._arms, self._strings, self._weights
        hot.felt(packed.chains, packed.struts, arms, strings, weights, self._amperes, self._felt)
        return self._felt.copy()

    @property
    def weight_torques(self) -> Floats:
        """Torques at the arms that carry the weight at the last counts [N·m]."""
        return self._weights[:3].copy()

    def joints_at(self, position: ArrayLike, rotation_vector: ArrayLike = (0.0, 0.0, 0.0)) -> Joints:
        """Joint values at a place of the handle [m] and a rotation vector [rad]."""
        found = survey(self.packed, position)
        at = turned_by(self.packed, rotation_vector)
        values = np.concatenate([found.angles[0], at.lengths])
        status = PlaceStatus.OK
        if rotation_from(self.packed, at.lengths) is None:
            status = PlaceStatus.NO_ROTATION
        if not found.margins[0] > 0.0:
            far = found.margins[0] == -np.inf
            status = PlaceStatus.NO_SOLUTION if far else PlaceStatus.BEYOND_SINGULARITY
        return Joints(status, values)

    def counts_of(self, joints: ArrayLike) -> NDArray[np.int32]:
        """Nearest counts for joint values [rad, m], as counters of 32 bits show them."""
        values, packed = np.asarray(joints, dtype=np.float64), self.packed
        zero = np.concatenate([packed.chains[:, layout.ZERO], packed.struts[:, layout.NEUTRAL]])
        per_count = [packed.chains[:, layout.ANGLE_PER_COUNT], packed.struts[:, layout.LENGTH_PER_COUNT]]
        counts = np.rint((values - zero) / np.concatenate(per_count)).astype(np.int64) + packed.home
        wrapped: NDArray[np.int32] = counts.astype(np.uint32).astype(np.int32)
        return wrapped

    def inside(self, position: ArrayLike) -> bool:
        """Whether the handle can be at a place [m]: within the stops, on this side of every singularity."""
        return survey(self.packed, position).inside

    def capability_map(self, points: ArrayLike, *, for_long: bool = True) -> Floats:
        """Largest force in the worst direction [N] at places [m], weight carried; not a number out of reach."""
        found = survey(self.packed, points)
        amperes = self.packed.continuous if for_long else self.packed.peak
        return np.where(found.rooms >= 0.0, weakest_force(found, torque_limits(self.packed, amperes)), np.nan)

    @cached_property
    def capabilities(self) -> Capabilities:
        """What the device can do, by this model; the driver adds the serial number."""
        return capability.capabilities(self.geometry, self.packed)
