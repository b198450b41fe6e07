"""Motor constants, friction and weight of the translation stage, from driven motion with and without known masses.

    k·I = weight(q) + friction·sign(ω) + damping·ω + inertia(q, ω, dω/dt)

Told: the ratio of all of these to the currents. What makes amperes newtons is a known mass that is fixed to the handle
for a part of the motion; without one a motor gain keeps its nominal value and everything else is relative to it. Not
told apart: masses on the platform from the pull of the balancer, as far as the weight goes; only their inertia differs.

Also told: where gravity points in the frame of the device, which is how its base plate leans. The weight of the arms
turns with them, and that of the known mass hangs on all three; how strong gravity is stays as it is said to be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Parameter
from calibration.syntaxer.currents import LEANS, Asked, CurrentsModel, Gravity
from calibration.syntaxer.delta import ARM, Places, centres_of, dimensions_of, places_of, turns_of
from calibration.syntaxer.motion import Motion
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.state import parts_of

GYRATION = 0.075  # of an arm with its sector, to begin with [m]
FRICTION = 0.015  # to begin with [N·m]
WAYS = ("sideways", "forwards")  # of the device's frame: along y, and along x
HEAVIEST = 5.0  # mass that can be meant [kg]


class Moved(NamedTuple):
    """Everything that one motion says, at n intervals."""

    places: Places
    swings: Floats  # of the elbows with the arms (n, 3, 3) [m/rad]
    omega: Floats  # rates of the arms (n, 3) [rad/s]
    alpha: Floats  # accelerations of the arms (n, 3) [rad/s²]
    elbows: Floats  # accelerations of the elbows (n, 3, 3) [m/s²]
    platform: Floats  # acceleration of the platform (n, 3) [m/s²]
    motion: Motion
    mass: float  # fixed to the handle [kg]


def moved(geometry: Syntaxer, motion: Motion, mass: float) -> Moved:
    """What a motion with a mass on the handle [kg] says about a device of known geometry."""
    dimensions = dimensions_of(geometry)
    per_count = 2.0 * np.pi / (geometry.motor.counts * dimensions[:, 6])
    at = places_of(dimensions, turns_of(geometry, motion.counts))
    swings = centres_of(dimensions, at.angles)[1]
    omega, alpha = motion.rates * per_count, motion.accelerations * per_count
    # An elbow on a circle is drawn to its motor axis: the second derivative of its place with the angle.
    inwards = centres_of(dimensions, at.angles + 0.5 * np.pi)[1]
    elbows = swings * alpha[:, :, None] + inwards * (omega**2)[:, :, None]
    velocity = np.einsum("nij,nj->ni", at.rates, omega)
    apart = velocity[:, None, :] - swings * omega[:, :, None]
    right = np.sum(at.bars * elbows, axis=2) - np.sum(apart * apart, axis=2)
    platform = np.linalg.solve(at.bars, right[:, :, None])[:, :, 0]
    return Moved(at, swings, omega, alpha, elbows, platform, motion, mass)


class TorquesModel(CurrentsModel):
    """Currents of the arms in motions."""

    def __init__(self, geometry: Syntaxer, motions: list[tuple[Motion, float]], noise: float) -> None:
        """Take motions.

        Args:
            geometry: calibrated: places and ratios are taken as they are.
            motions: each with the mass on the handle [kg].
            noise: standard deviation of a current of one interval [A].
        """
        for _, mass in motions:
            if not 0.0 <= mass < HEAVIEST:
                raise DataError(
                    f"a mass of {mass:g} kg on the handle; allowed: 0 to {HEAVIEST:g} kg (grams for kilograms?)"
                )
        if not motions:
            raise DataError("no motion; at least one is needed")
        self.geometry, self.chains = geometry, geometry.chains
        parts = parts_of(geometry)
        per_ampere = np.array([geometry.motor.torque_constant * chain.ratio for chain in geometry.chains])
        seen = [moved(geometry, motion, mass) for motion, mass in motions]
        asked = self._assembled(seen, np.zeros(3), moving=True)
        weight = [self._assembled(seen, along, moving=False) for along in np.eye(3)]
        hanging = Gravity.nominally(np.array(geometry.gravity)), weight
        inertias = [
            chain.arm_mass * GYRATION**2
            + chain.bar_mass * (1.0 - chain.bar_centre) * chain.arm**2
            + geometry.motor.rotor_inertia * chain.ratio**2
            for chain in geometry.chains
        ]
        each = (
            ("motor gain", "", [chain.motor_gain for chain in geometry.chains], 0.1, 3),
            ("dry friction", "N·m", [FRICTION] * 3, 0.01, 0),
            ("damping", "N·m·s/rad", [chain.damping for chain in geometry.chains], 0.02, 0),
            ("moment", "kg·m", parts.chains.moment.tolist(), 1e-3, 1),
            ("inertia", "kg·m²", inertias, 2e-3, 1),
        )
        parameters = (
            *(
                Parameter(name=f"arm {n + 1} {name}", unit=unit, nominal=values[n], typical=typical, keep=keep)
                for name, unit, values, typical, keep in each
                for n in range(3)
            ),
            *(
                Parameter(name=f"balancer {axis}", unit="N", nominal=value, typical=0.3)
                for axis, value in zip("xyz", geometry.balancer, strict=True)
            ),
            Parameter(name="mass on the platform", unit="kg", nominal=float(parts.loads.carried), typical=0.1, keep=2),
            *(Parameter(name=f"gravity leans {way}", unit="rad", nominal=0.0, typical=1e-2, keep=4) for way in WAYS),
        )
        currents = np.concatenate([motion.currents for motion, _ in motions])
        ways = np.concatenate([motion.ways for motion, _ in motions])
        super().__init__(parameters, per_ampere, asked, currents, ways, noise, hanging)

    def _assembled(self, motions: list[Moved], gravity: Floats, *, moving: bool) -> Asked:
        """Torques per parameter (n, 3, 16, from friction on), and torques without any (n, 3).

        Args:
            motions: what was done.
            gravity: that makes weight [m/s²].
            moving: whether what is asked by motion counts too, or weight alone.
        """
        bars = np.array([one.bar_mass * (1.0 / 12.0 - one.bar_centre * (1.0 - one.bar_centre)) for one in self.chains])
        bars = bars if moving else 0.0 * bars
        arms = dimensions_of(self.geometry)[:, ARM]
        columns, constants = [], []
        for one in motions:
            count, rates = len(one.omega), one.places.rates  # of the handle, one column per arm
            column = np.zeros((count, 3, 16))
            for n in range(3):
                column[:, n, 6 + n] = -(one.swings[:, n] @ gravity) / arms[n]
                if moving:
                    column[:, n, n], column[:, n, 3 + n] = one.motion.ways[:, n], one.omega[:, n]
                    column[:, n, 9 + n] = one.alpha[:, n]
            if moving:
                column[:, :, 12:15] = -np.swapaxes(rates, 1, 2)
            felt = (one.platform if moving else 0.0 * one.platform) - gravity  # by a mass on the platform
            column[:, :, 15] = np.einsum("nij,ni->nj", rates, felt)
            pushed = one.platform * bars.sum() - np.einsum("k,nki->ni", bars, one.elbows) + one.mass * felt
            between = np.einsum("nki,nki->nk", one.swings, one.elbows - one.platform[:, None, :])
            columns.append(column)
            constants.append(np.einsum("nij,ni->nj", rates, pushed) + bars * between)
        return Asked(np.concatenate(columns), np.concatenate(constants))

    def numbers(self, values: Floats) -> dict[str, float]:
        """Of the geometry, by name: gains, damping, centres of the arms, and a balancer that makes up for masses."""
        found: dict[str, float] = {}
        for n, chain in enumerate(self.geometry.chains):
            at_elbow = chain.bar_mass * (1.0 - chain.bar_centre) * chain.arm
            found[f"chains.{n + 1}.motor_gain"] = float(values[n])
            found[f"chains.{n + 1}.damping"] = max(float(values[6 + n]), 1e-6)
            found[f"chains.{n + 1}.arm_centre"] = (float(values[9 + n]) - at_elbow) / chain.arm_mass
        assert self.gravity is not None
        gravity = self.gravity.leaning(values[-LEANS:])
        more = float(values[18]) - float(parts_of(self.geometry).loads.carried)
        for axis in range(3):
            found[f"gravity.{axis + 1}"] = float(gravity[axis])
            found[f"balancer.{axis + 1}"] = float(values[15 + axis] + more * gravity[axis])
        return found
