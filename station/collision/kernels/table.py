"""The table of the surroundings: one block of numbers with named parts, as the memory of a mechanism is.

In Python fields are views by name (`table.told`); in kernels `told(tab)` is the same view. Solids are numbered, bodies
of the robot first. The frame of a solid is its own; "of a in b" means the pose of solid a in the frame of solid b.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from station.mechanism.kernels.memory import MOST_CONTACTS, Block, Field, view_of

POINTS, CYLINDER, HALFSPACE = 0, 1, 2  # kinds: points with a ball around each; a cylinder along z; z < 0

MOST_ROWS = 32  # pairs that a tick tells
MOST_PICKS = 8  # exact distances in one tick
MOST_PER_PAIR = 4  # corners of either solid that the solver hears of
ANSWER = 7  # numbers: distance [m], unit normal from b to a, point of a; all in the frame of b

# Settings.
HORIZON, CONTACT_RANGE, MARGIN, APPROACH_TIME, PUSH_SPEED, PICKS = range(6)
# Counts.
ROWS, CONTACTS, PICKED, CONDITION = range(4)
# Conditions, as in results.py.
NOT_FINITE, TOO_MANY = 2, 4


def _whole(*shape: str | int) -> Field:
    return Field(True, shape)


def _real(*shape: str | int) -> Field:
    return Field(False, shape)


# s solids, v points, f faces, p pairs, n joints.
FIELDS: Mapping[str, Field] = {
    # The solids, constant but for the places of obstacles that are moved.
    "solid_body": _whole("s"),  # of the mechanism; -1: stands still
    "solid_frame": _whole("s"),  # number of the frame in the mechanism
    "solid_kind": _whole("s"),
    "solid_offset": _real("s", 3, 4),  # pose on its body
    "solid_radius": _real("s"),  # of the balls around its points, or of the cylinder [m]
    "solid_half": _real("s"),  # half the length of the cylinder [m]
    "solid_centre": _real("s", 3),  # of a ball around all of it, in its frame
    "solid_ball": _real("s"),  # radius of that ball [m]
    "point_start": _whole("s1"),
    "points": _real("v", 3),
    "face_start": _whole("s1"),
    "faces": _real("f", 4),  # unit normal outwards and offset: inside is normal·x <= offset
    "settings": _real(6),
    "low_stop": _real("n"),  # the mechanism's own [rad | m]
    "high_stop": _real("n"),
    # The pairs: a of the robot, b an obstacle or nearer to the base.
    "pair_a": _whole("p"),
    "pair_b": _whole("p"),
    "normal": _real("p", 3),  # from b to a, in the frame of b, when last asked
    "witness": _real("p", 3),  # nearest point of a, in the frame of a
    "known": _real("p"),  # distance then [m]
    "known_pose": _real("p", 3, 4),  # of a in b then
    "age": _whole("p"),  # ticks since then
    # Now.
    "solid_pose": _real("s", 3, 4),  # in the world
    "told": _real("p"),  # distance that is surely there [m]
    "loose": _real("p"),  # the true one is at most this much more [m]
    "way": _real("p", 3),  # direction from b to a that told comes from, in the world
    "by_witness": _whole("p"),  # whether that is the direction last asked for, and the witness is near
    "urgency": _real("p"),
    "row_pair": _whole(MOST_ROWS),  # nearest first
    "rows": _real(MOST_ROWS, 7),  # distance [m], unit normal away from the obstacle, near point of the body [m]
    "contact_pair": _whole(MOST_CONTACTS),
    "picked": _whole(MOST_PICKS),
    "pick_rotation": _real(MOST_PICKS, 3, 3),  # of a in b
    "pick_position": _real(MOST_PICKS, 3),
    "answers": _real(MOST_PICKS, ANSWER),
    "counts": _whole(4),
    "corner": _real(2, MOST_PER_PAIR, 4),  # scratch, of a and of b: score and point of a corner
}

_ENTRY = 4


class Table:
    """The numbers of one set of surroundings; every field is an attribute. `block` is what a kernel gets."""

    def __init__(self, **sizes: int) -> None:
        sizes = {**sizes, "s1": sizes["s"] + 1}
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


_views = {name: view_of(number, field) for number, (name, field) in enumerate(FIELDS.items())}

solid_body = _views["solid_body"]
solid_frame = _views["solid_frame"]
solid_kind = _views["solid_kind"]
solid_offset = _views["solid_offset"]
solid_radius = _views["solid_radius"]
solid_half = _views["solid_half"]
solid_centre = _views["solid_centre"]
solid_ball = _views["solid_ball"]
point_start = _views["point_start"]
points = _views["points"]
face_start = _views["face_start"]
faces = _views["faces"]
settings = _views["settings"]
low_stop = _views["low_stop"]
high_stop = _views["high_stop"]
pair_a = _views["pair_a"]
pair_b = _views["pair_b"]
normal = _views["normal"]
witness = _views["witness"]
known = _views["known"]
known_pose = _views["known_pose"]
age = _views["age"]
solid_pose = _views["solid_pose"]
told = _views["told"]
loose = _views["loose"]
way = _views["way"]
by_witness = _views["by_witness"]
urgency = _views["urgency"]
row_pair = _views["row_pair"]
rows = _views["rows"]
contact_pair = _views["contact_pair"]
picked = _views["picked"]
pick_rotation = _views["pick_rotation"]
pick_position = _views["pick_position"]
answers = _views["answers"]
counts = _views["counts"]
corner = _views["corner"]
