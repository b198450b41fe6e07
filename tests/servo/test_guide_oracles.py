"""Oracles of the fact sheet on virtual humans for guides, through the whole tick; see also test_oracles.py.

Sections 3.1 and 3.5 of the sheet: springs that disagree, and guides as virtual mechanisms.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.haptics import Cause, LineGuide, Method, PointGuide
from station.haptics.guides import Guide
from station.servo.rig import Wanted
from station.servo.shared import LayGuide, Reason, SetGain
from tests.servo.rigs import Bench, ideal
from tests.servo.test_oracles import ROOM, SEAT, at


@contextmanager
def room(folder: Path, *guides: Guide) -> Iterator[Bench]:
    """Engaged in a free room with guides laid by command."""
    with ideal(ROOM, folder, Wanted(method=Method.COUPLING_ONLY), force=100.0) as bench:
        for cause in (Cause.COUPLING, Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
            bench.servo.part.orders.decide(SetGain(cause, 0.0))
        bench.engage()
        for place, guide in enumerate(guides):
            answer = bench.servo.part.orders.decide(LayGuide(place, tuple(guide.row()[:19])))
            assert answer is Reason.ACCEPTED
        bench.ticks(300)
        yield bench


def settled(bench: Bench, demand: Any, stiffness: float, ticks: int = 4000) -> Any:
    """Where a hand comes to rest that wants to be somewhere, by its own spring [N/m] and 20 N·s/m; world axes."""
    place, wanted = bench.device.place.copy(), SEAT.T @ np.asarray(demand, float)
    for _ in range(ticks):
        force = at(bench, place)
        place = place + bench.servo.period / 20.0 * (force + stiffness * (wanted - place))
    return SEAT @ place


def test_off_a_guide_stays_what_the_two_springs_leave(tmp_path: Path) -> None:
    """k_c·e/(k_c + k_i): 200 and 2000 N/m, e = (50, -20) mm → (4.545, -1.818) mm; along the guide exact (3.5)."""
    guide = LineGuide(stiffness=2000.0, damping=1.0, radius=0.0, force=100.0, direction=(0.0, 0.0, 1.0))
    with room(tmp_path, guide) as bench:
        rest = settled(bench, [0.050, -0.020, 0.070], 200.0)
    assert rest[:2] == pytest.approx([4.5454545e-3, -1.8181818e-3], abs=1e-8)
    assert rest[2] == pytest.approx(0.070, abs=1e-8)


def test_two_springs_that_disagree_settle_between(tmp_path: Path) -> None:
    """(k₁x₁ + k₂x₂)/(k₁ + k₂): 300 and 100 N/m at 0 and 1 → 0.25 (3.1); here at 0 and 100 mm."""
    near = PointGuide(stiffness=300.0, radius=0.0, force=100.0)
    far = PointGuide(stiffness=100.0, radius=0.0, force=100.0, point=(0.1, 0.0, 0.0))
    with room(tmp_path, near, far) as bench:
        rest = settled(bench, [0.0, 0.0, 0.0], 0.0)
    assert rest == pytest.approx([0.025, 0.0, 0.0], abs=1e-8)


def test_a_guide_makes_a_trembling_hand_straighter(tmp_path: Path) -> None:
    """Error with assistance below that without, for the same noisy hand (section 16, 'Guide benefit')."""
    guide = LineGuide(stiffness=1000.0, damping=2.0, radius=0.0, force=100.0, direction=(1.0, 0.0, 0.0))
    errors = []
    for laid in ((), (guide,)):
        rng, off = np.random.default_rng(3), []
        with room(tmp_path, *laid) as bench:
            place, noise = bench.device.place.copy(), np.zeros(3)
            for nth in range(2000):
                noise = 0.98 * noise + rng.normal(0.0, 0.002, 3)
                wanted = SEAT.T @ (np.array([5e-5 * nth, 0.0, 0.0]) + noise)
                force = at(bench, place)
                place = place + bench.servo.period / 10.0 * (force + 300.0 * (wanted - place))
                off.append((SEAT @ place)[1:])
        errors.append(float(np.sqrt(np.mean(np.square(off)))))
    assert errors[1] < 0.5 * errors[0]


def test_what_a_guide_gives_back_is_what_went_in(tmp_path: Path) -> None:
    """Port energy of a virtual mechanism never falls below what its springs held at first (3.5, 16): here nothing."""
    guide = LineGuide(stiffness=500.0, damping=2.0, radius=0.05, force=100.0, direction=(0.0, 0.0, 1.0))
    rng = np.random.default_rng(11)
    with room(tmp_path, guide) as bench:
        place, speed, energy, lowest, force = np.zeros(3), np.zeros(3), 0.0, 0.0, np.zeros(3)
        for _ in range(6000):
            speed = 0.97 * speed + rng.normal(0.0, 0.02, 3)
            step = bench.servo.period * (speed - 2.0 * place)
            energy -= float(force @ step)
            place = place + step
            force = np.array(at(bench, place, step / bench.servo.period))
            lowest = min(lowest, energy)
    assert lowest > -1e-3
