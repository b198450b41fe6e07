"""Closed loops, within a robot and between robots, and couplings as equality constraints.

weld          the two frames coincide                                    weld
ball          their origins coincide                                     connect
any other     a small body with the free joints on the first frame,      weld
              welded to the second
coupling      a fixed tendon q - Σ ratio·q_other = offset; of a curve    tendon
              its tangent, see `Curves`
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sim_devices.arm.machine import Floats
from sim_devices.arm.physics import mujoco
from sim_devices.arm.shapes import quaternion
from sim_devices.arm.tree import Place, Tree
from station.mad.curve import curve_of, moved_to, slopes_of
from station.mad.placement import Pose
from station.mad.scene import Axis, ClosureKind, Constraint, Tie

SOLREF = (0.002, 1.0)  # stiff: an error fades within some 2 ms [s, ratio]
SOLIMP = (0.999, 0.9999, 0.0001, 0.5, 2.0)
CROSS_MASS = 0.01  # of the small body of a loop that leaves some motion free [kg]
CROSS_INERTIA = 1e-5  # [kg·m²]


class End(NamedTuple):
    """One of two frames that are held together."""

    body: Any  # of the model
    pose: Pose  # on that body
    site: str  # its name
    in_world: Pose


def free_axes(closure: Constraint | Tie) -> tuple[Axis, ...]:
    """What a closure leaves free, in the order in which its joints follow each other."""
    if not closure.axes and closure.kind is ClosureKind.UNIVERSAL:
        return (Axis.RZ, Axis.RX)
    held = closure.axes or tuple(Axis[name.upper()] for name in closure.kind.value.split())
    return tuple(axis for axis in Axis if axis not in held)


def add_closures(
    spec: Any, bodies: dict[int, Any], tree: Tree, prefix: str, poses: dict[int, Pose]
) -> dict[str, float]:
    """Close the loops of a robot; returns where the joints begin that this takes, by name.

    `poses` are those of everything with an id in the world, loops closed.
    """
    begin: dict[str, float] = {}
    closures = (constraint for constraint in tree.robot.constraints if constraint.holds)
    for number, closure in enumerate(closures):
        first, second = closure.targets
        place, at = tree.places[first.id], tree.places[second.id]
        ends = (
            End(bodies[place.body], place.pose, f"{prefix}{first.id}", poses[first.id]),
            End(bodies[at.body], at.pose, f"{prefix}{second.id}", poses[second.id]),
        )
        begin |= _close(spec, ends, free_axes(closure), f"{prefix}closure.{number}", tree.scale)
    return begin


def add_tie(
    spec: Any,
    tie: Tie,
    name: str,
    bodies: Sequence[dict[int, Any]],
    places: Sequence[Place],
    poses: Sequence[Pose],
    scale: float,
) -> dict[str, float]:
    """Hold parts of two robots together as the scene says; returns as `add_closures` does.

    Args:
        spec: the model.
        tie: the constraint.
        name: of the equality.
        bodies: of each of the two robots, by id.
        places: where each is held; on a tool, its sensor measures that.
        poses: of the two parts in the world, loops closed.
        scale: a length that is typical of the robots [m].
    """
    ends = []
    for part, own, place, pose in zip(tie.parts, bodies, places, poses, strict=True):
        site = f"{name}.{part.robot}"
        own[place.body].add_site(
            name=site, pos=place.pose[:3, 3], quat=quaternion(place.pose[:3, :3]), size=[0.005] * 3
        )
        ends.append(End(own[place.body], place.pose, site, pose))
    return _close(spec, ends, free_axes(tie), name, scale)


def _close(spec: Any, ends: Sequence[End], free: tuple[Axis, ...], name: str, scale: float) -> dict[str, float]:
    """Hold two frames together but for some axes; returns where the joints begin that this takes, by name."""
    first, second = ends
    kinds, kind, start, begin = mujoco.mjtEq, mujoco.mjtEq.mjEQ_WELD, first.site, {}
    if set(free) == {Axis.RX, Axis.RY, Axis.RZ}:
        kind = kinds.mjEQ_CONNECT
    elif free:
        relative = np.linalg.inv(first.in_world) @ second.in_world
        begin = {f"{name}.{axis.name.lower()}": value for axis, value in _values(free, relative).items()}
        start = _add_cross(first.body, first.pose, free, name)
    equality = spec.add_equality(
        name=name,
        type=kind,
        objtype=mujoco.mjtObj.mjOBJ_SITE,
        name1=start,
        name2=second.site,
        active=True,
        solref=list(SOLREF),
        solimp=list(SOLIMP),
    )
    if kind == kinds.mjEQ_WELD:
        data = np.zeros(11)
        data[10] = scale  # so that a turn weighs as much as the shift that it makes
        equality.data[:11] = data
    return begin


def _add_cross(body: Any, pose: Pose, free: tuple[Axis, ...], name: str) -> str:
    """A small body that moves along the free axes of a frame; returns the name of its site."""
    cross = body.add_body(
        name=name,
        pos=pose[:3, 3],
        quat=quaternion(pose[:3, :3]),
        mass=CROSS_MASS,
        inertia=[CROSS_INERTIA] * 3,
        explicitinertial=True,
    )
    kinds = mujoco.mjtJoint
    for axis in free:
        turns = axis.value >= 3
        cross.add_joint(
            name=f"{name}.{axis.name.lower()}",
            type=kinds.mjJNT_HINGE if turns else kinds.mjJNT_SLIDE,
            axis=np.eye(3)[axis.value % 3],
            armature=CROSS_INERTIA,
        )
    cross.add_site(name=f"{name}.site")
    return f"{name}.site"


def _values(free: tuple[Axis, ...], relative: Pose) -> dict[Axis, float]:
    """Values of the free joints at which the small body lies in the second frame."""
    turns = [axis for axis in free if axis.value >= 3]
    angles = _angles(turns, relative[:3, :3])
    return {axis: float(relative[axis.value, 3]) if axis.value < 3 else angles[axis] for axis in free}


def _angles(turns: list[Axis], turn: Floats) -> dict[Axis, float]:
    """Angles about up to three axes, one after the other, that make a rotation; nearest if none do."""
    if len(turns) == 1:
        i = turns[0].value - 3
        j, k = (i + 1) % 3, (i + 2) % 3
        return {turns[0]: math.atan2(turn[k, j] - turn[j, k], turn[j, j] + turn[k, k])}
    if turns == [Axis.RZ, Axis.RX]:
        return {Axis.RZ: math.atan2(turn[1, 0], turn[0, 0]), Axis.RX: math.atan2(turn[2, 1], turn[2, 2])}
    if len(turns) == 2:  # Ra·Rb: the first column that Rb leaves alone tells a, the row that Ra leaves alone tells b
        a, b = (axis.value - 3 for axis in turns)
        c = 3 - a - b
        sign = 1.0 if (a + 1) % 3 == b else -1.0
        return {
            turns[0]: math.atan2(sign * turn[c, b], turn[b, b]),
            turns[1]: math.atan2(sign * turn[a, c], turn[a, a]),
        }
    if len(turns) == 3:  # Rx·Ry·Rz
        values = (
            math.atan2(-turn[1, 2], turn[2, 2]),
            math.asin(min(max(turn[0, 2], -1.0), 1.0)),
            math.atan2(-turn[0, 1], turn[0, 0]),
        )
        return dict(zip(turns, values, strict=True))
    return {}


def add_couplings(spec: Any, tree: Tree, prefix: str, q: Floats) -> None:
    """Joints that machinery moves with others; `q` is where the joints of the tree begin [rad | m]."""
    values = dict(zip((link.id for link in tree.moving), q, strict=True))
    for number, coupling in enumerate(tree.robot.couplings):
        name = f"{prefix}coupling.{number}"
        tendon = spec.add_tendon(name=name)
        tendon.wrap_joint(f"{prefix}{coupling.link}", 1.0)
        slopes = slopes_of(coupling, values)
        for link, slope in slopes.items():
            tendon.wrap_joint(f"{prefix}{link}", -float(slope))
        equality = spec.add_equality(
            name=name,
            type=mujoco.mjtEq.mjEQ_TENDON,
            objtype=mujoco.mjtObj.mjOBJ_TENDON,
            name1=name,
            active=True,
            solref=list(SOLREF),
            solimp=list(SOLIMP),
        )
        data = np.zeros(11)
        data[0] = moved_to(coupling, values) - sum(slope * values[link] for link, slope in slopes.items())
        equality.data[:11] = data


class Curves:
    """Cams and polynomials of one robot: MuJoCo is told the tangent of each curve where its leader is, every tick.

    The tangent touches the curve there, so nothing drifts; within a tick it is off by the curve's bend alone.
    """

    def __init__(self, model: Any, data: Any, tree: Tree) -> None:
        self._model, self._data = model, data
        prefix = f"{tree.robot.name}/"
        self._curved = [
            (
                coupling,
                {link: int(model.joint(f"{prefix}{link}").qposadr[0]) for link in coupling.leaders},
                int(model.tendon_adr[model.tendon(f"{prefix}coupling.{number}").id])
                + 1,  # the joint that is moved comes first
                int(model.equality(f"{prefix}coupling.{number}").id),
            )
            for number, coupling in enumerate(tree.robot.couplings)
            if curve_of(coupling) is not None
        ]

    def follow(self) -> None:
        """Put every tangent where its curve is now."""
        for coupling, places, first, equality in self._curved:
            values = {link: self._data.qpos[place] for link, place in places.items()}
            slopes, value = slopes_of(coupling, values), moved_to(coupling, values)
            for nth, (link, slope) in enumerate(slopes.items()):
                self._model.wrap_prm[first + nth] = -slope
                value = value - slope * values[link]
            self._model.eq_data[equality, 0] = value
