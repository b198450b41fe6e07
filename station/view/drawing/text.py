"""`Labels`: all texts of a picture in one draw call, letters from an atlas made with FreeType."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from station.view.camera import Sight
from station.view.drawing.label import HALF, Label, Placed, arranged
from station.view.drawing.library import freetype, gloo
from station.view.drawing.shaders import TEXT_FRAGMENT, TEXT_VERTEX

LETTERS = "".join(map(chr, range(32, 127))) + "°±²³µ·×äöüÄÖÜßéèàçâêîôûαβγδθλπτωΔΩ…–—→←↑↓≤≥≈∞"
FONT = "util/fonts/data/OpenSans-Regular.ttf"  # comes with vispy
MOST = 3000  # letters in one picture
STEP = 50  # letters by which the number that is drawn grows
CORNER = np.dtype(
    [
        ("a_place", np.float32, 2),
        ("a_uv", np.float32, 2),
        ("a_colour", np.float32, 4),
    ]
)


class Glyph(NamedTuple):
    """A letter in the atlas [px]."""

    left: int
    top: int
    width: int
    height: int
    advance: float
    u: int
    v: int


class Laid(NamedTuple):
    """The letters of a text."""

    quads: NDArray[np.float32]  # (letters, 4, 2) from the left middle of the text [px]
    spots: NDArray[np.float32]  # (letters, 4, 2) in the image of the atlas, 0 to 1
    width: float  # [px]


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

    def layout(self, text: str) -> Laid:
        """Where the letters of a text go."""
        missing, x = self.glyphs["?"], 0.0
        quads, spots = [], []
        for letter in text:
            glyph = self.glyphs.get(letter, missing)
            left, top = x + glyph.left, 0.36 * self.size - glyph.top
            quads.append((left, top, left + glyph.width, top + glyph.height))
            spots.append((glyph.u, glyph.v, glyph.u + glyph.width, glyph.v + glyph.height))
            x += glyph.advance
        places = _corners(spots) / np.array(self.image.shape[::-1], np.float32)
        return Laid(_corners(quads), np.asarray(places, np.float32), x)


@lru_cache(maxsize=8)
def atlas_of(size: int) -> Atlas:
    """The atlas of that size [px]."""
    return Atlas(size)


class Labels:
    """The texts of a picture on the graphics card."""

    def __init__(self) -> None:
        self._program = gloo.Program(TEXT_VERTEX, TEXT_FRAGMENT)
        self._buffer: gloo.VertexBuffer | None = None
        self._room = 0  # letters that fit into the buffer
        self._indices: dict[int, gloo.IndexBuffer] = {}  # by number of letters
        self._count = 0
        self._shown: list[Placed] | None = None
        self._atlas: Atlas | None = None
        self._laid: dict[str, Laid] = {}

    def draw(self, labels: Sequence[Label], size: int, scale: float, sight: Sight, viewport: tuple[int, int]) -> None:
        """All texts, on top of the picture; `size` of the letters [px], `scale` device pixels per pixel."""
        atlas = atlas_of(round(size * scale))
        if atlas is not self._atlas:
            self._atlas, self._laid, self._shown = atlas, {}, None
            self._program["u_letters"] = gloo.Texture2D(
                atlas.image[..., None], interpolation="linear", internalformat="r8", format="red"
            )
        placed = arranged(labels, sight, viewport, scale, atlas.size, lambda text: self._layout(text, atlas).width)
        if placed != self._shown:
            self._shown = placed
            self._put(placed, atlas)
        if self._count:
            self._program["u_viewport"] = viewport
            self._program.draw("triangles", self._indices[self._count])

    def _put(self, placed: Sequence[Placed], atlas: Atlas) -> None:
        """Send all of them; those beyond what a picture can have are left out."""
        sizes = [len(self._layout(label.text, atlas).quads) + (label.back is not None) for label in placed]
        letters = 0
        corners = np.zeros((min(STEP * -(-sum(sizes) // STEP), MOST), 4), CORNER)  # what is left over has no size
        for label, size in zip(placed, sizes, strict=True):
            if letters + size > MOST:
                break
            self._fill(corners[letters : letters + size], label, atlas)
            letters += size
        self._count = len(corners)
        if not letters:
            self._count = 0
        elif self._buffer is None or self._count > self._room:
            self._buffer, self._room = gloo.VertexBuffer(corners.reshape(-1)), self._count
            self._program.bind(self._buffer)
        else:
            self._buffer.set_subdata(corners.reshape(-1))
        if self._count not in self._indices and self._count:
            first = 4 * np.arange(self._count, dtype=np.uint32)[:, None]
            self._indices[self._count] = gloo.IndexBuffer((first + np.array([0, 1, 2, 0, 2, 3], np.uint32)).ravel())

    def _fill(self, corners: NDArray[np.void], label: Placed, atlas: Atlas) -> None:
        """The corners of one text and of the box behind it."""
        quads, spots, width = self._layout(label.text, atlas)
        at, part = np.array([label.x, label.y], np.float32), corners
        if label.back is not None:
            pad, half = 0.3 * atlas.size, HALF * atlas.size
            part["a_place"][0] = _corners([(-pad, -half, width + pad, half)])[0] + at
            part["a_uv"][0] = 1.5 / np.array(atlas.image.shape[::-1], np.float32)
            part["a_colour"][0] = label.back
            part = part[1:]
        part["a_place"], part["a_uv"], part["a_colour"] = quads + at, spots, label.colour

    def _layout(self, text: str, atlas: Atlas) -> Laid:
        if text not in self._laid:
            if len(self._laid) > 500:  # ages make ever new texts
                self._laid.clear()
            self._laid[text] = atlas.layout(text)
        return self._laid[text]


def _corners(boxes: Sequence[tuple[float, float, float, float]]) -> NDArray[np.float32]:
    """Four corners each of boxes given by left, top, right, bottom."""
    sides = np.asarray(boxes, np.float32).reshape(-1, 4)
    return np.asarray(sides[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 4, 2))
