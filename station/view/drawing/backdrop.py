"""`Backdrop`: a picture of what does not move, kept while the camera is still and copied instead of drawn again."""

from __future__ import annotations

from collections.abc import Callable

from station.view.drawing.backend import Target
from station.view.drawing.library import copy_colours, gl, gloo

Key = tuple[object, ...]
FRAMEBUFFER_BINDING = 0x8CA6


class Backdrop:
    """Where OpenGL is software, copying a picture costs a fifth of clearing it and drawing a grid."""

    def __init__(self) -> None:
        self._target, self._number = Target(), 0  # and its number in OpenGL
        self._kept: Key | None = None  # what the kept picture shows
        self._last: Key | None = None  # what was wanted last

    def show(self, key: Key, size: tuple[int, int], paint: Callable[[], None]) -> bool:
        """Copy the kept picture into the current frame buffer, if the same was wanted before; returns whether it did.

        Args:
            key: whatever the picture depends on.
            size: of it [device px]; it begins at the lower left corner.
            paint: draws it.
        """
        same, self._last = key == self._last, key
        if not same:  # the camera moves: keeping each picture would cost more than it brings
            return False
        if key != self._kept:
            with self._target.drawing(*size):
                paint()
                self._number = bound_buffer()
            self._kept = key
        copy_colours(self._number, bound_buffer(), size)
        return True


def bound_buffer() -> int:
    """Number of the frame buffer that is drawn into, after all that was asked for so far."""
    gloo.flush()
    return int(gl.glGetParameter(FRAMEBUFFER_BINDING))
