"""What is around a robot: signed distances between its bodies and obstacles, for the solver, the forces and tasks.

    Scene ─ bodies, solids ─▶ pairs ─▶ Surroundings ─ tell, refine ─▶ rows, contacts          (in a tick)
                                                    ─ distances, clear_path ─▶ Distance, Passage (at leisure)

The equations are in docs/collision.md.
"""

from station.collision.errors import CollisionError, MeshError
from station.collision.results import Condition, Distance, LeftOut, Pair, Passage, Told, Touch
from station.collision.settings import CollisionSettings
from station.collision.surroundings import Surroundings

__all__ = [
    "CollisionError",
    "CollisionSettings",
    "Condition",
    "Distance",
    "LeftOut",
    "MeshError",
    "Pair",
    "Passage",
    "Surroundings",
    "Told",
    "Touch",
]
