"""Which places to measure: many to choose from, and the one that tells most is next.

What a place tells is known beforehand, from the nominal device, so a collection that ends early, or goes on after an
interruption, is as good as its number of places allows.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np

from calibration.collection import Collection
from calibration.information import Information
from calibration.syntaxer.geometry import PlacesModel
from calibration.syntaxer.measured import Measured
from station.devices.syntaxer import Syntaxer, SyntaxerModel
from station.devices.syntaxer.translation import survey

LAYERS, RINGS, SPOKES = 5, 3, 12
INSIDE = 0.97  # of the cylinder: the outermost places are near stops
TURN = 0.7  # of the range of the plate, about each axis
Choose = Callable[[Collection, set[int]], int | None]


def places(geometry: Syntaxer) -> list[list[float]]:
    """Places all over the workspace, with a rotation each: x, y, z [m] and a rotation vector [rad]."""
    cylinder, parts = geometry.cylinder, SyntaxerModel(geometry).parts
    depth = 0.5 * (cylinder.far - cylinder.near)
    middle = 0.5 * (cylinder.far + cylinder.near)
    points = [[middle, 0.0, 0.0]]
    for layer in np.linspace(-INSIDE, INSIDE, LAYERS):
        for ring, spoke in itertools.product(range(RINGS), range(SPOKES)):
            radius = INSIDE * cylinder.radius * (ring + 1) / RINGS
            angle = 2.0 * np.pi * (spoke + 0.5 * (ring % 2)) / SPOKES
            points.append([middle + layer * depth, radius * np.cos(angle), radius * np.sin(angle)])
    found = survey(parts, points)
    turns = rotations(geometry.paramat.range)
    good = (point for point, room in zip(points, found.rooms, strict=True) if room > np.radians(1.0))
    return [[*map(float, point), *turns[number % len(turns)]] for number, point in enumerate(good)]


def rotations(most: float) -> list[list[float]]:
    """Rotation vectors [rad]: none, both ways about each axis, and four corners; 11, which divides no ring."""
    size, corner = TURN * most, 0.6 * TURN * most
    about = [[way * size if axis == other else 0.0 for other in range(3)] for axis in range(3) for way in (1.0, -1.0)]
    corners = [[corner * a, corner * b, corner * a * b] for a, b in itertools.product((1.0, -1.0), repeat=2)]
    return [[0.0, 0.0, 0.0], *about, *corners]


def chooser(geometry: Syntaxer, plan: list[list[float]], *, stand: bool, noise: float) -> Choose:
    """Chooses the next place of a plan for an instrument whose stand is unknown, or known."""
    model = SyntaxerModel(geometry)
    at = np.array(plan)
    counts = np.array([model.counts_of(model.joints_at(one[:3], one[3:]).values) for one in at], dtype=np.float64)
    data = Measured(
        counts=counts, positions=at[:, :3], turns=at[:, 3:], noise=max(noise, 1e-6), turn_noise=0.0, stand=stand
    )
    information = Information(PlacesModel(geometry, data))

    def choose(collection: Collection, left_out: set[int]) -> int | None:
        return information.best([one.pose for one in collection.observations], left_out)

    return choose
