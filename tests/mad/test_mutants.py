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
from station.mad.leading import leads_of
from station.run.addresses import addresses_of
from station.servo.rig import Wanted, put_all_together
from station.view.scene_view import SceneView
from tests.servo.rigs import IdealDevice

MUTANTS = int(os.environ.get("FUZZ_FILES", "300"))
# Several hands on one arm and on robots that hold and carry each other, switched and ranked, with arms of their own.
TOGETHER = """RAFF v2.0 Together
device 1 { name "left" type syntaxer address "sim:syntaxer" loss all }
device 2 { name "right" type magellan port "COM1" deadman 0 clutch 1 }
device 3 { type falcon }
device 4 { type panel port "Mover" }
robot table { base { }
  link 1 { parameters { theta 0 r 100 alpha -90 d 0 } type prismatic pred 0 limits { 0 400 } speed 300 }
  controller { address "sim:arm" loss all } }
robot left { base { on { robot table link 1 } pos { 0 0 50 } ori { 90 0 0 } }
  link 1 { parameters { theta 60 r 0 alpha 0 d 0 } type revolute pred 0 speed 90 }
  link 2 { parameters { theta 30 r 0 alpha 0 d 300 } type revolute pred 1 speed 90 collision { sphere 40 } }
  link 4 { parameters { theta 0 r 0 alpha 90 d 0 } type revolute pred 2 speed 90 }
  frame 3 { pos { 300 0 0 } pred 2 } tool 5 { pos { 0 0 100 } pred 4 }
  constraint { tool 5 device ( 1 2 ) axes ( x y z ) priority 1 }
  constraint { link 2 device ( 0 3 ) priority 2 priority place }
  controller { address "tcp://127.0.0.1:5555" joints ( 1 2 ) rate 500 } controller { address "ur://h" joints ( 4 ) } }
robot right { base { pos { 500 150 0 } }
  link 1 { parameters { theta 120 r 0 alpha 0 d 0 } type revolute pred 0 speed 90 }
  link 2 { parameters { theta -30 r 0 alpha 0 d 300 } type revolute pred 1 speed 90 collision { sphere 40 } }
  frame 3 { pos { 300 0 0 } pred 2 } constraint { frame 3 device ( 2 1 ) } constraint { link 1 device ( 0 ) } }
robot post { base { pos { 2000 0 0 } collision { box { 100 100 900 } } } }
robot spare { base { pos { 3000 0 0 } }
  link 1 { parameters { theta 0 r 0 alpha 0 d 200 } type revolute pred 0 } frame 2 { pos { 200 0 0 } pred 1 } }
constraint { robot left frame 3 robot right frame 3 axes ( x y ) }
"""
SEEDS = [robots.path(name).read_text(encoding="utf8") for name in (*robots.names(), *robots.scenes())]
SEEDS += [TOGETHER] * 6
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
        leads, _ = leads_of(bench)
        hands = [lead for lead in leads if lead.device.id]
        found = addresses_of(bench, hands, bench.robots, {}, {})
        assert set(found.devices) == {lead.name for lead in hands}
        rigs = put_all_together(bench, {name: IdealDevice(VirtualClock()) for name in found.devices}, Wanted(), {})
        listed = {number for robot in bench.robots for one in robot.constraints for number in one.devices}
        led = {rig.settings.id for rig in rigs}
        assert listed <= led | {0}  # nobody is dropped


def test_the_scene_of_many_is_used_as_it_is() -> None:
    use(TOGETHER)


@pytest.mark.parametrize("part", range(10))
def test_a_mutated_file_is_used_or_refused_in_words(part: int) -> None:
    for seed in range(part, MUTANTS, 10):
        try:
            use(mutant(seed))
        except StationError:
            continue
        except Exception as crash:
            raise AssertionError(f"seed {seed}") from crash
