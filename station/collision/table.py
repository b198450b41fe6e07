"""The table of the surroundings: one record, which kernels and Python share; and how it is filled.

Solids are numbered, bodies of the robot first. The frame of a solid is its own; "of a in b" means the pose of solid a
in the frame of solid b.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from station.collision.results import CollisionError, Condition
from station.kernel import Bools1, Floats, Floats1, Floats2, Floats3, Ints1, Record, field
from station.mad.scene import BASE_ID
from station.mechanism import Mechanism
from station.mechanism.memory import MOST_CONTACTS

if TYPE_CHECKING:
    from station.collision.pairs import Candidate
    from station.collision.solids import Solid


MOST_ROWS = 32  # pairs that a tick tells
MOST_PICKS = 8  # exact distances in one tick
MOST_PER_PAIR = 4  # corners of either solid that the solver hears of
ANSWER = 7  # numbers: distance [m], unit normal from b to a, point of a; all in the frame of b


class SolidKind(IntEnum):
    """What a solid is."""

    POINTS = 0  # with a ball around each
    CYLINDER = 1  # along z
    HALFSPACE = 2  # z < 0


class Simplex(Record):
    """Corners of the difference of two solids, as `gjk.py` finds them."""

    corner: Floats2 = field("m", "a - b", shape=(4, 3))
    on_a: Floats2 = field("m", "where they come from", shape=(4, 3))
    on_b: Floats2 = field("m", shape=(4, 3))
    weight: Floats1 = field("", "of the nearest point; they add up to 1", shape=4)
    kept: Floats1 = field("", "weights of the best face so far, while others are tried", shape=4)
    count: int


class Table(Record):
    """The numbers of one set of surroundings.

    Sizes: s solids, v points, f faces, p pairs, n joints; o other mechanisms, m solids on them.
    """

    # The solids, constant but for the places of obstacles that are moved and of other robots.
    solid_body: Ints1 = field("", "of the mechanism; -1: stands still", shape="s")
    solid_frame: Ints1 = field("", "number of the frame in the mechanism", shape="s")
    solid_kind: Ints1 = field("", "a SolidKind", shape="s")
    solid_offset: Floats3 = field("m", "pose on its body", shape=("s", 3, 4))
    solid_radius: Floats1 = field("m", "of the balls around its points, or of the cylinder", shape="s")
    solid_half: Floats1 = field("m", "half the length of the cylinder", shape="s")
    solid_centre: Floats2 = field("m", "of a ball around all of it, in its frame", shape=("s", 3))
    solid_ball: Floats1 = field("m", "radius of that ball", shape="s")
    solid_share: Floats1 = field("", "of the way to it that is this robot's; half if it may come nearer", shape="s")
    other_start: Ints1 = field("", "where the solids of an other mechanism start in the next three", shape="o+1")
    other_solid: Ints1 = field("", "its number", shape="m")
    other_body: Ints1 = field("", "that carries it, of the other mechanism", shape="m")
    other_seat: Floats3 = field("m", "pose on that body", shape=("m", 3, 4))
    point_start: Ints1 = field("", "where the points of a solid start", shape="s+1")
    points: Floats2 = field("m", shape=("v", 3))
    face_start: Ints1 = field("", "where the faces of a solid start", shape="s+1")
    faces: Floats2 = field("", "unit normal outwards and offset [m]: inside is normal·x <= offset", shape=("f", 4))
    low_stop: Floats1 = field("rad | m", "the mechanism's own", shape="n")
    high_stop: Floats1 = field("rad | m", "the mechanism's own", shape="n")
    # Settings, as in CollisionSettings.
    horizon: float = field("m")
    contact_range: float = field("m")
    margin: float = field("m")
    approach_time: float = field("s")
    push_speed: float = field("m/s")
    exact_per_tick: int
    # The pairs: a of the robot, b an obstacle or nearer to the base. Those beyond the count sleep.
    pair_count: int
    pair_a: Ints1 = field(shape="p")
    pair_b: Ints1 = field(shape="p")
    normal: Floats2 = field("", "from b to a, in the frame of b, when last asked", shape=("p", 3))
    witness: Floats2 = field("m", "nearest point of a, in the frame of a", shape=("p", 3))
    known: Floats1 = field("m", "distance then", shape="p")
    known_pose: Floats3 = field("m", "of a in b then", shape=("p", 3, 4))
    age: Ints1 = field("ticks", "since then", shape="p")
    # Now.
    condition: Condition = field("", "what is not as it should be in this tick")
    solid_pose: Floats3 = field("m", "in the world", shape=("s", 3, 4))
    told: Floats1 = field("m", "distance that is surely there", shape="p")
    loose: Floats1 = field("m", "the true one is at most this much more", shape="p")
    way: Floats2 = field("", "direction from b to a that told comes from, in the world", shape=("p", 3))
    by_witness: Bools1 = field("", "whether that is the direction last asked for, and the witness is near", shape="p")
    urgency: Floats1 = field("", "of asking for a pair", shape="p")
    row_count: int
    row_pair: Ints1 = field("", "nearest first", shape=MOST_ROWS)
    rows: Floats2 = field(
        "m", "distance, unit normal away from the obstacle, near point of the body", shape=(MOST_ROWS, 7)
    )
    contact_count: int
    contact_pair: Ints1 = field(shape=MOST_CONTACTS)
    pick_count: int
    picked: Ints1 = field("", "pairs to be asked for", shape=MOST_PICKS)
    pick_rotation: Floats3 = field("", "of a in b", shape=(MOST_PICKS, 3, 3))
    pick_position: Floats2 = field("m", "of a in b", shape=(MOST_PICKS, 3))
    answers: Floats2 = field("", "what the library says", shape=(MOST_PICKS, ANSWER))
    simplex: Simplex
    corner_score: Floats2 = field("m", "scratch, of a and of b: how far out a corner is", shape=(2, MOST_PER_PAIR))
    corner: Floats3 = field("m", "the corner itself", shape=(2, MOST_PER_PAIR, 3))


HALF = 0.5  # of the way to what moves by itself: it is told the same, and so the two together use up all of it


def fill_table(
    mechanism: Mechanism,
    solids: Sequence[Solid],
    pairs: Sequence[Candidate],
    settings: CollisionSettings,
    others: Sequence[Mechanism] = (),
) -> Table:
    """All that does not change while robots move; directions and places of others are still to be asked for."""
    mem = mechanism.memory
    moved = [(number, solid) for number, solid in enumerate(solids) if solid.other is not None]
    table = Table(
        s=len(solids),
        v=sum(len(solid.points) for solid in solids),
        f=sum(len(solid.faces) for solid in solids),
        p=len(pairs),
        n=len(mem.q),
        o=len(others),
        m=len(moved),
    )
    point, face = 0, 0
    for number, solid in enumerate(solids):
        own = solid.frame if solid.other is None else None  # what another carries stands in the world, for this tick
        frame = mechanism._frames[BASE_ID if own is None else own]
        table.solid_body[number] = -1 if own is None else mem.frame_body[frame]
        table.solid_frame[number], table.solid_kind[number] = frame, solid.kind
        table.solid_offset[number] = solid.pose[:3] if own is None else (seat_of(mechanism, own) @ solid.pose)[:3]
        table.solid_share[number] = 1.0
        table.solid_radius[number], table.solid_half[number] = solid.radius, solid.half_length
        table.solid_centre[number], table.solid_ball[number] = solid.centre, solid.ball
        table.points[point : point + len(solid.points)] = solid.points
        table.faces[face : face + len(solid.faces)] = solid.faces
        point, face = point + len(solid.points), face + len(solid.faces)
        table.point_start[number + 1], table.face_start[number + 1] = point, face
    table.pair_count = len(pairs)
    for k, (number, solid) in enumerate(moved):  # in the order of the others
        assert solid.other is not None
        assert solid.frame is not None
        carrier = others[solid.other]
        table.other_start[solid.other + 1 :] = k + 1
        table.other_solid[k] = number
        table.other_body[k] = body = carrier.memory.frame_body[carrier.frame_number(solid.frame)]
        table.other_seat[k] = (seat_of(carrier, solid.frame) @ solid.pose)[:3]
        table.solid_share[number] = HALF if body >= 0 else 1.0
    table.pair_a[:], table.pair_b[:] = [pair.a for pair in pairs], [pair.b for pair in pairs]
    table.normal[:, 2] = 1.0
    table.known_pose[:, :3, :3] = np.eye(3)
    table.low_stop[:], table.high_stop[:] = mem.q_min, mem.q_max
    table.horizon, table.contact_range, table.margin = settings.horizon, settings.contact_range, settings.margin
    table.approach_time, table.push_speed = settings.approach_time, settings.push_speed
    table.exact_per_tick = settings.exact_per_tick
    return table


def seat_of(mechanism: Mechanism, frame: int) -> Floats:
    """4×4 pose of a frame on the body that carries it [m]."""
    seat = np.eye(4)
    seat[:3] = mechanism.memory.frame_offset[mechanism.frame_number(frame)]
    return seat


def _setting(default: float, unit: str, lo: float, hi: float, text: str) -> Any:
    return dataclasses.field(default=default, metadata={"unit": unit, "lo": lo, "hi": hi, "text": text})


@dataclasses.dataclass(frozen=True)
class CollisionSettings:
    """How far one looks, how near one goes; docs/collision.md explains each."""

    horizon: float = _setting(0.15, "m", 0.001, 100.0, "distance up to which pairs are told")
    contact_range: float = _setting(0.03, "m", 0.0, 1.0, "distance up to which the solver is given half-spaces")
    margin: float = _setting(0.001, "m", 0.0, 0.1, "distance that the solver keeps from obstacles")
    approach_time: float = _setting(0.02, "s", 0.0, 10.0, "an obstacle at distance d is approached by at most d/this")
    push_speed: float = _setting(0.1, "m/s", 0.0, 10.0, "speed at which the robot leaves what it has entered")
    exact_per_tick: int = _setting(2, "", 1, MOST_PICKS, "pairs whose distance is found exactly in a tick")
    samples: int = _setting(100, "", 1, 100_000, "configurations that decide which pairs are never apart")

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            value, unit = getattr(self, item.name), item.metadata["unit"]
            lo, hi = item.metadata["lo"], item.metadata["hi"]
            if not (isinstance(value, (int, float)) and math.isfinite(value) and lo <= value <= hi):
                raise CollisionError(f"{item.name} is {value!r}; allowed: {lo:g} to {hi:g} {unit}".rstrip())
            if item.type == "int" and value != int(value):
                raise CollisionError(f"{item.name} is {value!r}; allowed: whole numbers")
