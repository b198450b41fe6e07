"""What of a hand's motion a frame can follow: which axes first, which as well as these allow, which not at all.

A robot that can move a frame in all six ways follows in all six, alike. One that cannot has to choose, by what its
frame can do: the column space of its Jacobian, of motions that keep the loops closed, over the workspace. With U an
orthonormal basis of that space (6×r, a radian counted as `length` metres), the least singular value of the rows of U
that belong to some axes says how well they stand for the whole motion: 1 if the frame moves in them alone, 0 if some
motion does not show in them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from station.kernel import Floats
from station.mad.scene import BASE_ID, Axis, Priority
from station.mechanism.mechanism import Mechanism, axis_bits
from station.mechanism.memory import OWN_AXES
from station.mechanism.results import Status
from station.mechanism.step import step
from station.mechanism.tasks import begin, put_pose

PLACE, ORIENTATION, ALL = 0b000111, 0b111000, 0b111111  # bits of axes
GOOD = 0.35  # how well place or orientation stand for the motion from which on they are followed as a whole
POSSIBLE = 0.05  # the same, from which on an orientation is: a long tool at a wrist makes it look small
BETTER = 0.05  # by how much axes must do better than those that are preferred to them
NEVER = 1e-3  # share of an axis in the motion of a frame below which it does not move
SINGULAR = 1e-6  # relative size of a motion that is none
WORST = 0.25  # of the sampled configurations may be worse: some are next to a singularity


class Choice(NamedTuple):
    """How a frame follows."""

    first: int  # bits of the axes that are followed first
    second: int  # of those that are followed as well as the first leave it free; 0: none
    rank: int  # how many independent motions the frame has
    first_rank: int  # of the rows of `first`
    axes: Floats | None  # the axes in the world, as columns, if they are not the world's
    said: str  # for people; empty where all six are followed

    @property
    def bits(self) -> int:
        """Of the first axes, as kernels take them."""
        return self.first | (OWN_AXES if self.axes is not None else 0)

    @property
    def second_bits(self) -> int:
        """Of the second axes, as kernels take them."""
        return self.second | (OWN_AXES if self.axes is not None and self.second else 0)


def choose(robot: Mechanism, frame: int | str, axes: int = 0, first: Priority | None = None) -> Choice:
    """What a frame follows: all six axes if it can, what the file says if it says so, else what it can do best.

    Args:
        robot: it does not move.
        frame: link or frame.
        axes: bits of the axes that count, of the world; 0: nobody says.
        first: place or orientation, if somebody says.
    """
    rank = robot.rank(frame)
    if axes or first is not None:
        return _as_told(robot, frame, axes or ALL, first, rank)
    if rank in (0, 6):
        return Choice(ALL, 0, rank, rank, None, "")
    bases = [basis for basis in map(_basis, robot.free_motions(frame)) if basis.shape[1] == rank]
    if not bases:  # rounding hides some of its motions: huge beside tiny lengths
        return Choice(ALL, 0, rank, rank, None, "")
    return _chosen(bases, rank, robot.pose(BASE_ID)[:3, :3])


def leading(robot: Mechanism, frame: int | str, choice: Choice) -> Callable[[Floats, float], Status]:
    """A function of a target pose [m] and dt [s] that takes one step as the choice says, and returns its status."""
    number, mem, continued = robot.frame_number(frame), robot.memory, False
    if choice.axes is not None:
        robot.set_axes(frame, choice.axes)

    def lead(pose: Floats, dt: float) -> Status:
        nonlocal continued
        begin(mem, continued)
        mem.task_axes[:2] = choice.bits, choice.second_bits
        continued = put_pose(mem, 0, number, 0, pose) and put_pose(mem, 1, number, 1, pose)
        robot.interrupted()
        return Status(step(mem, 2 if choice.second else 1, choice.first_rank, 0, dt)[0] if continued else -1)

    return lead


def _as_told(robot: Mechanism, frame: int | str, axes: int, first: Priority | None, rank: int) -> Choice:
    led = axes & axis_bits(first.value) if first is not None else axes
    if first is None or led in (0, axes):  # nothing to choose between
        said = f"in {axis_names(axes)}, as the file says" if axes != ALL else ""
        return Choice(axes, 0, rank, robot.rank(frame, axis_names(axes)), None, said)
    said = f"{axis_names(led)} first, then {axis_names(axes & ~led)}, as the file says"
    return Choice(led, axes & ~led, rank, robot.rank(frame, axis_names(led)), None, said)


def _basis(motions: Floats) -> Floats:
    """Orthonormal basis of the columns."""
    turned, values, _ = np.linalg.svd(motions, full_matrices=False)
    return np.asarray(turned[:, values > SINGULAR * max(values.max(initial=0.0), 1e-300)])


def _chosen(bases: list[Floats], rank: int, base: Floats) -> Choice:
    """The choice for a robot of a rank of 1 to 5, by its motions at several configurations."""
    moving = _moving(bases)
    if moving.bit_count() == rank:  # exactly these, everywhere
        return Choice(moving, 0, rank, rank, None, _told(moving))
    size = min(rank, 3)
    if float(np.median(_qualities(bases, PLACE, size))) >= GOOD:  # also of an arm that begins stretched out
        return _first_and_rest(bases, PLACE, moving, rank)
    if _quality(bases, ORIENTATION, size) >= POSSIBLE:
        return _first_and_rest(bases, ORIENTATION, moving, rank)
    return _mixed(bases, rank, base)


def _first_and_rest(bases: list[Floats], group: int, moving: int, rank: int) -> Choice:
    """Place before orientation, or the other way round, as far as anything is left for what comes second."""
    first = group & moving
    own = max(_rank(basis, first) for basis in bases)
    second = moving & ~group if own < rank else 0
    return Choice(first, second, rank, own, None, _told(first, second))


def _mixed(bases: list[Floats], rank: int, base: Floats) -> Choice:
    """Neither place nor orientation stand for the motion: the set of axes that does best, along axes that suit it."""
    best, axes, most = 0, None, -1.0
    for turn in (None, base, _principal(bases)):
        turned = bases if turn is None else [np.vstack([turn.T @ basis[:3], turn.T @ basis[3:]]) for basis in bases]
        for names in combinations(range(6), rank):  # more of the place comes first
            bits = sum(1 << name for name in names)
            quality = _quality(turned, bits, rank)
            if quality > most + BETTER:
                best, axes, most = bits, turn, quality
    said = _told(best)
    return Choice(best, 0, rank, rank, axes, said if axes is None else f"{said} (axes {_along(axes)})")


def _principal(bases: list[Floats]) -> Floats:
    """Axes that a robot suggests: along some it moves, about the others it turns, on the average."""
    shares = [basis @ basis.T for basis in bases]
    mean = np.mean([share[:3, :3] - share[3:, 3:] for share in shares], axis=0)
    axes = np.linalg.eigh(mean)[1]
    order = np.argmax(np.abs(axes), axis=0)
    if len(set(order.tolist())) == 3:  # x is the one that is nearest to the world's x, and so on
        axes = axes[:, np.argsort(order)]
    axes = axes * np.where(axes[np.arange(3), np.arange(3)] < 0.0, -1.0, 1.0)
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] = -axes[:, 0]
    return np.asarray(axes)


def _moving(bases: list[Floats]) -> int:
    """Bits of the axes in which the frame moves anywhere."""
    share = np.max([np.linalg.norm(basis, axis=1) for basis in bases], axis=0)
    return sum(1 << axis for axis in range(6) if share[axis] > NEVER)


def _rows(basis: Floats, bits: int) -> Floats:
    return basis[[axis for axis in range(6) if bits >> axis & 1]]


def _rank(basis: Floats, bits: int) -> int:
    return int(np.linalg.matrix_rank(_rows(basis, bits), tol=NEVER))


def _quality(bases: list[Floats], bits: int, size: int) -> float:
    """How well some axes stand for the whole motion, at nearly all configurations and where the robot is."""
    values = _qualities(bases, bits, size)
    return min(values[0], float(np.quantile(values, WORST)))


def _qualities(bases: list[Floats], bits: int, size: int) -> list[float]:
    """The same at each of several configurations."""
    return [float(np.linalg.svd(_rows(basis, bits), compute_uv=False)[size - 1]) for basis in bases]


def _told(first: int, second: int = 0) -> str:
    """For people: what follows, in which order, and what does not."""
    missing = ALL & ~(first | second)
    said = f"follows {axis_names(first)}"
    if second:
        said = f"follows {axis_names(first)} first, then {axis_names(second)} as far as it can"
    return said + (f", not {axis_names(missing)}" if missing else "")


def _along(axes: Floats) -> str:
    """`(0, -0.5, 0.87), …`: the axes for people."""
    texts = (", ".join(f"{round(float(value), 2) + 0.0:g}" for value in column) for column in axes.T)
    return ", ".join(f"({text})" for text in texts)


def axis_names(bits: int) -> str:
    """`x y rz`."""
    return " ".join(axis.name.lower() for nth, axis in enumerate(Axis) if bits >> nth & 1)
