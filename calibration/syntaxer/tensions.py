"""Motor constants, springs and friction of the rotation stage (PARAMAT), from turning it by its own strings.

    pull·I + spring·Δl + friction·sign(v) + damping·v + inertia·dv/dt = what the loads on the plate ask of the string

Nobody touches the handle. Told: the ratio of all of these to the currents; a known weight on a lever makes amperes
newtons. Gravity turns about level axes only, so the string that turns about the upright one needs a cord over a pulley;
without one its gain is told some times worse, by what the other rotations mix in.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Floats, Parameter
from calibration.syntaxer.currents import Asked, CurrentsModel
from calibration.syntaxer.motion import Motion
from station.devices.syntaxer import Syntaxer
from station.devices.syntaxer.rotation import rotation_from
from station.devices.syntaxer.state import Parts, parts_of

FRICTION, DAMPING = 0.08, 0.5  # to begin with [N, N·s/m]
GYRATION = 0.025  # of plate and handle, about their centre of mass [m]
GRAVITY = 9.81  # of weights on a cord [m/s²]
Triple = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Load:
    """What hangs on the plate: a mass on a lever, and a weight on a cord over a pulley."""

    mass: float = 0.0  # [kg]
    place: Triple = (0.0, 0.0, 0.0)  # on the plate, from the ball [m]
    cord: float = 0.0  # weight on the cord [kg]
    way: Triple = (0.0, 1.0, 0.0)  # of the cord, device frame
    held: Triple = (0.0, 0.0, 0.0)  # where on the plate the cord is held, from the ball [m]

    def __post_init__(self) -> None:
        if not (0.0 <= self.mass < 2.0 and 0.0 <= self.cord < 2.0):
            raise DataError(f"weights of {self.mass:g} and {self.cord:g} kg on the plate; allowed: 0 to 2 kg")
        if max(map(abs, (*self.place, *self.held))) > 1.0:
            raise DataError("a lever longer than 1 m: millimetres for metres")


class TensionsModel(CurrentsModel):
    """Currents of the strings in motions."""

    def __init__(self, geometry: Syntaxer, motions: list[tuple[Motion, Load]], noise: float) -> None:
        """Take motions.

        Args:
            geometry: calibrated: lengths of strings and rotations are taken as they are.
            motions: of the strings, each with what hung on the plate.
            noise: standard deviation of a current of one interval [A].
        """
        if not motions:
            raise DataError("no motion; at least one is needed")
        self.geometry = geometry
        parts = parts_of(geometry)
        struts, motor = geometry.paramat.struts, geometry.paramat.motor
        per_ampere = np.array([motor.torque_constant * strut.ratio / strut.drum_radius for strut in struts])
        self.drums = np.array([motor.rotor_inertia * (strut.ratio / strut.drum_radius) ** 2 for strut in struts])
        pieces = [self._assembled(parts, motion, load) for motion, load in motions]
        moment = geometry.paramat.handle_mass * np.array(geometry.paramat.handle_centre)
        each = (
            ("motor gain", "", [strut.motor_gain for strut in struts], 0.1, 2),
            ("spring", "N/m", [strut.spring for strut in struts], 40.0, 1),
            ("dry friction", "N", [FRICTION] * 3, 0.05, 0),
            ("damping", "N·s/m", [DAMPING] * 3, 1.0, 0),
        )
        parameters = (
            *(
                Parameter(name=f"string {n + 1} {name}", unit=unit, nominal=values[n], typical=typical, keep=keep)
                for name, unit, values, typical, keep in each
                for n in range(3)
            ),
            *(
                Parameter(name=f"handle moment {axis}", unit="kg·m", nominal=float(value), typical=5e-4, keep=1)
                for axis, value in zip("xyz", moment, strict=True)
            ),
        )
        asked = Asked(
            np.concatenate([piece.columns for piece in pieces]), np.concatenate([piece.constant for piece in pieces])
        )
        currents = np.concatenate([motion.currents for motion, _ in motions])
        ways = np.concatenate([motion.ways for motion, _ in motions])
        super().__init__(parameters, per_ampere, asked, currents, ways, noise)

    def _assembled(self, parts: Parts, motion: Motion, load: Load) -> Asked:
        """Tensions per parameter (n, 3, 12, from springs on) and tensions without any (n, 3)."""
        per_count, neutral = parts.struts.length_per_count, parts.struts.neutral
        paid_out = (motion.counts - np.array(self.geometry.home[3:], dtype=np.float64)) * per_count
        gravity = np.array(self.geometry.gravity)
        columns, constant = np.zeros((len(paid_out), 3, 12)), np.zeros((len(paid_out), 3))
        points, anchors = parts.struts.point, parts.struts.anchor
        along = np.array(load.way) / np.linalg.norm(load.way)
        accelerations, inertia = motion.accelerations * per_count, self._inertia(load)
        for number, paid in enumerate(paid_out):
            turned = rotation_from(parts, neutral + paid)
            if turned is None:
                raise DataError(f"interval {number}: no rotation fits the counts of the strings; did one hang through?")
            at = points @ turned.T
            lines = at - anchors
            slopes = np.cross(at, lines) / np.linalg.norm(lines, axis=1)[:, None]
            ask = np.linalg.inv(slopes.T)  # tensions per torque on the plate
            weight = np.cross(turned @ load.place, load.mass * gravity)
            weight += np.cross(turned @ load.held, load.cord * GRAVITY * along)
            constant[number] = ask @ (weight - inertia @ np.linalg.solve(slopes, accelerations[number]))
            for axis in range(3):
                columns[number, :, 9 + axis] = ask @ np.cross(turned[:, axis], gravity)
        constant -= self.drums * accelerations
        for n in range(3):
            columns[:, n, n], columns[:, n, 3 + n] = -paid_out[:, n], -motion.ways[:, n]
            columns[:, n, 6 + n] = -motion.rates[:, n] * per_count[n]
        return Asked(columns, constant)

    def _inertia(self, load: Load) -> Floats:
        """Of plate, handle and load about the ball, as if not turned: the motion is slow [kg·m²]."""
        paramat = self.geometry.paramat
        total = paramat.handle_mass * GYRATION**2 * np.eye(3)
        for mass, place in ((paramat.handle_mass, paramat.handle_centre), (load.mass, load.place)):
            at = np.array(place)
            total += mass * (at @ at * np.eye(3) - np.outer(at, at))
        return np.asarray(total)

    def numbers(self, values: Floats) -> dict[str, float]:
        """Of the geometry, by name."""
        found: dict[str, float] = {}
        for n in range(3):
            found[f"paramat.struts.{n + 1}.motor_gain"] = float(values[n])
            found[f"paramat.struts.{n + 1}.spring"] = float(values[3 + n])
            found[f"paramat.handle_centre.{n + 1}"] = float(values[12 + n]) / self.geometry.paramat.handle_mass
        return found
