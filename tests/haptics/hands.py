"""Hands that move as told, walls that are felt, and the true energy at the port between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from station.haptics import Body, Contact, Coupling, HapticRenderer, HapticSettings, Inputs, Limits, Method, Stability
from station.kernel import Floats, Record

FINE = 20  # points of the true way per tick


class Trouble(NamedTuple):
    """What happens to samples on their way."""

    quantum: float = 0.0  # encoder step [m]
    jitter: float = 0.0  # of the time of a tick, as part of the period
    dropped: float = 0.0  # share of ticks without a new sample
    lost: tuple[int, ...] = ()  # ticks whose samples get lost besides


CLEAN = Trouble()
ALL_TROUBLES = Trouble(quantum=30e-6, jitter=0.2, dropped=0.1)


class Felt(NamedTuple):
    """What came of it."""

    energy: Floats  # true energy that went into the port after each tick: forces and the device's own losses [J]
    forces: Floats  # n×6 [N, N·m]
    ledger: Floats  # what the renderer thought of the same [J]

    @property
    def lowest(self) -> float:
        """Least energy at the port [J]; below zero some was generated."""
        return float(self.energy.min())


def reals_of(record: Record) -> Floats:
    """All real numbers of a record, one after the other."""
    parts = [np.zeros(0)]
    for name, one in record.fields.items():
        if one.record is not None:
            parts.append(reals_of(getattr(record, name)))
        elif one.form == "f8":
            parts.append(np.ravel(getattr(record, name)))
    return np.concatenate(parts)


def generated_since_free(felt: Felt, way: Floats) -> float:
    """Most energy that came out since a moment in free space [J]: earlier losses of the device pay for nothing."""
    free = way[::FINE, 0][1 : len(felt.energy) + 1] < -1e-4
    highest = np.maximum.accumulate(np.where(free, felt.energy, -np.inf))
    return float((highest - felt.energy).max())


def stiff_settings(method: Method, stiffness: float, body: Body | None = None, period: float = 1e-3) -> HapticSettings:
    """A wall far above the bound, with engagement already there."""
    return HapticSettings(
        coupling=Coupling(stiffness=stiffness, damping=0.0),
        body=body or Body(),
        contact=Contact(on=False),
        stability=Stability(method=method, period=period),
        limits=Limits(ramp_in=1e-3),
    )


def sines(seed: int, seconds: float = 2.0) -> Floats:
    """A random hand in and out of a wall at 0: n×3 [m], FINE points per millisecond."""
    random = np.random.default_rng(seed)
    times = np.arange(int(seconds * 1000) * FINE) / (1000.0 * FINE)
    way = np.zeros((times.size, 3))
    for axis in range(3):
        for frequency in random.uniform(0.3, 12.0, 5):
            size = random.uniform(0.2, 1.0) * 0.02 / (1.0 + frequency)
            way[:, axis] += size * np.sin(2.0 * np.pi * frequency * times + random.uniform(0.0, 6.28))
    return way


def from_outside(seed: int) -> Floats:
    """The same from a moment in front of the wall on: no spring is stretched when it engages."""
    way = sines(seed)
    way[:, 0] -= np.median(way[:, 0])
    return way[int(np.argmax(way[:, 0] < -1e-3)) // FINE * FINE :]


def reversals(seed: int, seconds: float = 2.0) -> Floats:
    """Straight ways at up to 0.5 m/s, turned round within 8 ms: n×3 [m]."""
    random = np.random.default_rng(seed)
    count = int(seconds * 1000) * FINE
    speed = np.zeros(count)
    start = 0
    while start < count:
        end = start + int(random.uniform(15.0, 60.0) * FINE)
        speed[start:end] = random.uniform(0.1, 0.5) * (-1.0 if (speed[start - 1] > 0.0) else 1.0)
        start = end
    kernel = np.ones(8 * FINE) / (8 * FINE)
    speed = np.convolve(speed, kernel, "same")
    way = np.zeros((count, 3))
    way[:, 0] = np.cumsum(speed) / (1000.0 * FINE)
    way[:, 0] -= way[:, 0].mean()
    return way


def proxy_of(place: Floats) -> Floats:
    """A god-object in front of a wall that fills x > 0."""
    return np.array([min(place[0], 0.0), place[1], place[2]])


@dataclass
class Session:
    """One hand at one renderer; the hand does as it likes, whatever the force."""

    settings: HapticSettings
    trouble: Trouble = CLEAN
    seed: int = 0
    inputs: Inputs = field(default_factory=Inputs)

    def run(self, way: Floats, renderer: HapticRenderer | None = None) -> Felt:
        """Let the hand go its way; ticks are a millisecond, more or less."""
        renderer = renderer or HapticRenderer(self.settings)
        random, body = np.random.default_rng(self.seed), self.settings.body
        ticks = len(way) // FINE - 1
        at = (
            np.arange(ticks + 1) * FINE + np.rint(random.uniform(-0.5, 0.5, ticks + 1) * self.trouble.jitter * FINE)
        ).astype(int)
        at = np.clip(at, 0, len(way) - 1)
        fine = 1.0 / (1000.0 * FINE)
        pieces = np.linalg.norm(np.diff(way, axis=0), axis=1)
        losses = np.concatenate([[0.0], np.cumsum(body.damping * pieces**2 / fine + body.friction * pieces)])
        energy, forces, ledger, rendered = np.zeros(ticks), np.zeros((ticks, 6)), np.zeros(ticks), 0.0
        for k in range(ticks):
            here, now = way[at[k]], float(at[k]) * fine
            fresh = k == 0 or (random.random() >= self.trouble.dropped and k not in self.trouble.lost)
            self._tell(here, now, fresh)
            answer = renderer.tick(self.inputs)
            forces[k] = answer.wrench
            rendered -= float(answer.wrench[:3] @ (way[at[k + 1]] - here))
            energy[k] = rendered + losses[at[k + 1]] - losses[at[0]]
            ledger[k] = answer.energy.rendered + answer.energy.dissipated
        return Felt(energy, forces, ledger)

    def _tell(self, here: Floats, now: float, fresh: bool) -> None:
        """Fill the inputs with a sample, or keep the last one."""
        if fresh:
            quantum = self.trouble.quantum
            place = np.rint(here / quantum) * quantum if quantum > 0.0 else here
            self.inputs.hand[:], self.inputs.proxy[:] = place, proxy_of(place)
        self.inputs.at(now, fresh=fresh)
