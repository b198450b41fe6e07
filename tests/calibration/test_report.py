"""The page about a result: everything inside, for every kind of result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from calibration import Result, ResultFileError, Subject, write_result
from calibration.geometry import calibrate_geometry, robot_subject
from calibration.hand_eye import calibrate_hand_eye
from calibration.report.command import check_page, newest_of_each, report
from calibration.report.page import html, judgements
from calibration.report.picture import picture
from calibration.results import read_results
from station.kernel.so3 import rotation
from tests.calibration.planted import UR5E, measured, nominal_model, plant


def geometry() -> Result:
    planted = plant(nominal_model(UR5E, UR5E.joints(40)), 8)
    positions = planted.poses[:, :3, 3] + 5e-5 * np.random.default_rng(1).normal(size=(40, 3))
    positions[7] += 0.02
    found = calibrate_geometry(planted.model.robot, 7, measured(planted.model, positions))
    values = {**found.data(), "serial_number": "SIM-0001"}
    return Result(method="robot geometry", subject=robot_subject(UR5E.robot()), values=values, data_hash="ab12")


def hand_eye() -> Result:
    random = np.random.default_rng(2)
    hand = np.tile(np.eye(4), (10, 1, 1))
    hand[:, :3, :3] = rotation(random.normal(size=(10, 3)))
    hand[:, :3, 3] = random.normal(size=(10, 3))
    seen = np.asarray(np.linalg.inv(hand), dtype=np.float64)
    found = calibrate_hand_eye(hand, seen, (1e-3, 1e-3))
    return Result(method="hand-eye", subject=Subject.device("CAM-<1>"), values=found.data(), data_hash="cd")


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {"geometry": geometry(), "hand-eye": hand_eye()}


@pytest.fixture(scope="module")
def pages(results: dict[str, Result]) -> dict[str, str]:
    return {name: html([result]).decode() for name, result in results.items()}


@pytest.mark.parametrize("name", ["geometry", "hand-eye"])
def test_a_page_needs_nothing_else(results: dict[str, Result], pages: dict[str, str], name: str) -> None:
    page = pages[name]
    assert page.startswith("<!doctype html>")
    assert not re.findall(r"(?:src|href)=['\"]https?:", page)
    assert "<script" not in page
    assert page.count("<svg ") >= 3
    assert results[name].id in page
    assert len(page) < 1_000_000


def test_it_says_what_was_found_what_was_fixed_and_what_was_left_out(pages: dict[str, str]) -> None:
    page = pages["geometry"]
    for words in ("cannot be told apart from stand z", "left out as outliers", "held back", "EMULATED", "SIM-0001"):
        assert words in page, words
    assert "Other results" not in page
    assert "CAM-&lt;1&gt;" in pages["hand-eye"]


def test_a_picture_for_documents(results: dict[str, Result]) -> None:
    assert picture(results["geometry"]).startswith(b"\x89PNG")


def test_several_judgements_in_one_result_are_all_told(results: dict[str, Result]) -> None:
    judged: dict[str, Any] = results["hand-eye"].values["judgement"]
    both = {"left": {"judgement": judged}, "right": {"judgement": judged}, "gain": 2.0}
    assert [name for name, _ in judgements(both)] == ["left", "right"]
    result = Result(method="two", subject=Subject.device("SN-1"), values=both, data_hash="x")
    page = html([result]).decode()
    assert "<h2>left</h2>" in page
    assert "<th>gain<td>2" in page


def test_a_result_without_any_judgement_still_has_a_page() -> None:
    result = Result(method="force scale", subject=Subject.device("SN-1"), values={"gain": 2.0}, data_hash="x")
    assert "<th>gain<td>2" in html([result]).decode()


def test_a_result_file_is_all_a_page_needs(results: dict[str, Result], pages: dict[str, str], tmp_path: Path) -> None:
    write_result(tmp_path / "r.json", results["hand-eye"])
    (again,) = read_results(tmp_path / "r.json")
    page = html([again], [results["geometry"]]).decode()
    assert page.startswith(pages["hand-eye"].removesuffix("</main></html>\n"))
    assert "Other results in this file" in page
    assert results["geometry"].id in page


def test_the_newest_of_each_kind_is_on_one_page_and_nothing_is_cut_off(results: dict[str, Result]) -> None:
    whom = Subject.device("SN-1")
    numbers = {f"chains.{number}.zero": 0.001 * number for number in range(1, 40)}
    zeros = Result(method="zeros", subject=whom, values={"numbers": numbers}, data_hash="a")
    older = Result(method="zeros", subject=whom, values={"numbers": {}}, data_hash="b")
    seen = Result(method="hand-eye", subject=whom, values=results["hand-eye"].values, data_hash="c")
    chosen = newest_of_each([zeros, seen, older])
    assert chosen == [zeros, seen]
    page = html(chosen, [older]).decode()
    assert all(f"<th>{name}<td>" in page for name in numbers)
    assert all(f"<h1 id='{one.id}'>" in page for one in chosen)
    assert "<svg " in page
    assert older.id in page[page.index("Other results") :]


@pytest.mark.parametrize("name", ["r.json", "measured.jsonl"])
def test_a_page_is_never_written_over_anything_else(results: dict[str, Result], tmp_path: Path, name: str) -> None:
    write_result(tmp_path / "r.json", results["hand-eye"])
    (tmp_path / "measured.jsonl").write_text("{}\n", encoding="utf8")
    kept = (tmp_path / name).read_bytes()
    with pytest.raises(ResultFileError, match="is not a page"):
        check_page(tmp_path / name)
    told = CliRunner().invoke(report, [str(tmp_path / "r.json"), "-o", str(tmp_path / name)])
    assert isinstance(told.exception, ResultFileError)
    assert (tmp_path / name).read_bytes() == kept


def test_a_page_of_one_result_has_a_file_of_its_own_and_may_be_written_again(
    results: dict[str, Result], tmp_path: Path
) -> None:
    result = results["hand-eye"]
    write_result(tmp_path / "r.html", result)  # a name that asks for trouble
    told = CliRunner().invoke(report, [str(tmp_path / "r.html")])
    assert isinstance(told.exception, ResultFileError)
    for _ in range(2):
        assert CliRunner().invoke(report, [str(tmp_path / "r.html"), "--id", result.id]).exit_code == 0
    assert (tmp_path / f"r-{result.id}.html").read_bytes().startswith(b"<!doctype html>")
    assert read_results(tmp_path / "r.html") == (result,)
