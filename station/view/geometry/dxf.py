"""Reader of the surfaces in a DXF file in text form: 3DFACE, and POLYLINE as polyface or as polygon mesh.

Group codes after the "DXF Reference" of Autodesk. Lines, texts and blocks are passed over: drawings,
not bodies.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from station.view.errors import MeshError
from station.view.geometry.mesh import Mesh, creased

POLYGON_MESH, POLYFACE = 16, 64  # bits of code 70 of a POLYLINE
CLOSED_M, CLOSED_N = 1, 32
Point = tuple[float, float, float]


class Entity(NamedTuple):
    """One thing of the file: its kind and the values of its group codes, the first of each."""

    kind: str
    values: dict[int, str]

    def number(self, code: int) -> float:
        """A real number; 0 where there is none."""
        return float(self.values.get(code, "0"))

    def whole(self, code: int) -> int:
        """A whole number; 0 where there is none."""
        return int(self.values.get(code, "0"))

    def point(self, corner: int = 0) -> Point:
        """Point 10, 20, 30, or 11, 21, 31 and so on."""
        return self.number(10 + corner), self.number(20 + corner), self.number(30 + corner)


def read_dxf(text: str) -> Mesh:
    """The mesh in a text; raises MeshError that says what is wrong."""
    points: list[Point] = []
    faces: list[tuple[int, int, int]] = []
    try:
        entities = iter(list(_entities(text)))
        for entity in entities:
            if entity.kind == "3DFACE":
                start = len(points)
                points += [entity.point(corner) for corner in range(4 if 13 in entity.values else 3)]
                faces += _triangles(list(range(start, len(points))))
            elif entity.kind == "POLYLINE":
                _polyline(entity, entities, points, faces)
    except (ValueError, IndexError) as error:
        raise MeshError(f"no sound DXF: {error}") from None
    if not faces:
        raise MeshError("no surface in it; read are 3DFACE and POLYLINE as polyface or polygon mesh")
    return creased(points, faces)


def _entities(text: str) -> Iterator[Entity]:
    lines = text.splitlines()
    if len(lines) < 2:
        raise ValueError("it is empty")
    kind, values = "", dict[int, str]()
    for code, value in zip(lines[::2], lines[1::2], strict=False):
        if int(code) == 0:
            yield Entity(kind, values)
            kind, values = value.strip().upper(), {}
        else:
            values.setdefault(int(code), value.strip())
    yield Entity(kind, values)


def _polyline(head: Entity, entities: Iterator[Entity], points: list[Point], faces: list[tuple[int, int, int]]) -> None:
    vertices = []
    for entity in entities:
        if entity.kind != "VERTEX":
            break
        vertices.append(entity)
    flags = head.whole(70)
    if flags & POLYFACE:
        _polyface(vertices, points, faces)
    elif flags & POLYGON_MESH:
        _grid(head, vertices, points, faces)


def _polyface(vertices: list[Entity], points: list[Point], faces: list[tuple[int, int, int]]) -> None:
    """Vertices with a place, then vertices that name up to four of them, from 1; negative: that edge is hidden."""
    start = len(points)
    for vertex in vertices:
        flags = vertex.whole(70)
        if flags & 128 and not flags & 64:
            corners = [abs(vertex.whole(code)) for code in (71, 72, 73, 74)]
            known = len(points) - start
            named = [start + corner - 1 for corner in corners if corner]
            if any(corner > known for corner in corners):
                raise ValueError(f"a face names corner {max(corners)} of {known}")
            faces += _triangles(named)
        else:
            points.append(vertex.point())


def _grid(head: Entity, vertices: list[Entity], points: list[Point], faces: list[tuple[int, int, int]]) -> None:
    """A net of m by n vertices, closed in either direction or not."""
    rows, columns, flags = head.whole(71), head.whole(72), head.whole(70)
    if rows < 2 or columns < 2 or rows * columns != len(vertices):
        raise ValueError(f"a net of {rows} by {columns} with {len(vertices)} vertices")
    start = len(points)
    points += [vertex.point() for vertex in vertices]
    for i in range(rows if flags & CLOSED_M else rows - 1):
        for j in range(columns if flags & CLOSED_N else columns - 1):
            a, b = (i % rows) * columns, ((i + 1) % rows) * columns
            c = (j + 1) % columns
            faces += _triangles([start + a + j, start + b + j, start + b + c, start + a + c])


def _triangles(corners: list[int]) -> list[tuple[int, int, int]]:
    return [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
