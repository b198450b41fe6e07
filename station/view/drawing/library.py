"""The libraries that bring no types along, taken in at one place: vispy for OpenGL, FreeType for letters."""

from __future__ import annotations

import freetype  # type: ignore[import-untyped]
from vispy import app, gloo  # type: ignore[import-untyped]
from vispy.gloo import gl  # type: ignore[import-untyped]
from vispy.io import write_png  # type: ignore[import-untyped]

__all__ = ["app", "freetype", "gl", "gloo", "write_png"]
