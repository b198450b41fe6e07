"""Loops at many configurations at once: how far they are open, how to close them, and what closing does to the rest.

Passive joints follow from encoders and dimensions: rows(encoders, dimensions, passive) = 0. By the implicit function
theorem their derivatives are -(∂rows/∂passive)⁻¹ · ∂rows/∂dimensions, so nothing is differenced.
"""

from __future__ import annotations

import numpy as np

from calibration.errors import DataError
from calibration.geometry.screws import Placed, Tree, joint_motion
from calibration.parameters import Floats, Ints
from station.kernel.so3 import right_rate, rotation_vector
from station.mad.curve import moved_to, slopes_of
from station.mad.scene import Axis, ClosureKind, Constraint, Robot

LENGTH = 0.3  # by which rows of angles are made comparable to rows of metres [m/rad]
CLOSED = 1e-12  # largest row of a closed loop [m]
NEARLY = 1e-8  # from here one step closes them [m]
STRAINED = 1e-4  # of a loop with more equations than it needs, whose parts are not quite true [m]
TURNS = 30
STRIDES = 16  # from the values of the file to the measured ones


def closures_of(robot: Robot) -> tuple[Constraint, ...]:
    """Constraints that close loops."""
    return tuple(one for one in robot.constraints if one.holds)


class Loops:
    """The loops and couplings of a tree, and the joints that follow from them."""

    def __init__(self, tree: Tree, encoders: tuple[int, ...], start: dict[int, float]) -> None:
        """Take the loops of a robot.

        Args:
            tree: which carries both ends of every loop.
            encoders: links whose joints are measured.
            start: joint values at which all loops are closed, by link [rad | m].
        """
        self.tree, self.closures, self.start = tree, closures_of(tree.robot), start
        self.passive = tuple(link.id for link in tree.links if link.id not in encoders)
        own = {link.id: joint_motion(tree, link) for link in tree.links}
        self.own = np.array([own[name] for name in self.passive], dtype=np.int64)
        self._encoder_motion = {name: own[name] for name in encoders}
        moving = {link.id for link in tree.links}
        self.couplings = tuple(one for one in tree.robot.couplings if one.link in moving)

    def close(self, stand: Floats, dimensions: Floats, encoders: dict[int, Floats], guess: Floats | None) -> Floats:
        """Values of the passive joints (n, passive) for encoder values (n,) each; a DataError where none are found."""
        count = len(next(iter(encoders.values())))
        if not self.passive:
            return np.zeros((count, 0))
        if guess is not None:
            passive, worst = self._newton(stand, dimensions, encoders, guess)
            if worst.max() <= STRAINED:
                return passive
        passive = np.tile([self.start[name] for name in self.passive], (count, 1))
        for share in np.arange(1, STRIDES + 1) / STRIDES:
            part = {name: (1.0 - share) * self.start[name] + share * value for name, value in encoders.items()}
            passive, worst = self._newton(stand, dimensions, part, passive)
        if worst.max() > STRAINED:
            bad = int(np.argmax(worst))
            raise DataError(
                f"the loops cannot be closed at observation {bad}: {1e3 * worst[bad]:.3g} mm remain; are these the "
                "encoders of this robot?"
            )
        return passive

    def _newton(
        self, stand: Floats, dimensions: Floats, encoders: dict[int, Floats], passive: Floats
    ) -> tuple[Floats, Floats]:
        passive = passive.copy()
        worst = np.full(len(passive), np.inf)
        for _ in range(TURNS):
            placed = Placed(self.tree, stand, dimensions, self.joints(encoders, passive), len(passive))
            rows, slopes = self.rows(placed, encoders, passive, self.own)
            before, worst = worst, np.abs(rows).max(axis=1)
            if worst.max() <= CLOSED or (before.max() < STRAINED and worst.max() > 0.5 * before.max()):
                break
            step = solve(slopes, rows[:, :, None])[:, :, 0]
            largest = np.abs(step).max(axis=1, keepdims=True)
            passive -= step * np.minimum(1.0, 0.5 / np.maximum(largest, 1e-300))
            if worst.max() < NEARLY:  # the next rows would be closed: their size is squared in every turn
                break
        return passive, worst

    def joints(self, encoders: dict[int, Floats], passive: Floats) -> dict[int, Floats]:
        """All joint values by link."""
        return {**encoders, **{name: passive[:, place] for place, name in enumerate(self.passive)}}

    def rows(
        self, placed: Placed, encoders: dict[int, Floats], passive: Floats, motions: Ints
    ) -> tuple[Floats, Floats]:
        """How far loops and couplings are open (n, rows) [m], and how some motions change that (n, rows, motions)."""
        found = [closure_rows(placed, closure, motions) for closure in self.closures]
        values = self.joints(encoders, passive)
        for coupling in self.couplings:
            gap = values[coupling.link] - moved_to(coupling, values)
            slope = np.zeros((placed.count, 1, len(motions)))
            slope[:, 0, motions == self.joint(coupling.link)] = LENGTH
            for name, ratio in slopes_of(coupling, values).items():
                slope[:, 0, motions == self.joint(name)] -= LENGTH * np.broadcast_to(ratio, placed.count)[:, None]
            found.append((LENGTH * gap[:, None], slope))
        return np.concatenate([rows for rows, _ in found], axis=1), np.concatenate([s for _, s in found], axis=1)

    def joint(self, name: int) -> int:
        """Number of the motion that is a joint's own."""
        if name in self._encoder_motion:
            return self._encoder_motion[name]
        return int(self.own[self.passive.index(name)])

    def following(self, placed: Placed, encoders: dict[int, Floats], passive: Floats, motions: Ints) -> Floats:
        """How passive joints follow some motions: (n, passive, motions)."""
        _, slopes = self.rows(placed, encoders, passive, np.concatenate([self.own, motions]))
        own = len(self.own)
        return -solve(slopes[:, :, :own], slopes[:, :, own:])


def solve(matrices: Floats, right: Floats) -> Floats:
    """Solutions of many small systems; in the least-squares sense where rows repeat each other."""
    if matrices.shape[1] == matrices.shape[2]:
        try:
            return np.asarray(np.linalg.solve(matrices, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            pass
    return np.asarray(np.linalg.pinv(matrices, rcond=1e-8) @ right)


def closure_rows(placed: Placed, closure: Constraint, motions: Ints) -> tuple[Floats, Floats]:
    """Rows of one closure and their slopes: the second target as seen from the first."""
    first, second = (target.id for target in closure.targets)
    a, b = placed.pose[first], placed.pose[second]
    turn = np.swapaxes(a[:, :3, :3], 1, 2)
    against = placed.jacobian(second, motions) - placed.jacobian(first, motions, at=b[:, :3, 3])
    along = turn @ against[:, :3]
    about = turn @ against[:, 3:]
    gap = (turn @ (b[:, :3, 3] - a[:, :3, 3])[:, :, None])[:, :, 0]
    relative = turn @ b[:, :3, :3]
    universal = not closure.axes and closure.kind is ClosureKind.UNIVERSAL
    axes = closure.axes or tuple(Axis[name.upper()] for name in closure.kind.value.split(",")[0].split())
    straight = [axis.value for axis in axes if axis.value < 3]
    held = [axis.value - 3 for axis in axes if axis.value >= 3]
    rows, slopes = [gap[:, straight]], [along[:, straight]]
    if universal:
        rows.append(LENGTH * relative[:, 2:3, 0])
        slopes.append(LENGTH * (relative[:, 1, 0, None] * about[:, 0] - relative[:, 0, 0, None] * about[:, 1])[:, None])
    elif len(held) == 2:
        free = ({0, 1, 2} - set(held)).pop()
        column = relative[:, :, free]
        moved = np.cross(about, column[:, :, None], axisa=1, axisb=1, axisc=1)  # rate of that column
        rows.append(LENGTH * column[:, held])
        slopes.append(LENGTH * moved[:, held])
    elif held:
        vector = rotation_vector(relative)
        rate = right_rate(vector) @ np.swapaxes(relative, 1, 2) @ about
        rows.append(LENGTH * vector[:, held])
        slopes.append(LENGTH * rate[:, held])
    return np.concatenate(rows, axis=1), np.concatenate(slopes, axis=1)
