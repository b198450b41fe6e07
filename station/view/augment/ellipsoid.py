"""The manipulability ellipsoid: which way the tool moves how fast when all driven joints together have speed 1.

Its half axes are the singular values of the linear Jacobian (Yoshikawa, 'Manipulability of robotic mechanisms', 1985).
Joints that slide count as if they turned a lever as long as the robot's reach, so that both kinds can be added. Where a
robot has loops, only motions that keep them closed count, measured by the joints that are driven.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from station.mad.curve import slopes_of
from station.mad.scene import ClosureKind, Constraint
from station.mad.units import JointType
from station.mechanism import Mechanism
from station.view.augment.additions import Additions, spot
from station.view.augment.colours import ramp_colour
from station.view.augment.reading import Floats, Reading
from station.view.drawing.label import Label
from station.view.geometry.mesh import placed
from station.view.geometry.primitives import sphere

LENGTH = 0.16  # half axis over its singular value [m/rad]
LEAST = 0.004  # half axis at least, over the reach: a flat ellipsoid is still seen
SMALL = 1e-6  # singular values below this part of the largest are none
OPACITY = 0.4


class Ellipsoid(NamedTuple):
    """Half axes of the linear speed of a frame per speed of the driven joints."""

    axes: Floats  # (3, 3) columns, of length 1
    sizes: Floats  # (3,) [m/rad], the largest first

    @property
    def roundness(self) -> float:
        """Least over largest half axis: 0 where some direction is lost."""
        return float(self.sizes[2] / self.sizes[0]) if self.sizes[0] > 0.0 else 0.0


def ellipsoid_of(mechanism: Mechanism, frame: int, q: Floats, poses: Mapping[int, Floats], reach: float) -> Ellipsoid:
    """At joint values [rad | m] and the poses [m] they lead to; `reach` [m] is the lever of joints that slide."""
    jacobian = mechanism.jacobian_at(frame, q)[:3]
    weights = np.array([1.0 if joint.type is JointType.REVOLUTE else reach for joint in mechanism.joints])
    motions = _closed_motions(mechanism, poses, q)
    if motions is None:
        effective = jacobian * weights
    else:
        driven = [joint.active for joint in mechanism.joints]
        inputs = (motions / weights[:, None])[driven]
        effective = jacobian @ motions @ np.linalg.pinv(inputs, rcond=SMALL)
    axes, sizes, _ = np.linalg.svd(effective)
    padded = np.zeros(3)
    padded[: len(sizes)] = sizes
    return Ellipsoid(axes, padded)


def _closed_motions(mechanism: Mechanism, poses: Mapping[int, Floats], q: Floats) -> Floats | None:
    """Joint speeds (n, m) that keep all loops closed and couplings true; None where there are neither."""
    robot = mechanism.robot
    rows = [_closure_rows(mechanism, item, poses, q) for item in robot.constraints if item.holds]
    for coupling in robot.couplings:
        row = np.zeros((1, len(q)))
        row[0, mechanism.joint_number(coupling.link)] = 1.0
        values = {name: q[mechanism.joint_number(name)] for name in coupling.leaders}
        for name, slope in slopes_of(coupling, values).items():
            row[0, mechanism.joint_number(name)] -= slope
        rows.append(row)
    if not rows:
        return None
    held = np.concatenate(rows)
    _, sizes, right = np.linalg.svd(held)
    rank = int((sizes > SMALL * max(float(sizes[0]), 1e-12)).sum())
    return np.asarray(right[rank:].T)


def _closure_rows(mechanism: Mechanism, constraint: Constraint, poses: Mapping[int, Floats], q: Floats) -> Floats:
    """Motion of one side of a loop against the other along the axes that it holds, in the axes of the first side."""
    (_, a), (_, b) = constraint.targets
    apart = mechanism.jacobian_at(a, q) - mechanism.jacobian_at(b, q)
    turn = poses[a][:3, :3]
    local = np.concatenate([turn.T @ apart[:3], turn.T @ apart[3:]])
    if constraint.axes:
        return np.asarray(local[[axis.value for axis in constraint.axes]])
    if constraint.kind is ClosureKind.UNIVERSAL:
        lever = np.cross(turn[:, 2], poses[b][:3, 0])
        return np.concatenate([local[:3], (lever @ apart[3:])[None]])
    names = ("x", "y", "z", "rx", "ry", "rz")
    return np.asarray(local[[names.index(word) for word in constraint.kind.value.split()]])


def manipulability(reading: Reading) -> Additions:
    """The ellipsoid at the tool, redder the flatter it is."""
    reach = reading.robot.body.reach
    robot = reading.robot
    poses = dict(zip(robot.body.ids, robot.predicted.poses, strict=True))
    found = ellipsoid_of(reading.mechanism, reading.frame, robot.q, poses, reach)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = found.axes, reading.tool[:3, 3]
    halves = np.maximum(LENGTH * found.sizes, LEAST * reach)
    colour = ramp_colour(reading.theme, 1.0 - min(3.0 * found.roundness, 1.0), OPACITY)
    mesh = placed(sphere(1.0), pose, halves)
    mesh = mesh._replace(colours=np.tile(np.array(colour, np.float32), (len(mesh.points), 1)))
    place = reading.tool[:3, 3] + halves[0] * found.axes[:, 0]
    text = f"slowest over fastest direction {found.roundness:.2f}"
    return Additions(mesh=mesh, labels=(Label(text, spot(place), (*colour[:3], 1.0), reading.theme.text_back),))
