"""The memory of a mechanism: one block of numbers with named parts, so that a kernel needs one argument only.

`FIELDS` is the table of all parts. In Python they are views by name (`memory.q`); in kernels `at.q(mem)` is the same
view. Joints are numbered in the order of the file. Body j is what joint j moves; body -1 is the base, which stands
still in the world. Lengths in metres, angles in radians.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numba
import numpy as np
from numba import carray, types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Block = int  # address of a header

REVOLUTE, PRISMATIC = 0, 1

# Kinds of closure rows. ALONG and LOG are followed by the axis; PARALLEL by 3·(free axis) + (row axis).
ALONG, LOG, PARALLEL, UNIVERSAL = 0, 3, 6, 15

MOST_ROWS = 48  # of tasks in one step: eight frames
MOST_TASKS = MOST_ROWS // 6
MOST_CONTACTS = 32
RESULTS = 9


class Field(NamedTuple):
    """One part: whole or real numbers, and its shape in terms of the sizes of a mechanism."""

    whole: bool
    shape: tuple[str | int, ...]


def _whole(*shape: str | int) -> Field:
    return Field(True, shape)


def _real(*shape: str | int) -> Field:
    return Field(False, shape)


# n joints, f frames, c closures, s joints in closures, r closure rows, k couplings, e = r + k, b = n + contacts.
FIELDS: Mapping[str, Field] = {
    # The mechanism itself, constant.
    "order": _whole("n"),  # joints from the base outwards
    "parents": _whole("n"),  # body on which a joint stands
    "joint_kind": _whole("n"),  # REVOLUTE or PRISMATIC
    "before": _real("n", 3, 4),  # pose of a joint on its parent at joint value 0
    "frame_body": _whole("f"),  # body that carries a frame
    "frame_offset": _real("f", 3, 4),  # pose of the frame on that body
    "closure_a": _whole("c"),  # frame in whose axes the rows are
    "closure_b": _whole("c"),  # frame that is held in it
    "closure_start": _whole("c1"),  # where the joints of a closure start in the next two
    "closure_joint": _whole("s"),  # joints between the two frames and their first common body
    "closure_sign": _real("s"),  # +1 on the side of b, -1 on the side of a
    "row_start": _whole("c1"),  # where the rows of a closure start
    "row_kind": _whole("r"),  # what is held
    "coupling": _real("k", "n"),  # coupling · q = coupling_value
    "coupling_value": _real("k"),
    "coupling_joint": _whole("k"),  # the joint that is moved
    "closure_rank": _whole(1),  # of all rows together, at almost every assembled configuration
    "q_min": _real("n"),
    "q_max": _real("n"),
    "v_max": _real("n"),
    "a_max": _real("n"),
    "scale": _real(1),  # what one radian counts for where it is weighed against metres [m]
    # Where it is.
    "q": _real("n"),
    "v": _real("n"),
    "felt": _real("b"),  # multipliers of the first level; beside q and v: a result is one copy of the three
    "rotation": _real("n", 3, 3),  # of every body in the world
    "position": _real("n", 3),
    # Closures at work.
    "matrix": _real("e", "n1"),  # rows and, in the last column, residuals; reduced in place
    "original": _real("e", "n"),  # the rows as they were
    "pivot_block": _real("e", "e"),  # triangular factors of the chosen rows and joints
    "residual": _real("e"),
    "pivot_row": _whole("e"),  # the rows chosen last time
    "pivot_column": _whole("e"),  # the joints that they determine
    "used_row": _whole("e"),
    "used_column": _whole("n"),
    "basis": _real("n", "n"),  # columns span the motions that keep the loops closed
    "particular": _real("n"),  # motion that closes what is open
    "sizes": _whole(2),  # rank of the closures here, joints that stay free
    # What is wanted.
    "task_kind": _whole(MOST_TASKS),  # TWIST, POSE or JOINT
    "task_place": _whole(MOST_TASKS),  # frame, or joint
    "task_level": _whole(MOST_TASKS),  # 0 first; never decreasing
    "task_axes": _whole(MOST_TASKS),  # bits of the six axes that count
    "task_value": _real(MOST_TASKS, 3, 4),  # pose [m]; or twist in two rows [m/s, rad/s]; or joint value at [0, 0]
    "task_before": _real(MOST_TASKS, 3, 4),  # the pose wanted in the step before
    "task_continued": _whole(MOST_TASKS),  # whether that means anything
    "wish": _real("n"),  # motion preferred where nothing else matters [rad | m]
    "wish_weight": _real("n"),  # all 0: no wish
    "contact_frame": _whole(MOST_CONTACTS),
    "contact_point": _real(MOST_CONTACTS, 3),  # on the body of the frame, in the world [m]
    "contact_normal": _real(MOST_CONTACTS, 3),  # away from the obstacle
    "contact_distance": _real(MOST_CONTACTS),  # [m]
    # Tasks at work.
    "task_matrix": _real(MOST_ROWS, "n"),  # rows of the tasks of a level
    "task_reduced": _real(MOST_ROWS, "n"),  # the same in the coordinates of the motions that are left
    "task_error": _real(MOST_ROWS),  # what is missing [m]
    "task_advance": _real(MOST_ROWS),  # what the targets move by themselves in this step [m]
    "row_of_pose": _whole(MOST_ROWS),  # whether a row is of a pose, not of a speed
    "curvature": _real("n"),
    "spans": _real(2, "n", "n"),  # motions left for lower levels
    "motion": _real("n"),  # of this step
    "trial": _real("n"),  # where it leads
    "trial_low": _real("n"),
    "trial_high": _real("n"),
    "held_joints": _whole("n"),
    "directions": _real(2, MOST_ROWS),  # in which the tasks move most and least
    "results": _real(RESULTS),
    # The quadratic programme.
    "hessian": _real("n", "n"),
    "factor": _real("n", "n"),
    "gradient": _real("n"),
    "solution": _real("n"),
    "bound_rows": _real("b", "n"),
    "contact_rows": _real(MOST_CONTACTS, "n"),
    "lower": _real("b"),  # bounds of the motion
    "upper": _real("b"),
    "low_left": _real("b"),  # the same, less the motion so far
    "high_left": _real("b"),
    "multiplier": _real("b"),
    "active_set": _whole("b"),
    "triangle": _real("n", "n"),
    "turned": _real("n", "n"),
    # Scratch.
    "pivots": _whole(MOST_ROWS, 2),
    "spare": _real(8, "b"),
    "poses": _real(4, 3, 4),
    "vectors": _real(6, 3),
}

_ENTRY = 4  # whole numbers per field in the header: address and up to three sizes


class Memory:
    """The memory of one mechanism; every field is an attribute, a view of one block.

    `block` is the address of its header, which is all that a kernel gets: one whole number is handed over faster than
    any array. The memory must outlive the call, as it does while a mechanism holds it.
    """

    def __init__(self, **sizes: int) -> None:
        sizes = {**sizes, "n1": sizes["n"] + 1, "c1": sizes["c"] + 1, "b": sizes["n"] + MOST_CONTACTS}
        sizes["e"] = sizes["r"] + sizes["k"]
        shapes = [[sizes[size] if isinstance(size, str) else size for size in field.shape] for field in FIELDS.values()]
        self._header = np.ones((len(FIELDS), _ENTRY), np.int64)
        self._storage = np.zeros(sum(int(np.prod(shape)) for shape in shapes))  # both kinds of numbers take 8 bytes
        start = 0
        for entry, shape, (name, field) in zip(self._header, shapes, FIELDS.items(), strict=True):
            end = start + int(np.prod(shape))
            part = self._storage[start:end]
            view = (part.view(np.int64) if field.whole else part).reshape(shape)
            entry[0], entry[1 : 1 + len(shape)] = self._storage.ctypes.data + 8 * start, shape
            setattr(self, name, view)
            start = end
        self.block: Block = self._header.ctypes.data

    def __getattr__(self, name: str) -> Any:  # only for type checkers: fields are set in the constructor
        raise AttributeError(name)

    @property
    def q_v_felt(self) -> Floats:
        """Joint values, speeds and multipliers in one array."""
        start = (self.q.ctypes.data - self._storage.ctypes.data) // 8
        return self._storage[start : start + 2 * len(self.q) + len(self.felt)]

    @property
    def nbytes(self) -> int:
        """Size of everything [bytes]."""
        return self._header.nbytes + self._storage.nbytes


@intrinsic  # type: ignore[untyped-decorator]
def _pointer(_context: Any, address: Any) -> Any:
    """A whole number as an address."""

    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.inttoptr(arguments[0], cgutils.voidptr_t)

    return types.voidptr(address), generate


def view_of(number: int, field: Field) -> Callable[[Block], Any]:
    """A kernel that gives the view of a field."""
    first, dtype, dimensions = _ENTRY * number, np.int64 if field.whole else np.float64, len(field.shape)
    last = first + _ENTRY

    def line(mem: Block) -> Any:
        head = carray(_pointer(mem), (last,), np.int64)
        return carray(_pointer(head[first]), (head[first + 1],), dtype)

    def table(mem: Block) -> Any:
        head = carray(_pointer(mem), (last,), np.int64)
        return carray(_pointer(head[first]), (head[first + 1], head[first + 2]), dtype)

    def stack(mem: Block) -> Any:
        head = carray(_pointer(mem), (last,), np.int64)
        return carray(_pointer(head[first]), (head[first + 1], head[first + 2], head[first + 3]), dtype)

    compiled: Callable[[Block], Any] = numba.njit((line, table, stack)[dimensions - 1])
    return compiled
