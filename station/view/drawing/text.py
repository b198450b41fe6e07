"""`Labels`: all texts of a picture in one draw call, letters from an atlas made with FreeType."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.camera import Sight
from station.view.drawing.library import freetype, gloo
from station.view.drawing.shaders import TEXT_FRAGMENT, TEXT_VERTEX
from station.view.geometry.mesh import Colour

LETTERS = "".join(map(chr, range(32, 127))) + "°±²³µ·×äöüÄÖÜßéèàçâêîôûαβγδθλπτωΔΩ…–—→←↑↓≤≥≈∞"
FONT = "util/fonts/data/OpenSans-Regular.ttf"  # comes with vispy
MOST = 800  # letters in one picture
STEP = 50  # letters by which the number that is drawn grows
CORNER = np.dtype(
    [
        ("a_anchor", np.float32, 4),
        ("a_offset", np.float32, 2),
        ("a_uv", np.float32, 2),
        ("a_span", np.float32, 2),
        ("a_colour", np.float32, 4),
    ]
)


class Label(NamedTuple):
    """A text at a place in the world [m], or in the picture [px] from the top left if the place has two numbers."""

    text: str
    place: tuple[float, ...]
    colour: Colour
    back: Colour | None = None  # colour of a box behind it
    offset: tuple[float, float] = (8.0, 0.0)  # of its left middle from the place [px], y down


class Glyph(NamedTuple):
    """A letter in the atlas [px]."""

    left: int
    top: int
    width: int
    height: int
    advance: float
    u: int
    v: int


class Atlas:
    """All letters at one size, in one image."""

    def __init__(self, size: int) -> None:
        self.size = size
        face = freetype.Face(str(files("vispy") / FONT))
        face.set_pixel_sizes(0, size)
        self.ascent = int(face.size.ascender / 64)
        self.height = int(face.size.height / 64)
        width, x, y, row = 512, 4, 0, 4
        self.image = np.zeros((1024, width), np.uint8)
        self.image[:3, :3] = 255  # a full spot, for boxes
        self.glyphs: dict[str, Glyph] = {}
        for letter in LETTERS:
            if letter != " " and not face.get_char_index(letter):
                continue  # not in this font
            face.load_char(letter)
            bitmap = face.glyph.bitmap
            if x + bitmap.width + 1 > width:
                x, y, row = 0, y + row + 1, 0
            pixels = np.array(bitmap.buffer, np.uint8).reshape(bitmap.rows, bitmap.pitch)[:, : bitmap.width]
            if y + bitmap.rows > len(self.image):
                self.image = np.concatenate([self.image, np.zeros_like(self.image)])
            self.image[y : y + bitmap.rows, x : x + bitmap.width] = pixels
            self.glyphs[letter] = Glyph(
                face.glyph.bitmap_left,
                face.glyph.bitmap_top,
                bitmap.width,
                bitmap.rows,
                face.glyph.advance.x / 64,
                x,
                y,
            )
            x, row = x + bitmap.width + 1, max(row, bitmap.rows)
        self.image = self.image[: y + row + 1]

    def layout(self, text: str) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
        """Quads (letters, 4, 2) from the left middle of the text [px], their places in the image, width [px]."""
        missing, x = self.glyphs["?"], 0.0
        quads, spots = [], []
        for letter in text:
            glyph = self.glyphs.get(letter, missing)
            left, top = x + glyph.left, 0.36 * self.size - glyph.top
            quads.append((left, top, left + glyph.width, top + glyph.height))
            spots.append((glyph.u, glyph.v, glyph.u + glyph.width, glyph.v + glyph.height))
            x += glyph.advance
        places = _corners(spots) / np.array(self.image.shape[::-1], np.float32)
        return _corners(quads), np.asarray(places, np.float32), x


@lru_cache(maxsize=8)
def atlas_of(size: int) -> Atlas:
    """The atlas of that size [px]."""
    return Atlas(size)


class Labels:
    """The texts of a picture on the graphics card."""

    def __init__(self) -> None:
        self._program = gloo.Program(TEXT_VERTEX, TEXT_FRAGMENT)
        self._buffer = gloo.VertexBuffer(np.zeros(4 * MOST, CORNER))
        self._program.bind(self._buffer)
        self._indices: dict[int, gloo.IndexBuffer] = {}  # by number of letters
        self._count = 0
        self._shown: object = None
        self._atlas: Atlas | None = None
        self._laid: dict[str, tuple[NDArray[np.float32], NDArray[np.float32], float]] = {}

    def put(self, labels: Sequence[Label], size: int, scale: float) -> None:
        """All texts anew; `size` of the letters [px], `scale` device pixels per pixel."""
        atlas = atlas_of(round(size * scale))
        if atlas is not self._atlas:
            self._atlas, self._laid = atlas, {}
            self._program["u_letters"] = gloo.Texture2D(
                atlas.image[..., None], interpolation="linear", internalformat="r8", format="red"
            )
            self._shown = None
        key = (scale, *labels)
        if key == self._shown:
            return
        self._shown = key
        corners = np.zeros((MOST, 4), CORNER)
        at = 0
        for label in labels:
            at = self._put_one(corners, at, label, atlas, scale)
        self._count = min(MOST, STEP * -(-at // STEP))  # what is left over of a step has no size
        self._buffer.set_subdata(corners[: self._count].reshape(-1))

    def _put_one(self, corners: NDArray[np.void], at: int, label: Label, atlas: Atlas, scale: float) -> int:
        quads, spots, width = self._layout(label.text, atlas)
        n = len(quads) + (label.back is not None)
        if not n or at + n > MOST:
            return at
        part = corners[at : at + n]
        in_world = len(label.place) == 3
        place = label.place if in_world else (scale * label.place[0], scale * label.place[1], 0.0)
        part["a_anchor"] = (*place, 1.0 if in_world else 0.0)
        if label.back is not None:
            pad = 0.3 * atlas.size
            half = 0.62 * atlas.size
            part["a_offset"][0] = _corners([(-pad, -half, width + pad, half)])[0]
            part["a_uv"][0] = 1.5 / np.array(atlas.image.shape[::-1], np.float32)
            part["a_colour"][0] = label.back
            part = part[1:]
        part["a_offset"], part["a_uv"], part["a_colour"] = quads, spots, label.colour
        shift, pad = round(scale * label.offset[0]), 0.4 * atlas.size
        corners[at : at + n]["a_span"] = (shift - pad, shift + width + pad)
        corners[at : at + n]["a_offset"] += np.round(scale * np.array(label.offset, np.float32))
        return at + n

    def _layout(self, text: str, atlas: Atlas) -> tuple[NDArray[np.float32], NDArray[np.float32], float]:
        if text not in self._laid:
            if len(self._laid) > 500:  # ages make ever new texts
                self._laid.clear()
            self._laid[text] = atlas.layout(text)
        return self._laid[text]

    def draw(self, sight: Sight, viewport: tuple[int, int]) -> None:
        """All of them, on top of the picture."""
        if self._atlas is None or not self._count:
            return
        if self._count not in self._indices:
            first = 4 * np.arange(self._count, dtype=np.uint32)[:, None]
            self._indices[self._count] = gloo.IndexBuffer((first + np.array([0, 1, 2, 0, 2, 3], np.uint32)).ravel())
        self._program["u_view_projection"] = np.ascontiguousarray(sight.view_projection.T, np.float32)
        self._program["u_viewport"] = viewport
        self._program.draw("triangles", self._indices[self._count])


def _corners(boxes: Sequence[tuple[float, float, float, float]]) -> NDArray[np.float32]:
    """Four corners each of boxes given by left, top, right, bottom."""
    sides = np.asarray(boxes, np.float32).reshape(-1, 4)
    return np.asarray(sides[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2))
