"""Swings of the handle on a bar: where its ball is to stand, and how the handle goes all over what it reaches there.

A bar tells little at one place and something else at the next, so it matters where its ball stands: stands are taken
one after the other, each time the one after which the handle would be known best all over the workspace.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from calibration.errors import DataError
from calibration.parameters import Flags, Floats
from calibration.syntaxer.delta import COUNT, NAMES, RATIO, ZERO, dimensions_of, place_slopes, places_of
from calibration.syntaxer.geometry import chain_parameters
from station.devices.syntaxer import Cylinder, Syntaxer
from station.devices.syntaxer.state import parts_of
from station.devices.syntaxer.translation import survey

STANDS = 6
CHOICE = 120  # stands to choose from
CLEAR = 0.05  # that a ball stays off the workspace, so that it is in nobody's way [m]
INSIDE = 0.97  # of the radius of the workspace: the outermost places are near stops
EDGE = 0.003  # that a swing stays off the ends of the workspace [m]
WIDEST = 1.2  # swing to any side [rad]
LEAST_SWING = 0.2  # radius of a swing over the length of the bar, below which a stand is not worth its foot
CORE = 0.02  # share of a swing's area, in its middle, that is left out: so tight a turn is too quick
RINGS, SPOKES = 5, 12  # places of a swing by which a stand is judged
SAMPLES = 500  # places that a swing will have, about
SPREAD = 1.5e-5  # standard deviation of a distance, about [m]


class Cap(NamedTuple):
    """What the handle reaches on a bar: a part of a sphere about its ball."""

    foot: Floats  # where the ball stands [m]
    length: float  # of the bar [m]
    axes: Floats  # to the middle of the cap, and across it (3, 3), one row each
    reach: Floats  # how far it goes from the middle, at even angles about it [rad]

    def place(self, about: Floats, share: Floats) -> Floats:
        """At angles about the middle [rad] and shares of the way to the edge (n): places (n, 3) [m]."""
        count = len(self.reach)
        at = np.mod(about, 2.0 * np.pi) * count / (2.0 * np.pi)
        tilt = share * np.interp(at, np.arange(count + 1), np.append(self.reach, self.reach[0]))
        across = np.cos(about)[:, None] * self.axes[1] + np.sin(about)[:, None] * self.axes[2]
        way = np.cos(tilt)[:, None] * self.axes[0] + np.sin(tilt)[:, None] * across
        return np.asarray(self.foot + self.length * way)

    def spiral(self, way: float, count: int) -> Floats:
        """Places (n, 3) at even distances on a way of about so much [m] from the middle to the edge and back."""
        turns = way / (2.0 * np.pi * self.length * float(self.reach.mean()))

        def places(shares: Floats) -> Floats:
            radius = np.sqrt(CORE + (1.0 - CORE) * 2.0 * np.minimum(shares, 1.0 - shares))
            return self.place(2.0 * np.pi * turns * np.where(shares < 0.5, radius, 2.0 - radius), radius)

        shares = np.linspace(0.0, 1.0, count)
        gone = np.cumsum(np.linalg.norm(np.diff(places(shares), axis=0), axis=1))
        return places(np.interp(np.linspace(0.0, gone[-1], count), np.append(0.0, gone), shares))


def cap_at(cylinder: Cylinder, foot: Floats, length: float) -> Cap | None:
    """What a bar of this length [m] reaches from a foot [m]; None if that is hardly anything."""
    middle = np.array([0.5 * (cylinder.near + cylinder.far), 0.0, 0.0])
    axis = middle - foot
    if not (size := float(np.linalg.norm(axis))):
        return None
    axis /= size
    if not _inside(cylinder, foot + length * axis):
        return None
    aside = np.cross(axis, [1.0, 0.0, 0.0] if abs(axis[0]) < 0.8 else [0.0, 1.0, 0.0])
    aside /= np.linalg.norm(aside)
    tilts = np.linspace(0.0, WIDEST, 121)
    angles = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    axes = np.stack([axis, aside, np.cross(axis, aside)])
    open_cap = Cap(foot, length, axes, np.ones(len(angles)))
    tried = open_cap.place(np.repeat(angles, len(tilts)), np.tile(tilts, len(angles))).reshape(len(angles), -1, 3)
    reached = np.cumprod(_inside(cylinder, tried), axis=1).sum(axis=1) - 1  # as far as no place before is outside
    if float(tilts[reached].mean()) < LEAST_SWING:
        return None
    smooth = np.minimum.reduce([np.roll(reached, shift) for shift in (-1, 0, 1)])
    return open_cap._replace(reach=tilts[smooth])


def _inside(cylinder: Cylinder, places: Floats) -> Flags:
    """Which places (…, 3) [m] a swing may go to."""
    x, radius = places[..., 0], np.hypot(places[..., 1], places[..., 2])
    between = (x > cylinder.near + EDGE) & (x < cylinder.far - EDGE)
    return np.asarray(between & (radius < INSIDE * cylinder.radius))


@lru_cache(maxsize=8)
def bar_stands(geometry: Syntaxer, length: float, count: int = STANDS) -> tuple[tuple[float, float, float], ...]:
    """Where the ball of a bar of this length [m] is to stand [m], those that tell most first."""
    caps = _choice(geometry.cylinder, length)
    if len(caps) < count:
        raise DataError(f"a bar of {1e3 * length:g} mm does not reach the workspace from enough stands; use 200 mm")
    told = _information(geometry, caps)
    spread = _workspace_slopes(geometry)
    known = np.eye(told.shape[1])
    taken: list[int] = []
    for _ in range(count):
        errors = np.einsum("sj,njk,sk->n", spread, np.linalg.inv(known + told), spread)
        errors[taken] = np.inf
        taken.append(int(np.argmin(errors)))
        known = known + told[taken[-1]]
    return tuple((float(x), float(y), float(z)) for x, y, z in (caps[number].foot for number in taken))


def _choice(cylinder: Cylinder, length: float) -> list[Cap]:
    random, caps = np.random.default_rng(6), []
    around = cylinder.radius + length
    for _ in range(40 * CHOICE):
        foot = random.uniform([cylinder.near, -around, -around], [cylinder.far + length, around, around])
        before, beside = foot[0] > cylinder.far + CLEAR, np.hypot(foot[1], foot[2]) > cylinder.radius + CLEAR
        cap = cap_at(cylinder, np.round(foot, 2), length) if before or beside else None
        if cap is not None:
            caps.append(cap)
        if len(caps) == CHOICE:
            break
    return caps


def _free() -> list[int]:
    """What a bar can tell: all but the platform radii and the azimuth of the first chain."""
    return [number for number in range(1, COUNT) if number % len(NAMES) != NAMES.index("platform_radius")]


def _slopes(geometry: Syntaxer, places: Floats) -> Floats:
    """How the handle moves at places [m] with what a bar can tell (n, 3, k) [m per typical error]."""
    dimensions = dimensions_of(geometry)
    turns = (survey(parts_of(geometry), places).angles - dimensions[:, ZERO]) * dimensions[:, RATIO]
    typical = np.array([one.typical for one in chain_parameters(geometry)])
    return np.asarray((place_slopes(dimensions, turns, places_of(dimensions, turns)) * typical)[:, :, _free()])


def _information(geometry: Syntaxer, caps: list[Cap]) -> Floats:
    """What a swing on each cap would tell, the place of its ball being unknown (caps, k, k)."""
    shares = np.repeat(np.sqrt((np.arange(RINGS) + 0.5) / RINGS), SPOKES)
    about = np.tile(2.0 * np.pi * np.arange(SPOKES) / SPOKES, RINGS)
    places = np.array([cap.place(about, shares) for cap in caps])
    slopes = _slopes(geometry, places.reshape(-1, 3)).reshape(*places.shape, -1)
    told = []
    for cap, at, slope in zip(caps, places, slopes, strict=True):
        along = (at - cap.foot) / cap.length
        rows = np.einsum("ni,nij->nj", along, slope)
        rows -= along @ np.linalg.lstsq(along, rows, rcond=None)[0]
        told.append(rows.T @ rows * (SAMPLES / len(at) / SPREAD**2))
    return np.array(told)


def _workspace_slopes(geometry: Syntaxer) -> Floats:
    """How the handle moves all over the workspace with what a bar can tell (m, k) [m per typical error]."""
    cylinder = geometry.cylinder
    turns = 2.0 * np.pi * np.arange(8) / 8
    places = [
        [x, radius * np.cos(turn), radius * np.sin(turn)]
        for x in np.linspace(cylinder.near + EDGE, cylinder.far - EDGE, 3)
        for radius in (0.5 * cylinder.radius, INSIDE * cylinder.radius)
        for turn in turns
    ]
    slopes = _slopes(geometry, np.array(places))
    return slopes.reshape(-1, slopes.shape[2])
