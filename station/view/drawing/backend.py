"""Where pictures are drawn without any screen: by EGL, into an image. One clear line where there is no OpenGL."""

from __future__ import annotations

import contextlib
import logging
import os
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from station.view.drawing.library import app, gl, gloo, read_pixels
from station.view.errors import NoGraphicsError, ViewRequestError

RGBA8, DEPTH24 = 0x8058, 0x81A6  # formats of OpenGL; vispy's own would be 16 bits of depth, too few for a room
LARGEST = 8192  # side of a picture [px]
VERTEX_TEXTURES = 0x8B4C
BGRA = 0x80E1  # as Qt has it in memory: no number is touched on the way to the screen
PACKAGES = "libegl1 libgl1 libfontconfig1"


@lru_cache(maxsize=1)
def offscreen_canvas() -> Any:
    """A canvas that no screen shows, made once; raises NoGraphicsError."""
    # Mesa finds no display otherwise where there is no X server. Whoever has set it knows better.
    os.environ.setdefault("EGL_PLATFORM", "surfaceless")
    logging.getLogger("vispy").setLevel(logging.ERROR)
    try:
        canvas = app.Canvas(app=app.Application("egl"), size=(16, 16), show=False, dpi=96)
        check_card(canvas)
    except NoGraphicsError:
        raise
    except Exception as error:  # vispy raises whatever the library below it did
        raise NoGraphicsError(_no_graphics(error)) from None
    return canvas


def check_card(canvas: Any) -> None:
    """Whether the graphics can do what is asked of it; raises NoGraphicsError."""
    canvas.set_current()
    if not gl.glGetParameter(VERTEX_TEXTURES):
        raise NoGraphicsError("this OpenGL cannot read textures for corners; use Mesa: LIBGL_ALWAYS_SOFTWARE=1")


def renderer_name() -> str:
    """Name of the graphics card, or of the program that stands in for it; a canvas must be current."""
    return str(gl.glGetParameter(gl.GL_RENDERER))


def _no_graphics(error: Exception) -> str:
    first = (str(error).splitlines() or [type(error).__name__])[0][:120]
    return f"no OpenGL for pictures ({first}); on Debian install: apt-get install {PACKAGES}"


class Target:
    """An image in graphics memory with 24 bits of depth, to draw into and to read."""

    def __init__(self) -> None:
        self._size = (0, 0)
        self._buffer: gloo.FrameBuffer | None = None

    @contextlib.contextmanager
    def drawing(self, width: int, height: int) -> Any:
        """Draw into it; the block may read pixels at its end."""
        if not (1 <= width <= LARGEST and 1 <= height <= LARGEST):
            raise ViewRequestError(f"a picture of {width} × {height} pixels; each side can be 1 to {LARGEST}")
        if self._buffer is None or self._size != (width, height):
            self._size, shape = (width, height), (height, width)
            self._buffer = gloo.FrameBuffer(gloo.RenderBuffer(shape, RGBA8), gloo.RenderBuffer(shape, DEPTH24))
        with self._buffer:
            yield


def read_image(width: int, height: int) -> NDArray[np.uint8]:
    """What was drawn (height, width, 3), top row first."""
    return np.ascontiguousarray(gloo.read_pixels((0, 0, width, height), alpha=False))


class Rows:
    """What was drawn, as a window takes it; its memory is used again for the next picture."""

    def __init__(self) -> None:
        self._read = self._turned = np.empty((0, 0, 4), np.uint8)

    def read(self, width: int, height: int) -> NDArray[np.uint8]:
        """(height, width, 4): blue, green, red, nothing; top row first."""
        if self._read.shape[:2] != (height, width):
            self._read, self._turned = np.empty((2, height, width, 4), np.uint8)
        gloo.finish()
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        read_pixels(width, height, BGRA, self._read)
        np.copyto(self._turned, self._read[::-1])
        return self._turned


def shrunk(image: NDArray[np.uint8], factor: int) -> NDArray[np.uint8]:
    """Each block of factor × factor pixels as their mean: smooth edges without the help of the graphics card."""
    if factor == 1:
        return image
    height, width = image.shape[0] // factor, image.shape[1] // factor
    blocks = image[: height * factor, : width * factor].reshape(height, factor, width, factor, 3)
    return np.asarray(blocks.mean(axis=(1, 3), dtype=np.float32) + 0.5).astype(np.uint8)
