"""Which mechanisms FABRIK can treat, and why it refuses the others."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from station.mechanism.classic.chain import Chain
from station.mechanism.classic.fabrik.planar import SAME_PLACE, PlanarArm
from station.mechanism.classic.fabrik.turntable import TurntableArm, beside
from station.mechanism.classic.fabrik.universal import NEARLY, Pair, UniversalChain
from station.mechanism.classic.results import Floats, Goal, OutsideDomainError, Solution


class Arm(Protocol):
    """A mechanism that is a chain of rods: joint values ⇄ points, and the method on it."""

    def points(self, q: Floats) -> Floats:
        """The ends of the rods, the tip last [m]."""

    def angles(self, points: Floats, near: Floats) -> Floats:
        """Joint values that bring the ends of the rods to these points, within the stops, near others [rad | m]."""

    def reach(self, goal: Goal, q0: Floats) -> Solution:
        """Iterate until the goal is met or nothing changes any more."""


class _NotThisError(Exception):
    """Why a chain is not of one kind."""


def fabrik(chain: Chain, goal: Goal, q0: Floats) -> Solution:
    """Forward and backward reaching, on the mechanisms that consist of rods; others are refused with the reason."""
    return rods(chain, goal.position_only, q0).reach(goal, q0)


def rods(chain: Chain, position_only: bool = True, held: Floats | None = None) -> Arm:
    """The chain as rods; joints that move no point are held at `held` [rad | m] (the initial values if absent).

    Raises:
        OutsideDomainError: it is not a chain of rods; says which links and which offsets are the reason.
    """
    held = chain.initial if held is None else held
    stop = _moving(chain) if position_only else len(chain.joints)
    reasons = []
    try:
        return _planar(chain, stop, held, position_only)
    except _NotThisError as reason:
        reasons.append(f"not planar, {reason}")
    for kind, make in (("a turntable with a planar arm", _turntable), ("a chain of universal joints", _universal)):
        try:
            arm = make(chain, stop, held)
        except _NotThisError as reason:
            reasons.append(f"not {kind}, {reason}")
            continue
        if position_only:
            return arm
        raise OutsideDomainError(f"on {kind}, fabrik reaches for positions only; ask with position_only=True")
    what = f"fabrik moves points joined by rods, and frame {chain.frame} of robot '{chain.robot}' is none such"
    raise OutsideDomainError(f"{what}: {'; '.join(reasons)}. Use pinv, dls, transpose or ccd")


def _moving(chain: Chain) -> int:
    """How many joints are left without those at the end whose axis runs through the tip: they cannot move it."""
    tip = chain.after[:3, 3]
    for i in range(len(chain.joints) - 1, -1, -1):
        if not chain.revolute[i] or math.hypot(tip[0], tip[1]) > SAME_PLACE:
            return i + 1
        tip = chain.before[i][:3, :3] @ tip + chain.before[i][:3, 3]
    raise OutsideDomainError(f"no joint moves frame {chain.frame} of robot '{chain.robot}': it is on all axes")


def _refuse_slides(chain: Chain, stop: int) -> None:
    for i in range(stop):
        if not chain.revolute[i]:
            raise _NotThisError(f"link {chain.joints[i]} slides")


def _refuse_crossed_axes(chain: Chain, joints: range) -> None:
    for i in joints:
        cos = abs(chain.before[i][2, 2])
        if math.hypot(chain.before[i][0, 2], chain.before[i][1, 2]) > NEARLY:
            angle = math.degrees(math.acos(min(cos, 1.0)))
            raise _NotThisError(
                f"the axis of link {chain.joints[i]} is at {angle:.4g}° to that of link {chain.joints[i - 1]}"
            )


def _planar(chain: Chain, stop: int, held: Floats, position_only: bool) -> Arm:
    _refuse_slides(chain, stop)
    _refuse_crossed_axes(chain, range(1, stop))
    return PlanarArm.of(chain, range(stop), held, position_only)


def _turntable(chain: Chain, stop: int, held: Floats) -> Arm:
    _refuse_slides(chain, stop)
    one, other = chain.joints[0], chain.joints[min(1, stop - 1)]
    if stop < 2 or abs(chain.before[1][2, 2]) > NEARLY:
        raise _NotThisError(f"the axis of link {other} is not square to that of link {one}")
    _refuse_crossed_axes(chain, range(2, stop))
    offset = beside(chain)
    if offset > SAME_PLACE:
        raise _NotThisError(f"frame {chain.frame} runs {1e3 * offset:.6g} mm beside the axis of link {one}")
    return TurntableArm(chain, stop, held)


def _universal(chain: Chain, stop: int, held: Floats) -> Arm:
    _refuse_slides(chain, stop)
    pairs = []
    for i in range(0, stop, 2):
        if i + 1 == stop:
            raise _NotThisError(f"joints must come in pairs, and link {chain.joints[i]} is left over")
        one, other = chain.joints[i], chain.joints[i + 1]
        second = chain.before[i + 1]
        if abs(second[2, 2]) > NEARLY:
            raise _NotThisError(f"the axis of link {other} is not square to that of link {one}")
        apart = abs(second[0, 3] * second[1, 2] - second[1, 3] * second[0, 2])
        if apart > SAME_PLACE:
            raise _NotThisError(f"the axes of links {one} and {other} pass each other at {1e3 * apart:.6g} mm")
        centre = np.array([0.0, 0.0, -float(second[:3, 3] @ second[:3, 2])])  # in the frame of the second joint
        centre[2] += second[2, 3] * second[2, 2]
        link = _next_centre(chain, i + 2, stop, held) - centre
        if abs(link[2]) > SAME_PLACE:
            raise _NotThisError(f"what link {other} carries is {1e3 * abs(link[2]):.6g} mm along its axis")
        if np.linalg.norm(link) <= SAME_PLACE:
            raise _NotThisError(f"link {other} has no length")
        pairs.append(Pair(i, float(second[2, 3]), link))
    return UniversalChain(chain, pairs, held)


def _next_centre(chain: Chain, i: int, stop: int, held: Floats) -> Floats:
    """Where the axes of the pair at joint i meet, or where the tip is, in the frame of joint i - 1 [m]."""
    if i + 1 < stop:
        along = np.array([0.0, 0.0, chain.before[i + 1][2, 3], 1.0])
        centre: Floats = (chain.before[i] @ along)[:3]
        return centre
    poses = chain.frames(held)
    carried = poses[i if i < stop else -1, :3, 3]
    point: Floats = poses[i - 1, :3, :3].T @ (carried - poses[i - 1, :3, 3])
    return point
