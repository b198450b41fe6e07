"""Collections at the device: gone on with after an interruption, refused in one line, nothing lost or overwritten."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration import DataError, UnitsError, WrongDeviceError, load_result
from calibration.collection import read_collection
from calibration.errors import PoseError
from calibration.results import Subject
from calibration.syntaxer.bench import LostError
from calibration.syntaxer.collecting import Table
from calibration.syntaxer.emulated import EmulatedPerson
from calibration.syntaxer.estimating import estimate_folder
from calibration.syntaxer.person import Fix, LeanOn, PersonAtDevice, Seat, Task
from calibration.syntaxer.tracking import tracker_at
from calibration.syntaxer.zeros import zeros_by_jig
from station.clock import VirtualClock
from station.devices.syntaxer.geometry import geometry_from
from station.kernel.so3 import rotation
from tests.calibration.syntaxer.devices import AtTable, at_table, station

PLACES = ("places",)
FEW = Table(places=8)


class Leaves(EmulatedPerson):
    """Goes away after a while, as at Ctrl-C."""

    left = 5

    def do(self, task: Task) -> None:
        """Until it has had enough."""
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        super().do(task)


def counts_of(folder: Path) -> list[list[float]]:
    return [one.values["counts"] for one in read_collection(folder / "places.jsonl").observations]


def test_an_interrupted_collection_goes_on_with_nothing_lost(tmp_path: Path) -> None:
    with at_table("wrong=3") as table:
        leaves = table._replace(person=Leaves(table.person.table, table.bench))
        with pytest.raises(KeyboardInterrupt):
            leaves.collecting(tmp_path, FEW).run(PLACES)
        before = counts_of(tmp_path)
        assert len(before) == 4
        table.collecting(tmp_path, FEW).run(PLACES)
    assert counts_of(tmp_path)[:4] == before
    poses = [one.pose for one in read_collection(tmp_path / "places.jsonl").observations]
    assert len(poses) == len(set(poses)) == 8


def test_a_device_that_is_unplugged_ends_the_collection_and_keeps_what_there_is(tmp_path: Path) -> None:
    with (
        at_table("wrong=3&faults=unplug at 5") as table,
        pytest.raises(LostError, match=r"what was measured is kept") as lost,
    ):
        table.collecting(tmp_path, FEW).run(PLACES)
    assert "\n" not in str(lost.value)
    before = counts_of(tmp_path)
    assert 0 < len(before) < 8
    with pytest.raises(DataError, match=r"places: \d places; at least 8 are needed"):
        estimate_folder(tmp_path)
    with at_table("wrong=3") as table:
        table.collecting(tmp_path, FEW).run(PLACES)
    assert counts_of(tmp_path)[: len(before)] == before
    assert len(counts_of(tmp_path)) == 8


def test_a_motion_that_loses_its_force_is_no_observation(tmp_path: Path) -> None:
    with at_table("wrong=3&faults=deaf at 3") as table, pytest.raises(LostError):
        table.collecting(tmp_path).run(("motion",))
    assert read_collection(tmp_path / "motion.jsonl").observations == []


def test_data_of_another_device_are_not_mixed_in(tmp_path: Path) -> None:
    with at_table("wrong=3") as table:
        table.collecting(tmp_path).run(("latency",))
    before = (tmp_path / "latency.jsonl").read_bytes()
    with at_table("wrong=4&serial=SIM-0002") as table:
        with pytest.raises(WrongDeviceError, match="was begun with serial number SIM-0001"):
            table.collecting(tmp_path).run(("latency",))
        table.collecting(tmp_path, FEW).run(PLACES)
    assert (tmp_path / "latency.jsonl").read_bytes() == before
    with pytest.raises(DataError, match=r"data of several devices \(SIM-0001, SIM-0002\)"):
        estimate_folder(tmp_path)


def test_a_handle_that_is_not_held_still_is_noticed(tmp_path: Path) -> None:
    with at_table("wrong=3") as table:
        shaky = table._replace(person=Shaky(table.person.table, table.bench))
        with pytest.raises(DataError, match="did not stand still for 5 s"):
            shaky.collecting(tmp_path, FEW).run(PLACES)


class Shaky(EmulatedPerson):
    """Wanders about all the time."""

    def do(self, task: Task) -> None:
        """Never arrives."""
        assert isinstance(task, Seat | Fix)
        if isinstance(task, Seat):
            self.table.hold((0.29, 0.1, 0.1), seconds=6.0)


def test_what_cannot_be_collected_is_refused(tmp_path: Path) -> None:
    with at_table("wrong=3") as table:
        with pytest.raises(DataError, match="there is nothing 'colour' to collect; there is: stops, places"):
            table.collecting(tmp_path).run(("colour",))
        with pytest.raises(DataError, match="by jig or tracker, not by 'ruler'"):
            Table(by="ruler")
        with pytest.raises(DataError, match="below 10 mm"):
            Table(noise=10.0)
        with pytest.raises(DataError, match="a bar of 30000 mm does not reach"):
            table.collecting(tmp_path, Table(bar=30.0)).run(("bar",))


# A person at hardware -------------------------------------------------------------------------------------


def test_a_person_is_told_one_thing_at_a_time_and_may_skip_it() -> None:
    told: list[str] = []
    answers = iter(["", "skip"])
    person = PersonAtDevice(told.append, lambda _: next(answers))
    person.do(Seat("socket 7", (0.22, 0.05, -0.03), (0.0, 0.1, 0.0)))
    with pytest.raises(PoseError):
        person.do(LeanOn(0, 1, (0.28, 0.0, -0.18), (0.277, 0.0, -0.195)))
    assert told == [
        "Clamp the handle into socket 7 of the jig: 220, 50, -30 mm, turned by 0.0, 5.7, 0.0° about x, y, z.",
        "Push the handle gently until arm 1 rests on its stop towards you (the handle is at about 280, 0, -180 mm "
        "then), and hold it there.",
    ]


def test_a_person_may_read_a_tracker_off() -> None:
    asked: list[str] = []
    answers = iter(["1 2 3", "1400.5, -700, 350 1 2 3", "skip"])

    def answer(question: str) -> str:
        asked.append(question)
        return next(answers)

    with tracker_at("person", None, VirtualClock(), answer) as typed:
        shown = typed.measure()
        with pytest.raises(PoseError):
            typed.measure()
    assert shown.position == pytest.approx([1.4005, -0.7, 0.35])
    assert shown.rotation == pytest.approx(rotation(np.radians([1.0, 2.0, 3.0])))
    assert "six numbers" in asked[1]


# The commands ---------------------------------------------------------------------------------------------


def test_zeros_by_the_rest_jig_and_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "syntaxer.json"
    assert station("calibrate", "syntaxer", "zero", "sim:syntaxer?wrong=3", "--out", str(file), "--json") == 0
    told = json.loads(capsys.readouterr().out)
    held = load_result(file, Subject.device("SIM-0001"), "syntaxer zeros by jig")
    assert held.values["numbers"] == told["numbers"]
    measured = held.values["measured"]  # all that it was made of, so that it can be made again
    known = geometry_from(measured["nominal"])
    again = zeros_by_jig(known, np.array(measured["counts"]), np.array(measured["place"]), measured["noise"])
    assert again.data_hash == held.data_hash
    assert again.numbers == held.values["numbers"]
    before = file.read_bytes()
    other = ("calibrate", "syntaxer", "zero", "sim:syntaxer?wrong=3&serial=SIM-0002", "--out", str(file))
    assert station(*other) == 2
    assert "belongs to serial number SIM-0001" in capsys.readouterr().err
    assert station(*other[:-1], str(file), "--rest", "600,0,0") == 2
    assert station(*other[:-1], str(file), "--rest", "here") == 2
    assert "three numbers in millimetres" in capsys.readouterr().err
    assert station("calibrate", "syntaxer", "zero", "sim:falcon", "--out", str(file)) == 2
    assert "this is no syntaxer" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_data_that_make_no_sense_write_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "result.json"
    assert station("calibrate", "syntaxer", "estimate", str(tmp_path), "--out", str(out)) == 2
    assert "holds nothing that was collected at a syntaxer" in capsys.readouterr().err
    with at_table("wrong=3") as table:
        collect_few(table, tmp_path)
    assert station("calibrate", "syntaxer", "estimate", str(tmp_path), "--out", str(out)) == 2
    assert "places: 7 places; at least 8 are needed" in capsys.readouterr().err
    lines = (tmp_path / "places.jsonl").read_text().splitlines()
    spoilt = [json.loads(line) for line in lines]
    for one in spoilt[1:]:
        one["values"]["position"] = [1e3 * part for part in one["values"]["position"]]
    (tmp_path / "places.jsonl").write_text("\n".join(map(json.dumps, spoilt)) + "\n")
    with pytest.raises(UnitsError, match=r"places: a place is .* m away: millimetres for metres"):
        estimate_folder(tmp_path)
    assert station("calibrate", "syntaxer", "estimate", str(tmp_path), "--out", str(out)) == 2
    told = capsys.readouterr().err.strip()
    assert "millimetres for metres" in told
    assert len(told.splitlines()) == 1
    assert not out.exists()


def collect_few(table: AtTable, folder: Path) -> None:
    """Seven places: one too few."""
    table.collecting(folder, Table(places=7)).run(("places",))
