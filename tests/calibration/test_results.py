"""Result files and collections: bound to what they belong to, nothing lost, nothing overwritten."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from calibration import Result, ResultFileError, Subject, WrongDeviceError, load_result, load_results, write_result
from calibration.collection import Collection, collect

DEVICE = Subject.device("SN-7", "syntaxer")


def result(method: str = "force scale", subject: Subject = DEVICE, **values: Any) -> Result:
    return Result(method=method, subject=subject, values=values, data_hash="abc")


def test_the_newest_result_comes_first_and_earlier_ones_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "syntaxer.json"
    for gain in (1.0, 2.0, 3.0):
        write_result(file, result(gain=gain))
    write_result(file, result("zeros", zero=0.5))
    assert load_result(file, DEVICE).values == {"zero": 0.5}
    assert load_result(file, DEVICE, "force scale").values == {"gain": 3.0}
    assert [one.values.get("gain") for one in load_results(file, DEVICE)] == [None, 3.0, 2.0, 1.0]
    assert [path.name for path in tmp_path.iterdir()] == ["syntaxer.json"]


def test_results_that_are_written_at_once_are_all_kept(tmp_path: Path) -> None:
    file, writers, each = tmp_path / "syntaxer.json", 4, 6
    program = (
        "import sys; from calibration import Result, Subject, write_result\n"
        f"for number in range({each}):\n"
        "    values = {'writer': int(sys.argv[2]), 'number': number}\n"
        "    whom = Subject.device('SN-7', 'syntaxer')\n"
        "    write_result(sys.argv[1], Result(method='force scale', subject=whom, values=values, data_hash='abc'))\n"
    )
    at_once = [subprocess.Popen([sys.executable, "-c", program, str(file), str(number)]) for number in range(writers)]
    assert [one.wait() for one in at_once] == [0] * writers
    kept = {(one.values["writer"], one.values["number"]) for one in load_results(file, DEVICE)}
    assert kept == {(writer, number) for writer in range(writers) for number in range(each)}


def test_a_result_of_another_device_is_neither_applied_nor_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "syntaxer.json"
    write_result(file, result(gain=1.0))
    before = file.read_bytes()
    other = Subject.device("SN-8")
    with pytest.raises(
        WrongDeviceError, match=r"belongs to serial number SN-7 \(syntaxer\), not to serial number SN-8"
    ):
        load_result(file, other)
    with pytest.raises(WrongDeviceError):
        write_result(file, result(subject=other, gain=2.0))
    assert file.read_bytes() == before


def test_a_result_belongs_to_the_text_of_a_mad_file(tmp_path: Path) -> None:
    file = tmp_path / "robot.json"
    write_result(file, result(subject=Subject.mad("RAFF v1.0 A"), d=0.1))
    assert load_result(file, Subject.mad("RAFF v1.0 A")).values == {"d": 0.1}
    with pytest.raises(WrongDeviceError, match="belongs to MAD file"):
        load_result(file, Subject.mad("RAFF v1.0 B"))


def test_a_device_without_a_serial_number_gets_no_result() -> None:
    with pytest.raises(WrongDeviceError, match="tells no serial number"):
        Subject.device(" ")


def test_a_result_that_was_changed_by_hand_is_not_applied(tmp_path: Path) -> None:
    file = tmp_path / "syntaxer.json"
    write_result(file, result(gain=1.0))
    file.write_text(file.read_text().replace('"gain": 1.0', '"gain": 9.0'))
    with pytest.raises(ResultFileError, match="was changed after it was written"):
        load_result(file, DEVICE)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no JSON"),
        ("[]", "entries are missing"),
        ('{"schema": 1, "results": [{}]}', "entries are missing"),
        ('{"schema": 99, "results": []}', "schema 99 is newer than this program"),
    ],
)
def test_what_is_no_result_file_is_refused_and_left_as_it_is(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(ResultFileError, match=says):
        load_result(file, DEVICE)
    with pytest.raises(ResultFileError, match=says):
        write_result(file, result(gain=1.0))
    assert file.read_text() == text


def test_a_missing_file_or_method_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ResultFileError, match="cannot be read"):
        load_result(tmp_path / "none.json", DEVICE)
    with pytest.raises(ResultFileError, match="cannot be written"):
        write_result(tmp_path / "no" / "such.json", result(gain=1.0))
    write_result(tmp_path / "x.json", result(gain=1.0))
    with pytest.raises(ResultFileError, match="holds no result of zeros"):
        load_result(tmp_path / "x.json", DEVICE, "zeros")


def test_numbers_that_are_not_finite_can_be_written(tmp_path: Path) -> None:
    write_result(tmp_path / "x.json", result(condition=float("inf")))
    assert load_result(tmp_path / "x.json", DEVICE).values == {"condition": "inf"}


PLAN = [[0.1 * k, 1.0 / 3.0] for k in range(6)]


def test_an_interrupted_collection_goes_on_with_nothing_lost_or_measured_twice(tmp_path: Path) -> None:
    file, asked = tmp_path / "poses.jsonl", []

    def measure(pose: int, joints: list[float]) -> dict[str, Any]:
        asked.append(pose)
        if len(asked) == 4:
            raise ConnectionError("the sensor was disconnected")
        return {"joints": joints, "x": pose * 1.5}

    with pytest.raises(ConnectionError):
        collect(Collection(file, DEVICE, PLAN), measure, lambda _: None)
    with file.open("ab") as crashed:
        crashed.write(b'{"pose": 3, "val')  # the machine was switched off in the middle of a line
    told: list[str] = []
    again = Collection(file, DEVICE, PLAN)
    assert again.missing == [3, 4, 5]
    collect(again, measure, told.append)
    assert asked == [0, 1, 2, 3, 3, 4, 5]
    assert told == ["pose 4 of 6", "pose 5 of 6", "pose 6 of 6"]
    whole = Collection(file, DEVICE, PLAN)
    assert whole.missing == []
    assert [one.values["x"] for one in whole.observations] == [0.0, 1.5, 3.0, 4.5, 6.0, 7.5]


def test_a_collection_of_another_device_or_plan_is_not_mixed_in(tmp_path: Path) -> None:
    file = tmp_path / "poses.jsonl"
    Collection(file, DEVICE, PLAN).add(0, {"x": 1.0})
    before = file.read_bytes()
    with pytest.raises(WrongDeviceError, match="was begun with serial number SN-7"):
        Collection(file, Subject.device("SN-8"), PLAN)
    with pytest.raises(ResultFileError, match="another plan"):
        Collection(file, DEVICE, PLAN[:3])
    assert file.read_bytes() == before
    file.write_text("hello\n")
    with pytest.raises(ResultFileError, match="not a collection"):
        Collection(file, DEVICE, PLAN)


def test_the_file_says_when_how_and_from_what(tmp_path: Path) -> None:
    write_result(tmp_path / "x.json", result(gain=1.0))
    (entry,) = json.loads((tmp_path / "x.json").read_text())["results"]
    assert entry["method"] == "force scale"
    assert entry["data_hash"] == "abc"
    assert entry["date"].startswith("20")
    assert entry["subject"] == {"kind": "device", "id": "SN-7", "name": "syntaxer"}
