"""What stands on the table beside an emulated syntaxer, and the person who works there during a calibration.

A hand that carries the handle to a place and holds it, leans it against a stop, or lets it go; a jig that clamps it; a
bar that it swings on; weights that are fixed to it, and a cord over a pulley that pulls at it. All of it acts on the
plant as at hardware: by a wrench on the handle, by masses, or by a clamp that is stiffer than anything else.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from sim_devices.hand.paths import minimum_jerk
from sim_devices.syntaxer.plant import Plant
from station.kernel import Floats

FIRM = (12_000.0, 90.0)  # a hand that holds still: stiffness [N/m] and damping [N·s/m]
FIRM_TURN = (12.0, 0.08)  # [N·m/rad], [N·m·s/rad]
GENTLE = 2.5  # force of a hand that leans on a stop [N]
GRAVITY = 9.81  # [m/s²]


class Errors(NamedTuple):
    """Standard deviations of the instruments on the table, per axis."""

    tracker: float = 20e-6  # [m]
    tracker_turn: float = 2e-4  # [rad]
    jig: float = 10e-6  # of a socket [m]
    jig_turn: float = 2e-4  # [rad]


NO_ERRORS = Errors(0.0, 0.0, 0.0, 0.0)


class Table:
    """Takes the place of a scripted hand."""

    def __init__(self, plant: Plant, seed: int = 0, errors: Errors | None = None) -> None:
        self.plant, self.errors = plant, errors or Errors()
        self._random = np.random.default_rng([0x7AB1E, seed])
        self._goal: Floats | None = None  # place and rotation vector that the hand wants [m, rad]
        self._from = np.zeros(6)
        self._seconds, self._began = 0.5, -1.0
        self._strength = np.inf  # of the hand [N]
        self._clamp: Floats | None = None
        self._swing: Floats | None = None  # places one after the other [m]
        self._cord: tuple[Floats, Floats, Floats] | None = None  # force [N], torque per lever [N], where it is held [m]

    # What the person does ---------------------------------------------------------------------------------

    def let_go(self) -> None:
        """Hands off, clamp open; weights and cords stay."""
        self._goal = self._clamp = self._swing = None

    def hold(self, place: ArrayLike, turn: ArrayLike = (0.0, 0.0, 0.0), seconds: float = 0.5) -> None:
        """Carry the handle to a place [m], turned [rad], within a time [s], and hold it there."""
        self._clamp = self._swing = None
        self._from = np.concatenate([self.plant.position, self.plant.rotation_vector])
        self._goal = np.concatenate([np.asarray(place, dtype=np.float64), np.asarray(turn, dtype=np.float64)])
        self._seconds, self._began, self._strength = seconds, -1.0, np.inf

    def lean(self, place: ArrayLike, seconds: float = 0.5) -> None:
        """Push the handle gently towards a place that a stop keeps it from [m]."""
        self.hold(place, (0.0, 0.0, 0.0), seconds)
        self._strength = GENTLE

    def clamp(self, place: ArrayLike, turn: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Lock the handle into a socket of a jig [m, rad]; the socket is where it is up to the errors of jigs."""
        sizes = np.repeat([self.errors.jig, self.errors.jig_turn], 3)
        wanted = np.concatenate([np.asarray(place, dtype=np.float64), np.asarray(turn, dtype=np.float64)])
        self._clamp = wanted + sizes * self._random.standard_normal(6)
        self._goal = self._swing = None
        self.plant.place(self._clamp[:3], self._clamp[3:])

    def swing(self, path: ArrayLike, seconds: float) -> None:
        """Move the handle on a bar along places (n, 3) [m] within a time [s]; a bar is as good as a socket of a jig."""
        self._goal, self._swing = None, np.asarray(path, dtype=np.float64)
        self._seconds, self._began = seconds, -1.0
        self._on_the_bar(0.0)

    def _on_the_bar(self, share: float) -> None:
        """A bar is stiffer than anything else: the handle is where it says."""
        assert self._swing is not None
        self._clamp = np.zeros(6)
        self._clamp[:3] = self._swing[
            round(share * (len(self._swing) - 1))
        ] + self.errors.jig * self._random.standard_normal(3)
        self.plant.place(self._clamp[:3])

    def fix(self, mass: float, place: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Fix a mass [kg] to the plate, at a place from the ball [m]; 0 takes it off."""
        self.plant.load(mass, place)

    def pull(self, mass: float, direction: ArrayLike, place: ArrayLike) -> None:
        """A cord from a place on the plate [m] over a far pulley to a weight [kg]; 0 takes it off."""
        along = np.asarray(direction, dtype=np.float64)
        force = mass * GRAVITY * along / max(float(np.linalg.norm(along)), 1e-12)
        turning = np.cross(np.eye(3), force)  # once, and not with every tick
        self._cord = (force, turning, np.asarray(place, dtype=np.float64)) if mass > 0.0 else None

    # As a hand --------------------------------------------------------------------------------------------

    @property
    def clamped(self) -> bool:
        """Whether the handle cannot move at all."""
        return self._clamp is not None

    def wrench(self, now: float, position: ArrayLike, rotation_vector: ArrayLike, velocity: ArrayLike) -> Floats:
        """On the handle [N, N·m], as of a hand."""
        wrench = np.zeros(6)
        speed, here = np.asarray(velocity), np.concatenate([np.asarray(position), np.asarray(rotation_vector)])
        self._began = now if self._began < 0.0 else self._began
        if self._swing is not None:
            self._on_the_bar(min((now - self._began) / self._seconds, 1.0))
        if self._goal is not None:
            share, rate = minimum_jerk(min(now - self._began, self._seconds), self._seconds)
            way = self._goal - self._from
            off, slip = self._from + share * way - here, rate * way - speed
            muscle = FIRM[0] * off[:3]
            if self._strength < np.inf:
                muscle *= min(1.0, self._strength / max(float(np.linalg.norm(muscle)), 1e-12))
            wrench[:3] = muscle + FIRM[1] * slip[:3]
            wrench[3:] = FIRM_TURN[0] * off[3:] + FIRM_TURN[1] * slip[3:]
        if self._cord is not None:
            force, turning, place = self._cord
            wrench[:3] += force
            wrench[3:] += (self.plant.pose[:3, :3] @ place) @ turning
        return wrench

    def buttons(self, _now: float) -> int:
        """None is pressed."""
        return 0

    def grip(self, _now: float) -> float:
        """Open."""
        return 0.0
