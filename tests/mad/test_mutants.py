"""Files with wrong numbers and words are moved, checked and drawn, or refused in words; nothing else happens."""

from __future__ import annotations

import os
import random
import re

import numpy as np
import pytest

import robots
import station
from station.check import compile_reports, describe, report
from station.clock import VirtualClock
from station.errors import StationError
from station.servo.rig import Wanted, put_together
from station.view.scene_view import SceneView
from tests.servo.rigs import IdealDevice

MUTANTS = int(os.environ.get("FUZZ_FILES", "300"))
SEEDS = [robots.path(name).read_text(encoding="utf8") for name in (*robots.names(), *robots.scenes())]
PIECES = re.compile(r"//.*|/\*.*?\*/|\"[^\"\n]*\"|[-+\d.eE]+|\w+|\s+|.", re.DOTALL)
NUMBER = re.compile(r"[-+]?\d[\d.]*")
NUMBERS = [
    *("99999999", "1e7", "-1e7", "1e4", "-1e4", "99999", "-720", "45", "0.5", "1e-5"),
    *("0", "-0", "1", "-1", "1e308", "-1e308", "1.7e308", "1e12", "-1e12", "1e8", "99999999", "1e5", "5e-324", "1e-12"),
    *("1e-9", "1e-3", "90", "180", "360", "1e6", "1e7", "-1e7", "999999999"),
]


def mutant(seed: int) -> str:
    """A shipped file in which some numbers are others, and now and then a piece is gone, doubled or swapped."""
    draw = random.Random(seed)
    pieces = PIECES.findall(draw.choice(SEEDS))
    numbers = [at for at, piece in enumerate(pieces) if NUMBER.fullmatch(piece)]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        at = draw.choice(numbers)
        near = [f"{float(pieces[at]) * factor:.6g}" for factor in (-1.0, 0.01, 0.5, 0.9, 1.01, 1.2, 3.0, 100.0)]
        pieces[at] = draw.choice([*NUMBERS, *3 * near, f"{draw.gauss(0.0, 1000.0):g}", pieces[draw.choice(numbers)]])
    if draw.random() < 0.3:
        at, other = (draw.randrange(len(pieces)) for _ in range(2))
        pieces[at], pieces[other] = draw.choice([("", pieces[other]), (2 * pieces[at], pieces[other])])
    return "".join(pieces)


def use(text: str) -> None:
    """Everything that is done with a file before a servo starts; raises a StationError."""
    bench = station.loads(text)
    reports = compile_reports(bench)
    describe(bench, reports)
    report(bench, reports)
    view = SceneView(bench)
    view.fit(1.6)
    for robot in bench.robots:
        arm = bench[robot.name]
        assert np.isfinite(arm.q).all()
        assert all(np.isfinite(arm.pose(item.id)).all() for item in robot.placed())
    assert np.isfinite(view.points()).all()
    if bench.robots:
        put_together(bench, IdealDevice(VirtualClock()), Wanted())


@pytest.mark.parametrize("part", range(10))
def test_a_mutated_file_is_used_or_refused_in_words(part: int) -> None:
    for seed in range(part, MUTANTS, 10):
        try:
            use(mutant(seed))
        except StationError:
            continue
        except Exception as crash:
            raise AssertionError(f"seed {seed}") from crash
