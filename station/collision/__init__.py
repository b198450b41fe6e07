"""What is around a robot: signed distances between its bodies and obstacles, for the solver, the forces and tasks.

    Scene ─ bodies, solids ─▶ pairs ─▶ Surroundings ─ tell, refine ─▶ rows, contacts          (in a tick)
                                                    ─ distances, clear_path ─▶ Distance, Passage (at leisure)

surroundings.py  what everybody uses; results.py: what it answers and refuses
library.py       the collision library; solids.py: convex solids, also of mesh files; bodies.py: those of a scene
pairs.py         which of them may touch; passage.py: exact distances, and whether a motion is free
table.py         the one record that kernels and Python share, and the settings
support.py       how far a solid reaches, and its corners
survey.py        a distance for every pair that is never more than the true one, and which to ask for exactly
contacts.py      one tick: rows for the forces, half-spaces and stops of joints for the solver

The equations are in docs/collision.md.
"""

from station.collision.results import (
    CollisionError,
    Condition,
    Distance,
    LeftOut,
    MeshError,
    Pair,
    Passage,
    Told,
    Touch,
)
from station.collision.surroundings import Surroundings
from station.collision.table import CollisionSettings

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
