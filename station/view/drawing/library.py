"""The libraries that bring no types along, taken in at one place: vispy for OpenGL, FreeType for letters."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import freetype  # type: ignore[import-untyped]
import numpy as np
from numpy.typing import NDArray
from vispy import app, gloo  # type: ignore[import-untyped]
from vispy.gloo import gl  # type: ignore[import-untyped]
from vispy.gloo.gl import gl2  # type: ignore[import-untyped]
from vispy.io import write_png  # type: ignore[import-untyped]

__all__ = ["app", "copy_colours", "freetype", "gl", "gloo", "read_pixels", "write_png"]


READ_BUFFER, COLOURS, NEAREST = 0x8CA8, 0x4000, 0x2600
INTS, ENUMS = (ctypes.c_int,), (ctypes.c_uint,)


@cache
def _native(name: str, *types: type) -> Callable[..., None]:
    """A function of OpenGL that vispy does not offer, or not as it is."""
    found: Callable[..., None] = gl2._get_gl_func(name, None, types)
    return found


def read_pixels(width: int, height: int, layout: int, into: NDArray[np.uint8]) -> None:
    """GlReadPixels of bytes into an array that is there already: vispy's own makes two copies on the way."""
    read = _native("glReadPixels", *(INTS * 4), *(ENUMS * 2), ctypes.c_void_p)
    read(0, 0, width, height, layout, gl.GL_UNSIGNED_BYTE, into.ctypes.data)


def copy_colours(source: int, target: int, size: tuple[int, int]) -> None:
    """Copy the colours of one frame buffer into another, by their numbers in OpenGL; the target stays bound."""
    bind = _native("glBindFramebuffer", *(ENUMS * 2))
    bind(READ_BUFFER, source)
    _native("glBlitFramebuffer", *(INTS * 8), *(ENUMS * 2))(0, 0, *size, 0, 0, *size, COLOURS, NEAREST)
    bind(READ_BUFFER, target)
