"""Syntaxers for these tests: the published one, one out of true as after calibration, and places in their workspace."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from station.devices.syntaxer import Chain, Strut, Syntaxer, SyntaxerModel

Array = NDArray[np.float64]

FIFTEEN = np.radians(15.0)


def published() -> Syntaxer:
    return Syntaxer()


def out_of_true() -> Syntaxer:
    """Every dimension a little off, no two chains or struts alike, the plate leaning."""
    dice = np.random.default_rng(11)

    def off(value: float, by: float) -> float:
        return float(value + dice.uniform(-by, by))

    def bent(chain: Chain) -> Chain:
        return replace(
            chain,
            azimuth=off(chain.azimuth, 0.004),
            base_radius=off(chain.base_radius, 5e-4),
            platform_radius=off(chain.platform_radius, 5e-4),
            arm=off(chain.arm, 5e-4),
            bar=off(chain.bar, 5e-4),
            zero=off(0.0, 0.01),
            arm_mass=off(chain.arm_mass, 0.01),
            bar_mass=off(chain.bar_mass, 0.005),
            bar_centre=off(0.5, 0.1),
        )

    def shifted(strut: Strut) -> Strut:
        anchor, point = (np.array(place) + dice.uniform(-1e-3, 1e-3, 3) for place in (strut.anchor, strut.point))
        return replace(strut, anchor=tuple(anchor.tolist()), point=tuple(point.tolist()), spring=off(400.0, 20.0))

    fine = Syntaxer()
    a, b, c = map(bent, fine.chains)
    d, e, f = map(shifted, fine.paramat.struts)
    paramat = replace(fine.paramat, struts=(d, e, f), handle_centre=(0.02, 0.003, -0.004))
    home = (5, -7, 2**31 - 100, -(2**31) + 50, 3, 9)
    return replace(
        fine, chains=(a, b, c), paramat=paramat, home=home, gravity=(1.0, -0.5, -9.7), balancer=(0.1, -0.2, 2.5)
    )


BOTH = {"published": published(), "out of true": out_of_true()}


def in_cylinder(geometry: Syntaxer, count: int, seed: int = 5) -> Array:
    """Places of the handle evenly in the cylinder [m]."""
    dice, cylinder = np.random.default_rng(seed), geometry.cylinder
    radius = cylinder.radius * np.sqrt(dice.random(count))
    angle = dice.uniform(0.0, 2.0 * np.pi, count)
    return np.stack(
        [dice.uniform(cylinder.near, cylinder.far, count), radius * np.cos(angle), radius * np.sin(angle)], axis=1
    )


def rotations(count: int, seed: int = 6) -> Array:
    """Rotation vectors of the cube of ±15°, every other one in a corner [rad]."""
    vectors = np.random.default_rng(seed).uniform(-FIFTEEN, FIFTEEN, (count, 3))
    vectors[1::2] = FIFTEEN * np.sign(vectors[1::2])
    return vectors


def placed(geometry: Syntaxer, position: Array, vector: Array) -> SyntaxerModel:
    """A model at a place and rotation, to the nearest count."""
    model = SyntaxerModel(geometry)
    put(model, position, vector)
    return model


def in_the_middle(geometry: Syntaxer | None = None) -> SyntaxerModel:
    """A model in the middle of its workspace, not turned."""
    model = SyntaxerModel(geometry)
    put(model, model.middle, np.zeros(3))
    return model


def put(model: SyntaxerModel, position: Array, vector: Array) -> Array:
    """Move a model to a place and rotation, to the nearest count; returns the pose."""
    return model.pose(model.counts_of(model.joints_at(position, vector).values))


def matrix(vector: Array) -> Array:
    """Rotation matrix of a rotation vector [rad]."""
    return np.asarray(Rotation.from_rotvec(vector).as_matrix())
