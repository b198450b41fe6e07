"""Solids and pairs → the table that kernels work on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from station.collision.kernels.table import (
    APPROACH_TIME,
    CONTACT_RANGE,
    HORIZON,
    MARGIN,
    PICKS,
    PUSH_SPEED,
    Table,
)
from station.collision.pairs import Candidate
from station.collision.settings import CollisionSettings
from station.collision.solids import Solid
from station.mad.scene import BASE_ID
from station.mechanism import Mechanism


def fill_table(
    mechanism: Mechanism, solids: Sequence[Solid], pairs: Sequence[Candidate], settings: CollisionSettings
) -> Table:
    """All that does not change while a robot moves; directions are still to be asked for."""
    mem = mechanism._mem
    table = Table(
        s=len(solids),
        v=sum(len(solid.points) for solid in solids),
        f=sum(len(solid.faces) for solid in solids),
        p=len(pairs),
        n=len(mem.q),
    )
    point, face = 0, 0
    for number, solid in enumerate(solids):
        frame = mechanism._frames[BASE_ID if solid.frame is None else solid.frame]
        seat = np.eye(4)
        if solid.frame is not None:
            seat[:3] = mem.frame_offset[frame]
        table.solid_body[number] = -1 if solid.frame is None else mem.frame_body[frame]
        table.solid_frame[number], table.solid_kind[number] = frame, solid.kind
        table.solid_offset[number] = (seat @ solid.pose)[:3]
        table.solid_radius[number], table.solid_half[number] = solid.radius, solid.half_length
        table.solid_centre[number], table.solid_ball[number] = solid.centre, solid.ball
        table.points[point : point + len(solid.points)] = solid.points
        table.faces[face : face + len(solid.faces)] = solid.faces
        point, face = point + len(solid.points), face + len(solid.faces)
        table.point_start[number + 1], table.face_start[number + 1] = point, face
    table.pair_a[:], table.pair_b[:] = [pair.a for pair in pairs], [pair.b for pair in pairs]
    table.normal[:, 2] = 1.0
    table.known_pose[:, :3, :3] = np.eye(3)
    table.low_stop[:], table.high_stop[:] = mem.q_min, mem.q_max
    said = table.settings
    said[HORIZON], said[CONTACT_RANGE], said[MARGIN] = settings.horizon, settings.contact_range, settings.margin
    said[APPROACH_TIME], said[PUSH_SPEED] = settings.approach_time, settings.push_speed
    said[PICKS] = settings.exact_per_tick
    return table
