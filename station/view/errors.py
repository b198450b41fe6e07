"""What can go wrong with pictures, as one tree.

ViewError (StationError)
├── NoGraphicsError (RuntimeError)   no OpenGL, or no screen for a window
├── MeshError (ValueError)           a mesh file that cannot be used
├── ViewRequestError (ValueError)    a posture, viewpoint, theme, size, quantity or mark that there is not
└── ViewpointFileError (ValueError)  the file of named viewpoints cannot be read or written
"""

from __future__ import annotations

from station.errors import StationError


class ViewError(StationError):
    """Anything about pictures and windows."""


class NoGraphicsError(ViewError, RuntimeError):
    """No OpenGL, or no screen for a window."""


class MeshError(ViewError, ValueError):
    """A mesh file that cannot be used."""


class ViewRequestError(ViewError, ValueError):
    """A posture, viewpoint, theme or size that there is not."""


class ViewpointFileError(ViewError, ValueError):
    """The file of named viewpoints cannot be read or written."""
