"""Reader of NFF, the plain text format of polygons (E. Haines, "Neutral File Format", 1987).

A text that begins with the word `nff` is of WorldToolKit, which has another format of this name (`station/wtk_nff.py`).
Read are what makes a body: `f` (colour), `p` (polygon), `pp` (polygon with normals, which are made anew), `s` (sphere),
`c` (cone or cylinder). What describes a picture, `v` with its six lines, `b`, `l`, is passed over.
"""

from __future__ import annotations

import math

import numpy as np

from station.view.errors import MeshError
from station.view.geometry.mesh import Colour, Mesh, coloured, creased, joined, placed
from station.view.geometry.primitives import along, lathe, sphere
from station.wtk_nff import NffError, is_wtk_nff, read_wtk_nff

PICTURE = {"v", "from", "at", "up", "angle", "hither", "resolution", "b", "l", "bg", "comment"}
MOST_CORNERS = 10_000  # of one polygon
MOST_SOLIDS = 10_000  # balls and cones: a line of text becomes hundreds of triangles


def read_nff(text: str) -> Mesh:
    """The mesh in a text; raises MeshError that names the line."""
    if is_wtk_nff(text):
        return _of_world_tool_kit(text)
    reader = _Reader(text)
    return reader.mesh()


def _of_world_tool_kit(text: str) -> Mesh:
    """Triangles with the colours of the file, and its normals where it has any."""
    try:
        found = read_wtk_nff(text)
    except NffError as error:
        raise MeshError(str(error)) from None
    corners = found.points.reshape(-1, 3, 3)
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    kept = np.repeat(np.linalg.norm(areas, axis=1) > 0.0, 3)  # as `creased` does: places of corners stay the same
    mesh = creased(found.points[kept], np.arange(int(kept.sum())))
    colours = np.column_stack([found.colours[kept], np.ones(int(kept.sum()))]).astype(np.float32)
    given = found.normals[kept]
    normals = np.where(np.isfinite(given), given, mesh.normals).astype(np.float32)
    return mesh._replace(colours=colours, normals=normals)


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines = [(number, line.split("#")[0].split()) for number, line in enumerate(text.splitlines(), 1)]
        self.lines = [(number, words) for number, words in self.lines if words]
        self.at = 0
        self.colour: Colour = (0.7, 0.7, 0.7, 1.0)
        self.points: list[list[float]] = []
        self.faces: list[tuple[int, int, int]] = []
        self.colours: list[Colour] = []
        self.solids: list[Mesh] = []

    def mesh(self) -> Mesh:
        while self.at < len(self.lines):
            number, words = self.lines[self.at]
            self.at += 1
            word = words[0].lower()
            if word == "f":
                red, green, blue = self._numbers(number, words[1:], 3)[:3]
                self.colour = (red, green, blue, 1.0)
            elif word in ("p", "pp"):
                self._polygon(number, words, 6 if word == "pp" else 3)
            elif word in ("s", "c") and len(self.solids) >= MOST_SOLIDS:
                raise MeshError(f"line {number}: more than {MOST_SOLIDS} balls and cones")
            elif word == "s":
                self._ball(self._numbers(number, words[1:], 4))
            elif word == "c":
                self._cone(number, self._lines_of_numbers(number, 2, 4))
            elif word not in PICTURE:
                raise MeshError(f"line {number}: '{words[0]}' is no word of NFF; read are: f, p, pp, s, c")
        polygons = creased(self.points, self.faces, self.colours) if self.faces else None
        return joined([*([polygons] if polygons is not None else []), *self.solids])

    def _polygon(self, number: int, words: list[str], width: int) -> None:
        count = int(self._numbers(number, words[1:], 1)[0])
        if not 3 <= count <= MOST_CORNERS:
            raise MeshError(f"line {number}: a polygon of {count} corners; 3 to {MOST_CORNERS} are possible")
        start = len(self.points)
        self.points += [row[:3] for row in self._lines_of_numbers(number, count, width)]
        for corner in range(1, count - 1):
            self.faces.append((start, start + corner, start + corner + 1))
            self.colours.append(self.colour)

    def _ball(self, values: list[float]) -> None:
        pose = np.eye(4)
        pose[:3, 3] = values[:3]
        if values[3] > 0.0:
            self.solids.append(coloured(placed(sphere(values[3]), pose), self.colour))

    def _cone(self, number: int, rows: list[list[float]]) -> None:
        (low, apex), (radius, tip) = (np.array([row[:3] for row in rows])), (abs(row[3]) for row in rows)
        length = float(np.linalg.norm(apex - low))
        if length <= 0.0 or max(radius, tip) <= 0.0 or not math.isfinite(length):
            raise MeshError(f"line {number}: a cone without length or radius")
        half = 0.5 * length
        body = lathe([(0.0, -half), (radius, -half), (tip, half), (0.0, half)])
        self.solids.append(coloured(placed(body, along(low, apex)), self.colour))

    def _lines_of_numbers(self, number: int, count: int, width: int) -> list[list[float]]:
        rows = self.lines[self.at : self.at + count]
        if len(rows) < count:
            raise MeshError(f"line {number}: {count} lines of numbers are due, and the file ends after {len(rows)}")
        self.at += count
        return [self._numbers(line, words, width) for line, words in rows]

    def _numbers(self, number: int, words: list[str], least: int) -> list[float]:
        try:
            values = [float(word) for word in words]
        except ValueError:
            raise MeshError(f"line {number}: '{' '.join(words)[:40]}' should be {least} numbers") from None
        if len(values) < least or not all(map(math.isfinite, values)):
            raise MeshError(f"line {number}: {least} finite numbers are due, not '{' '.join(words)[:40]}'")
        return values
