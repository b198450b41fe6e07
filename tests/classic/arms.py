"""Robots for these tests, straight from numbers in SI units."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from station.mad.scene import Base, Frame, Interval, Link, Parameters, Robot, Vector
from station.mad.units import JointType
from station.mechanism.classic import Chain
from station.mechanism.classic.results import Floats

TIP = 99


def link(
    name: int, pred: int, *, slides: bool = False, limits: tuple[float, float] | None = None, **parameters: float
) -> Link:
    return Link(
        id=name,
        pred=pred,
        joint=JointType.PRISMATIC if slides else JointType.REVOLUTE,
        parameters=Parameters(**({"theta": 0.0, "r": 0.0, "alpha": 0.0, "d": 0.0} | parameters)),
        limits=None if limits is None else Interval(*limits),
    )


def robot(links: Sequence[Link], tip: tuple[float, float, float], frames: Sequence[Frame] = ()) -> Robot:
    """A robot with its tip, frame 99, on the last link."""
    end = Frame(id=TIP, pos=Vector(*tip), pred=links[-1].id)
    return Robot(name="test", base=Base(), links=tuple(links), frames=(*frames, end))


def planar(lengths: Sequence[float], limits: Sequence[tuple[float, float] | None] | None = None) -> Robot:
    """An arm of parallel axes in the plane z = 0."""
    stops = limits or [None] * len(lengths)
    before = (0.0, *lengths)
    links = [link(i + 1, i, d=before[i], limits=stops[i]) for i in range(len(lengths))]
    return robot(links, (lengths[-1], 0.0, 0.0))


def universal(pairs: int, limits: tuple[float, float] | None = None, apart: float = 0.0) -> Robot:
    """Links of 1 m on universal joints; `apart`: the axes of each pair miss each other by this [m]."""
    links = []
    for i in range(pairs):
        links.append(link(2 * i + 1, 2 * i, d=1.0 if i else 0.0, alpha=-math.pi / 2 if i else 0.0, limits=limits))
        links.append(link(2 * i + 2, 2 * i + 1, alpha=math.pi / 2, d=apart, limits=limits))
    return robot(links, (1.0, 0.0, 0.0))


def two_link(limits: tuple[float, float] | None = None) -> Robot:
    return planar([1.0, 1.0], [None, limits])


def at(x: float, y: float, z: float = 0.0) -> Floats:
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def random_postures(chain: Chain, count: int, seed: int = 0) -> Iterator[Floats]:
    """Joint values within the stops, at most half a turn from 0."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        yield random.uniform(np.maximum(chain.low, -math.pi), np.minimum(chain.high, math.pi))


def figure_eight(steps: int) -> Iterator[Floats]:
    """One lap, for an arm of nine links of 1 m."""
    for i in range(steps):
        phase = 2.0 * math.pi * i / steps
        yield at(5.0 + 2.0 * math.sin(phase), 1.5 * math.sin(2.0 * phase))
