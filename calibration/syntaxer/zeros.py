"""Encoder zeros without instruments: by the stops of the arms, or by a rest jig with one socket.

Stops are where the drawing says up to their tolerance, so zeros by stops are coarse; but they also tell the gear ratio,
and a device that has just been switched on can find them alone. A rest jig tells the zeros as well as its socket is
made, for the geometry that is known.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.judge import Estimated
from calibration.parameters import Floats, Ints, Parameter, Rows
from calibration.syntaxer.delta import dimensions_of, turns_of
from station.devices.syntaxer import Syntaxer, SyntaxerModel
from station.devices.syntaxer.translation import survey

FURTHEST = 0.2  # of a zero from nominal, beyond which something else is wrong [rad]
TOLERANCE = 1.2e-3  # of the angle of a stop, standard deviation [rad]


class StopsModel:
    """Arms that were pressed against their stops."""

    def __init__(self, nominal: Syntaxer, arms: Ints, ends: Ints, counts: Floats, tolerance: float = TOLERANCE) -> None:
        """Take counts.

        Args:
            nominal: the device as it is said to be.
            arms: which arm was pressed, 0 to 2 (n).
            ends: against which stop, 0 low (towards the plate), 1 high (n).
            counts: of that arm (n).
            tolerance: of the angle of a stop, standard deviation [rad].
        """
        for arm in range(3):
            pressed = {int(end) for end in ends[arms == arm]}
            if pressed != {0, 1}:
                raise DataError(f"arm {arm + 1} was pressed against {len(pressed)} of its 2 stops")
        stops = np.array([nominal.stops.motor_low, nominal.stops.motor_high])
        self.arms, self.wanted = arms, stops[ends]
        spread = np.repeat(counts[:, None], 3, axis=1)
        self.turns = turns_of(nominal, spread)[np.arange(len(counts)), arms]
        # Pressing again does not make the stop better known: each time counts so little that all together are one.
        times = np.array([int(np.sum((arms == arm) & (ends == end))) for arm, end in zip(arms, ends, strict=True)])
        self.noise = tolerance * np.sqrt(times)
        each = [np.ptp(self.turns[(arms == arm) & (ends == end)]) for arm in range(3) for end in range(2)]
        self.repeated_within = float(np.max(each)) / min(chain.ratio for chain in nominal.chains)  # of an arm [rad]
        chains = nominal.chains
        self._parameters = (
            *(
                Parameter(name=f"chain {n} zero", unit="rad", nominal=chain.zero, typical=3e-2)
                for n, chain in enumerate(chains, start=1)
            ),
            *(
                Parameter(name=f"chain {n} ratio", unit="", nominal=chain.ratio, typical=0.1, keep=1)
                for n, chain in enumerate(chains, start=1)
            ),
        )

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Zeros, then ratios."""
        return self._parameters

    @property
    def observations(self) -> int:
        """Presses."""
        return len(self.turns)

    def rows(self, values: Floats, which: Ints) -> Rows:
        """Angles by counts against angles of the stops."""
        arms, turns, each = self.arms[which], self.turns[which], np.arange(len(which))
        ratio = values[3 + arms]
        jacobian = np.zeros((len(which), 1, 6))
        jacobian[each, 0, arms] = 1.0
        jacobian[each, 0, 3 + arms] = -turns / ratio**2
        residuals = values[arms] + turns / ratio - self.wanted[which]
        noise = self.noise[which]
        return Rows((residuals / noise)[:, None], jacobian / noise[:, None, None])

    def numbers(self, values: Floats) -> dict[str, float]:
        """Of the geometry, by name."""
        return {
            f"chains.{arm + 1}.{name}": float(values[3 * k + arm])
            for k, name in enumerate(("zero", "ratio"))
            for arm in range(3)
        }


class JigZeros(NamedTuple):
    """Zeros by a rest jig."""

    numbers: dict[str, float | int]  # of the geometry, by name
    estimated: tuple[Estimated, ...]
    data_hash: str


def zeros_by_jig(geometry: Syntaxer, counts: Floats, place: Floats, noise: float) -> JigZeros:
    """Zeros of arms and strings from the one place that a rest jig holds the handle at, not turned.

    Args:
        geometry: with whatever is known of it.
        counts: of the six encoders in the jig, means of some (n, 6) or of one time (6).
        place: of the socket, device frame [m].
        noise: standard deviation of that place, per axis [m].
    """
    held = np.atleast_2d(counts)
    middle = held.mean(axis=0)
    if float(np.ptp(held, axis=0).max()) * 2.0 * np.pi / (16.0 * geometry.motor.counts) > 5e-3:
        raise DataError("the handle moved in the rest jig; press it in and measure again")
    model = SyntaxerModel(geometry)
    found = survey(model.parts, place)
    if not found.inside:
        raise DataError(f"a rest jig at {np.array2string(1e3 * np.asarray(place), precision=1)} mm is out of reach")
    step = model.parts.chains.angle_per_count
    turns = (turns_of(geometry, middle[None])[0]) / dimensions_of(geometry)[:, 6]
    zeros = found.angles[0] - turns
    before = dimensions_of(geometry)[:, 5]
    worst = int(np.argmax(np.abs(zeros - before)))
    if abs(zeros[worst] - before[worst]) > FURTHEST:
        raise DataError(
            f"arm {worst + 1} would be {np.degrees(zeros[worst] - before[worst]):.1f}° off its zero; "
            "is the handle in the rest jig, and the device of this calibration?"
        )
    angles = np.linalg.norm(np.linalg.inv(found.jacobians[0]), axis=1) * noise
    spread = np.sqrt(angles**2 + step**2 / 12.0)
    numbers: dict[str, float | int] = {f"chains.{n + 1}.zero": float(zeros[n]) for n in range(3)}
    numbers |= {f"home.{4 + n}": round(float(middle[3 + n])) for n in range(3)}
    estimated = tuple(
        Estimated(f"chain {n + 1} zero", "rad", float(before[n]), float(zeros[n]), float(spread[n]), False)
        for n in range(3)
    )
    digest = hashlib.sha256(np.ascontiguousarray(held, dtype="<f8").tobytes()).hexdigest()
    return JigZeros(numbers, estimated, digest)
