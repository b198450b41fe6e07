"""Guides of the world: from the file or by command, felt where they are, faded in and out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from station.clock import VirtualClock
from station.errors import StationError
from station.haptics import Cause, CurveGuide
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import LayGuide, Reason, RemoveGuide, SetGain
from tests.servo.rigs import Bench, IdealDevice, emulated, ideal, loaded
from tests.servo.test_oracles import ROOM, SEAT

GUIDES = {
    "point": ("type point  pos { 0 0 0 }", (0.01, 0.0, 0.0), (-1.0, 0.0, 0.0)),
    "line": ("type line  pos { 5 0 0 }  direction { 1 0 0 }", (0.03, 0.01, 0.0), (0.0, -1.0, 0.0)),
    "plane": ("type plane  pos { 0 0 0 }  direction { 0 0 2 }", (0.04, 0.05, 0.01), (0.0, 0.0, -1.0)),
    "axis": ("type axis  pos { 0 0 0 }  direction { 0 1 0 }", (0.01, 0.06, 0.0), (-1.0, 0.0, 0.0)),
    "curve": ("type curve  points ( -50 0 0  50 0 0  50 80 0 )", (0.06, 0.05, 0.0), (-1.0, 0.0, 0.0)),
    "cone": ("type cone  pos { 0 0 0 }  direction { 0 0 1 }  half_angle 30", (0.04, 0.0, 0.05), (-0.866, 0.0, 0.5)),
    "zone": ("type zone  pos { 0 0 0 }  size 10", (0.0, 0.02, 0.0), (0.0, -1.0, 0.0)),
}
COMMON = "stiffness 400  damping 1  radius 60  force 20"


def scene(*guides: str) -> str:
    return ROOM + "".join(f"\nguide g{nth} {{ {guide}  {COMMON} }}" for nth, guide in enumerate(guides))


@contextmanager
def engaged(text: str, folder: Path) -> Iterator[Bench]:
    with ideal(text, folder, Wanted(), force=40.0) as bench:
        for cause in (Cause.COUPLING, Cause.STOPS, Cause.SINGULARITY, Cause.CUES):
            bench.servo.part.orders.decide(SetGain(cause, 0.0))
        bench.engage()
        bench.ticks(300)
        yield bench


def felt_at(bench: Bench, place: Any) -> Any:
    """Force on a hand that rests with the robot somewhere [m], world axes."""
    bench.lead(SEAT.T @ np.asarray(place, float), 0.3)
    bench.ticks(200)
    return SEAT @ bench.force


@pytest.mark.parametrize("name", GUIDES)
def test_a_guide_of_the_file_pulls_to_where_it_is(name: str, tmp_path: Path) -> None:
    guide, place, towards = GUIDES[name]
    with engaged(scene(guide), tmp_path) as bench:
        force = felt_at(bench, place)
        size = float(np.linalg.norm(force))
        assert size > 1.0
        assert force / size == pytest.approx(np.array(towards), abs=0.02)
        cause = Cause.ZONES if name == "zone" else Cause.GUIDES
        part = SEAT @ bench.shared.wrench_parts[cause, :3]
        assert part == pytest.approx(force, abs=1e-6)
        assert np.linalg.norm(felt_at(bench, (0.3, 0.3, -0.3) if name != "plane" else (0.3, 0.3, 0.2))) < 1e-6


def test_several_guides_add_up_and_can_be_removed_one_by_one(tmp_path: Path) -> None:
    with engaged(scene(GUIDES["plane"][0], GUIDES["line"][0]), tmp_path) as bench:
        both = felt_at(bench, (0.0, 0.01, 0.01))
        assert both[1] < -1.0
        assert both[2] < -1.0
        assert bench.servo.part.orders.decide(RemoveGuide(0)) is Reason.ACCEPTED
        before = float(bench.force[2])
        bench.ticks()
        assert abs(float(bench.force[2]) - before) < 0.2  # it fades, and does not drop
        bench.ticks(300)
        line = SEAT @ bench.force
        assert line[1] == pytest.approx(both[1], rel=0.6)
        assert bench.servo.part.orders.decide(RemoveGuide(1)) is Reason.ACCEPTED
        bench.ticks(300)
        assert np.linalg.norm(bench.force) < 1e-9


def test_a_curve_is_laid_by_command_and_one_slides_along_it(tmp_path: Path) -> None:
    turns = np.linspace(0.0, np.pi, 32)
    points = tuple((0.1 * float(np.cos(turn)), 0.1 * float(np.sin(turn)), 0.0) for turn in turns)
    curve = CurveGuide(points=points, stiffness=800.0, damping=1.0, radius=0.03, force=20.0)
    with engaged(ROOM, tmp_path) as bench:
        assert np.linalg.norm(felt_at(bench, (0.1, 0.0, 0.01))) < 1e-9
        assert bench.servo.part.orders.decide(LayGuide(5, tuple(curve.row().tolist()))) is Reason.ACCEPTED
        assert felt_at(bench, (0.1, 0.0, 0.01))[2] < -1.0
        drags, offs = [], []
        felt_at(bench, (0.1, 0.0, 0.002))
        for turn in np.linspace(0.0, np.pi, 400):
            place = np.array([0.1 * np.cos(turn), 0.1 * np.sin(turn), 0.002])
            along = np.array([-np.sin(turn), np.cos(turn), 0.0])
            bench.device.place, bench.device.velocity = SEAT.T @ place, SEAT.T @ (0.1 * along)
            bench.ticks()
            drags.append(abs(float(SEAT @ bench.force @ along)))
            offs.append(float((SEAT @ bench.force)[2]))
        assert max(drags) < 0.3  # from corner to corner, of a chord of 1 cm
        assert max(offs[20:]) < -1.0  # and held all along


def test_a_guide_of_the_file_is_felt_over_the_emulated_syntaxer(tmp_path: Path) -> None:
    text = scene("type line  pos { 0 0 0 }  direction { 1 0 0 }")
    hand = (
        "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.4; reach 0.25 0.05 0 in 0.6; hold 0.8; "
        "release deadman; hold 0.2"
    )
    reached = []
    for said in (text, ROOM):
        with emulated(said, tmp_path, hand) as bench:
            bench.ticks(2400)
            reached.append(bench.shared.predicted_pose[:3, 3].copy())
    guided, free = reached
    assert free[1] < -0.020  # the hand wants to go there,
    assert guided[1] > 0.7 * free[1]  # the guide holds it back,
    assert abs(guided[0]) > 0.8 * abs(free[0])  # and lets it go along


@pytest.mark.parametrize(
    ("guide", "words"),
    [
        ("type line  pos { 0 0 0 }", "needs 'direction'"),
        ("type zone  pos { 0 0 0 }  half_angle 30", "'half_angle' is for cone"),
        ("type curve  points ( 0 0 0 )", "2 to 32 points"),
        ("type tunnel  pos { 0 0 0 }", "allowed: point, line, plane, axis, curve, cone, zone"),
    ],
)
def test_a_guide_that_cannot_be_is_refused_with_its_place(guide: str, words: str) -> None:
    with pytest.raises(StationError, match="<text>:9:") as caught:
        loaded(scene(guide))
    assert words in str(caught.value)


def test_numbers_that_forces_cannot_have_are_refused_before_the_first_tick(tmp_path: Path) -> None:
    text = ROOM + "\nguide hard { type point  pos { 0 0 0 }  stiffness 900000 }"
    device = IdealDevice(VirtualClock())
    with pytest.raises(StationError, match="guide hard: stiffness is 900000") as caught:
        Servo(put_together(loaded(text), device, Wanted()), clock=device.clock, folder=tmp_path)
    assert "\n" not in str(caught.value)


def test_nine_guides_are_one_too_many() -> None:
    with pytest.raises(StationError, match="at most 8"):
        loaded(scene(*9 * ["type point  pos { 0 0 0 }"]))
