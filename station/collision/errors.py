"""What can go wrong with surroundings.

StationError
└── CollisionError (ValueError)      solids that cannot be made, or a question that has no answer
    └── MeshError (OSError)          a mesh file that cannot be used
"""

from __future__ import annotations

from station.errors import StationError


class CollisionError(StationError, ValueError):
    """Surroundings that cannot be made, or a question that they cannot understand."""


class MeshError(CollisionError, OSError):
    """A mesh file that is missing, broken, or encloses nothing."""
