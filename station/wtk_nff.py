"""Reader of WorldToolKit's NFF (Sense8's "Neutral File Format", versions 1 to 2.1), for view and collision.

It is another format than that of E. Haines, with the same suffix; its first word is `nff`. After it:

    version 2.1                                  may be left out, as the two lines of the viewpoint
    viewpos 0 0 -10
    viewdir 0 0 1
    wheel                                        name of an object; the rest is repeated for each
    4                                            number of its vertices, then one a line, numbered from 0
    0 0 0  norm 0 0 1  0xff8000  uv 0 0.5        normal, colour and place in a texture may be left out
    …
    1                                            number of its polygons, then one a line
    4 0 1 2 3  0xf80  both  _v_wood  -3          corners, colour (12 or 24 bits), seen from both sides, texture, id

Textures, ids and portals are passed over. The colour of a vertex comes before that of the polygon. Comments begin
with `//`.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_CORNERS = 10_000  # of one polygon
COLOUR = re.compile(r"0[xX]([0-9a-fA-F]{1,6})$")
PASSED_OVER = {"rot": 1, "scale": 1, "trans": 2, "mirror": 0, "matid": 1, "portal": 1}  # and how many words follow
GREY = (0.7, 0.7, 0.7)

Rgb = tuple[float, float, float]
Row = list[float]


class NffError(ValueError):
    """A file that cannot be read; one line that names the line of the file, not the file."""


class Polygons(NamedTuple):
    """Triangles, each with three corners of its own; numbers as they stand in the file."""

    points: NDArray[np.float64]  # (3·m, 3)
    colours: NDArray[np.float64]  # (3·m, 3) red, green, blue, 0 to 1
    normals: NDArray[np.float64]  # (3·m, 3) of length 1; not a number where the file has none


class _Vertex(NamedTuple):
    place: Row
    normal: Row | None
    colour: Rgb | None


def is_wtk_nff(text: str) -> bool:
    """Whether a text begins as WorldToolKit's format does."""
    lines = (line.split("//")[0].split() for line in text.splitlines())
    first = next((words for words in lines if words), [])
    return [word.lower() for word in first] == ["nff"]


def read_wtk_nff(text: str) -> Polygons:
    """All polygons of a text as triangles; raises NffError."""
    return _Reader(text).polygons()


class _Reader:
    def __init__(self, text: str) -> None:
        lines = ((number, line.split("//")[0].split()) for number, line in enumerate(text.splitlines(), 1))
        self.lines = [(number, words) for number, words in lines if words]
        self.at = 0
        self.last = self.lines[-1][0] if self.lines else 1
        self.corners: list[_Vertex] = []
        self.colours: list[Rgb] = []

    def polygons(self) -> Polygons:
        self._next("the word nff")
        while self.at < len(self.lines) and self.lines[self.at][1][0].lower() in ("version", "viewpos", "viewdir"):
            number, words = self._next("")
            self._numbers(number, words[1:], 1 if words[0].lower() == "version" else 3, words[0])
        while self.at < len(self.lines):
            self._object()
        nowhere = [math.nan] * 3
        return Polygons(
            np.array([corner.place for corner in self.corners], np.float64).reshape(-1, 3),
            np.array(self.colours, np.float64).reshape(-1, 3),
            np.array([corner.normal or nowhere for corner in self.corners], np.float64).reshape(-1, 3),
        )

    def _object(self) -> None:
        _, words = self._next("the name of an object")
        name = " ".join(words)[:40]
        if self.at < len(self.lines) and self.lines[self.at][1][0].lower() == "mtable":
            self.at += 1  # materials in a file of their own
        vertices = [self._vertex(name) for _ in range(self._count(f"vertices of '{name}'"))]
        for _ in range(self._count(f"polygons of '{name}'")):
            self._polygon(name, vertices)

    def _vertex(self, name: str) -> _Vertex:
        number, words = self._next(f"a vertex of '{name}'")
        place = self._numbers(number, words[:3], 3, "a vertex")
        normal: Row | None = None
        colour: Rgb | None = None
        rest = words[3:]
        while rest:
            word = rest.pop(0)
            if word.lower() == "norm":
                normal = _unit(self._numbers(number, rest[:3], 3, "norm"))
                rest = rest[3:]
            elif word.lower() == "uv":
                self._numbers(number, rest[:2], 2, "uv")
                rest = rest[2:]
            elif COLOUR.match(word):
                colour = _colour(word)
            elif word.lower() != "rgb":  # stands before a colour, in some files
                raise NffError(
                    f"line {number}: '{word[:40]}' is nothing that a vertex has: norm x y z, 0xRRGGBB, uv u v"
                )
        return _Vertex(place, normal, colour)

    def _polygon(self, name: str, vertices: list[_Vertex]) -> None:
        number, words = self._next(f"a polygon of '{name}'")
        count = self._whole(number, words[0])
        if not 3 <= count <= MOST_CORNERS:
            raise NffError(f"line {number}: a polygon of {count} corners; 3 to {MOST_CORNERS} are possible")
        named = [self._whole(number, word) for word in words[1 : count + 1]]
        if len(named) < count:
            raise NffError(f"line {number}: a polygon of {count} corners names {len(named)}")
        for corner in named:
            if corner >= len(vertices):
                raise NffError(f"line {number}: vertex {corner} is named, and '{name}' has {len(vertices)}, from 0 on")
        colour = self._polygon_colour(number, words[count + 1 :]) or GREY
        for nth in range(1, count - 1):
            for corner in (named[0], named[nth], named[nth + 1]):
                self.corners.append(vertices[corner])
                self.colours.append(vertices[corner].colour or colour)

    def _polygon_colour(self, number: int, rest: list[str]) -> Rgb | None:
        colour: Rgb | None = None
        while rest:
            word = rest.pop(0)
            if COLOUR.match(word):
                colour = _colour(word)
            elif word.lower() in PASSED_OVER:
                rest = rest[PASSED_OVER[word.lower()] :]
            elif word.lower() not in ("both", "rgb") and word[0] not in "_-" and "=" not in word:
                raise NffError(
                    f"line {number}: '{word[:40]}' is nothing that a polygon has: 0xRRGGBB, both, _v_texture, -id"
                )
        return colour

    def _count(self, what: str) -> int:
        number, words = self._next(f"the number of {what}")
        if len(words) != 1:
            raise NffError(f"line {number}: the number of {what} is due, not '{' '.join(words)[:40]}'")
        count = self._whole(number, words[0])
        if count > len(self.lines) - self.at:  # each takes a line
            raise NffError(f"line {number}: {count} {what} are due, and {len(self.lines) - self.at} lines follow")
        return count

    def _next(self, what: str) -> tuple[int, list[str]]:
        if self.at >= len(self.lines):
            raise NffError(f"line {self.last}: {what} is due, and the file ends")
        self.at += 1
        return self.lines[self.at - 1]

    def _whole(self, number: int, word: str) -> int:
        if not (word.isascii() and word.isdecimal() and len(word) <= 9):
            raise NffError(f"line {number}: '{word[:40]}' should be a whole number")
        return int(word)

    def _numbers(self, number: int, words: list[str], count: int, what: str) -> Row:
        try:
            values = [float(word) for word in words]
        except ValueError:
            values = []
        if len(values) < count or not all(map(math.isfinite, values)):
            raise NffError(f"line {number}: {what} takes {count} finite numbers, not '{' '.join(words)[:40]}'")
        return values


def _unit(vector: Row) -> Row | None:
    length = math.sqrt(sum(value * value for value in vector))
    return [value / length for value in vector] if 0.0 < length < math.inf else None


def _colour(word: str) -> Rgb:
    """0xRGB, up to three digits, or 0xRRGGBB."""
    digits = word[2:]
    value, bits = int(digits, 16), 4 if len(digits) <= 3 else 8
    full = 2**bits - 1
    return (value >> 2 * bits & full) / full, (value >> bits & full) / full, (value & full) / full
