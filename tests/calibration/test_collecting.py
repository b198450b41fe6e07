"""Guided collection: an arm that is not as its file says, over its real link, and an instrument over its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import station
from calibration import DataError, WrongDeviceError
from calibration.arm import ArmLead
from calibration.collection import Collection, read_collection
from calibration.errors import PoseError, ResultFileError
from calibration.geometry.collecting import Wish, begin, collect_poses
from calibration.instrument import Person
from firmware_bridge.instrument import InstrumentLostError
from sim_devices.arm.machine import ArmState
from sim_devices.instrument import TrackerSettings
from station.run.park import ParkError
from tests.calibration.benches import WRONG, Cell

WISH = Wish(frame=7, poses=12, candidates=60, within=0.5)


def start(cell: Cell, path: Path, wish: Wish = WISH) -> Collection:
    serial = cell.controller.capabilities.serial_number
    return begin(path, cell.mechanism, cell.surroundings, wish, cell.instrument.about, serial)


def go_on(cell: Cell, held: Collection, told: list[str], wish: Wish = WISH, lead: ArmLead | None = None) -> None:
    collect_poses(held, cell.mechanism, wish, cell.instrument, lead or cell.lead(), told.append)


@pytest.fixture
def cell() -> Iterator[Cell]:
    with contextlib.closing(Cell("ur5e", 7, 3, TrackerSettings(), **WRONG)) as made:
        yield made


def test_an_instrument_that_goes_is_one_line_and_nothing_is_lost(cell: Cell, tmp_path: Path) -> None:
    path, wish = tmp_path / "poses.jsonl", WISH._replace(poses=5)
    told: list[str] = []
    held = start(cell, path, wish)

    def tell(text: str) -> None:
        told.append(text)
        if text == "pose 3 of 5":
            cell.tracker.unplug()

    with pytest.raises(InstrumentLostError, match="the instrument is gone") as caught:
        collect_poses(held, cell.mechanism, wish, cell.instrument, cell.lead(), tell)
    assert "\n" not in str(caught.value)
    assert cell.arm.reading().state is ArmState.READY
    first = path.read_bytes()
    assert len(read_collection(path).observations) == 2
    with contextlib.closing(Cell("ur5e", 7, 3, TrackerSettings(), **WRONG)) as again:  # switched on again
        more: list[str] = []
        go_on(again, start(again, path, wish), more, wish)
        assert more == ["pose 3 of 5", "pose 4 of 5", "pose 5 of 5"]
    assert path.read_bytes().startswith(first)
    held_now = read_collection(path)
    assert len({one.pose for one in held_now.observations}) == 5


def test_an_arm_that_stops_is_one_line_and_nothing_is_lost(cell: Cell, tmp_path: Path) -> None:
    path, wish = tmp_path / "poses.jsonl", WISH._replace(poses=5)
    held = start(cell, path, wish)

    def tell(text: str) -> None:
        if text == "pose 2 of 5":
            cell.arm.stop()

    with pytest.raises(ParkError, match="the arm was stopped") as caught:
        collect_poses(held, cell.mechanism, wish, cell.instrument, cell.lead(), tell)
    assert "\n" not in str(caught.value)
    assert len(read_collection(path).observations) == 1


def test_ctrl_c_in_mid_motion_brakes_and_nothing_is_lost(cell: Cell, tmp_path: Path) -> None:
    path, wish = tmp_path / "poses.jsonl", WISH._replace(poses=5)
    lead, pressed = cell.lead(), []  # type: ignore[var-annotated]

    def press(now: float) -> None:
        moving = np.abs(cell.arm.body.v).max() > 0.3
        if read_collection(path).observations and moving and not pressed:
            pressed.append(now)
            raise KeyboardInterrupt

    cell.clock.attach(press)
    with pytest.raises(KeyboardInterrupt):
        go_on(cell, start(cell, path, wish), [], wish, lead)
    assert pressed
    assert cell.arm.reading().state is ArmState.READY
    assert len(read_collection(path).observations) == 1


def test_poses_that_the_instrument_cannot_see_are_left_out_and_others_taken(tmp_path: Path) -> None:
    with contextlib.closing(Cell("ur5e", 7, 3, TrackerSettings(unseen=0.4), **WRONG)) as cell:
        told: list[str] = []
        go_on(cell, start(cell, tmp_path / "x.jsonl", WISH._replace(poses=4)), told, WISH._replace(poses=4))
        assert any("left out" in line and "the beam is interrupted" in line for line in told)
        assert len(read_collection(tmp_path / "x.jsonl").observations) == 4


def test_a_collection_belongs_to_one_arm_one_robot_and_one_instrument(cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "poses.jsonl"
    start(cell, path)
    before = path.read_bytes()
    about = cell.instrument.about
    with pytest.raises(WrongDeviceError, match="was begun with arm 'SIM-0003', not with 'SIM-0004'"):
        begin(path, cell.mechanism, cell.surroundings, WISH, about, "SIM-0004")
    other = about._replace(serial_number="SIM-T0009")
    with pytest.raises(WrongDeviceError, match="was begun with instrument 'emulated tracker SIM-T0003'"):
        begin(path, cell.mechanism, cell.surroundings, WISH, other, "SIM-0003")
    with pytest.raises(ResultFileError, match="another plan of poses"):
        begin(path, cell.mechanism, cell.surroundings, WISH._replace(seed=9), about, "SIM-0003")
    assert path.read_bytes() == before


def test_a_way_that_touches_something_is_not_gone(cell: Cell) -> None:
    pillars = "".join(f"obstacle pillar{y} {{ box {{ 100 100 3000 }} pos {{ 0 {y} 0 }} }}\n" for y in (-400, 400))
    scene = station.loads(station.dumps(cell.scene) + pillars)
    lead = ArmLead(scene, scene["ur5e"], cell.controller, 1.0, cell.clock)
    before, beyond = cell.arm.reading().q, cell.mechanism.q
    beyond[0] += np.pi
    with pytest.raises(PoseError, match=r"on the way .* would touch .*pillar"):
        lead.go(beyond)
    assert cell.arm.reading().q == pytest.approx(before, abs=1e-3)


def test_a_person_may_read_the_instrument_off() -> None:
    answers = iter(["1 2", "hello", "nan 1 2", "100, 200 300", "skip"])
    asked: list[str] = []

    def ask(question: str) -> str:
        asked.append(question)
        return next(answers)

    person = Person(ask)
    assert person.measure().position == pytest.approx([0.1, 0.2, 0.3])
    assert len(asked) == 4
    with pytest.raises(PoseError, match="skipped"):
        person.measure()


def test_when_nothing_can_be_measured_it_ends(tmp_path: Path) -> None:
    with contextlib.closing(Cell("ur5e", 7, 3, TrackerSettings(unseen=1.0), **WRONG)) as cell:
        held = start(cell, tmp_path / "x.jsonl", WISH._replace(within=0.05))
        with pytest.raises(
            DataError, match=r"20 poses in a row could not be measured, the last: .*beam is interrupted"
        ):
            go_on(cell, held, [], WISH._replace(within=0.05))
