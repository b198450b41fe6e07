"""Scenes for the tests of distances."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import station
from station.bench import Bench
from station.collision import CollisionSettings, Surroundings
from station.mechanism import Mechanism

ROBOTS = Path(__file__).parents[2] / "robots"
OBSTACLES = """
obstacle floor { plane }
obstacle crate { box { 200 300 200 }     pos { 500 0 100 }     ori { 10 20 30 } }
obstacle ball  { sphere 80               pos { 0 500 400 } }
obstacle post  { cylinder { 50 600 }     pos { -400 300 300 }  ori { 20 0 0 } }
obstacle rail  { capsule { 30 500 }      pos { 300 -500 500 }  ori { 0 90 0 } }
"""


def lift(body: str, around: str, height: float = 0.0, more: str = "") -> Surroundings:
    """A body on a joint that slides along z, `height` [mm] above its lowest place, and something around it."""
    scene = station.loads(
        f"""RAFF v2.0 Lift robot lift {{ base {{ }}
        link 1 {{ parameters {{ 0 {height} 0 0 }} type prismatic pred 0 limits {{ -5000 5000 }} speed 1000
                  collision {{ {body} }} }} {more} }} {around}"""
    )
    return Surroundings(scene, scene["lift"])


def distance(body: str, obstacle: str, height: float = 0.0) -> float:
    """Signed distance [m] between a body at a height [mm] and an obstacle."""
    (row,) = lift(body, f"obstacle it {{ {obstacle} }}", height).distances()
    return row.distance


def robot_among(
    name: str, obstacles: str, settings: CollisionSettings | None = None, include_self: bool = False
) -> Surroundings:
    """A robot of robots/ with obstacles around it."""
    scene = bench(name, obstacles)
    return Surroundings(scene, scene[name], settings, include_self=include_self)


def bench(name: str, obstacles: str) -> Bench:
    """A robot file with more text behind it."""
    return station.loads((ROBOTS / f"{name}.mad").read_text() + obstacles)


def put(mechanism: Mechanism, q: NDArray[np.float64]) -> None:
    """Joint values as a step would leave them, without its limits."""
    mechanism.memory.q[:] = q
    mechanism._refresh()


def write_tetrahedra(path: Path, *places: float) -> None:
    """An OBJ file with unit tetrahedra, moved along x by each of `places`."""
    lines, count = [], 0
    for place in places:
        for x, y, z in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
            lines.append(f"v {x + place} {y} {z}")
        for a, b, c in ((1, 3, 2), (1, 2, 4), (1, 4, 3), (2, 3, 4)):
            lines.append(f"f {a + count} {b + count} {c + count}")
        count += 4
    path.write_text("\n".join(lines) + "\n")
