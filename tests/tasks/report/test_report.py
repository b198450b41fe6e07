"""The page about a recorded run, and the commands for recordings."""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy as np
import pytest

from station import cli
from station.run import recorded
from station.tasks.recording import Recording
from station.tasks.replay import Ticks
from station.tasks.report.curves import Curves
from station.tasks.report.page import Picture, sections
from tests.monitor import synthetic
from tests.tasks.recording.conftest import folder, run, servo, state
from tests.tasks.recording.test_files import write as write_small

__all__ = ["folder", "run", "servo", "state"]  # fixtures


def station(*arguments: object, monkeypatch: pytest.MonkeyPatch) -> int:
    """The command; returns its exit code."""
    monkeypatch.setattr(sys, "argv", ["station", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    return int(ended.value.code or 0)


def mistake(*arguments: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """The one line that a mistake is answered with."""
    capsys.readouterr()
    assert station(*arguments, monkeypatch=monkeypatch) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "Traceback" not in told.err
    assert told.err.strip().count("\n") == 0
    return told.err


def test_curves_have_the_lowest_and_highest_of_the_run(run: Path) -> None:
    whole = synthetic.whole(2.0)
    with Recording(run) as recording:
        curves = Curves(Ticks(recording))
    low, high = curves.of("singularity")
    assert np.nanmin(low) == whole["singularity"].min()
    assert np.nanmax(high) == whole["singularity"].max()
    assert not curves.has("obstacle_distance")  # huge stands for none
    assert [moment.title[:9] for moment in curves.moments] == ["at the be", "at the la", "at the en"]
    assert np.array_equal(curves.moments[0].q, whole["predicted_q"][0])
    assert np.nanmax(curves.ways["target"][:, 0]) == pytest.approx(whole["target_pose"][:, 0, 3].max(), abs=1e-3)


def test_plots_are_drawings_that_stand_in_a_page(run: Path) -> None:
    with Recording(run) as recording:
        ticks = Ticks(recording)
        page = sections(ticks, Curves(ticks), [Picture("a <robot>", b"\x89PNG")], ["a note & more"])
        assert recording.content_hash in page
    drawings = re.findall(r"<svg .*?</svg>", page, re.DOTALL)
    assert len(drawings) == 3
    for drawing in drawings:
        plain = re.sub(r"role=img aria-label='[^']*'", "", drawing)
        tree = ElementTree.fromstring(plain.replace("xlink:href", "href"))
        ids = [element.get("id") for element in tree.iter() if element.get("id")]
        assert len(ids) == len(set(ids))
        for used in re.findall(r"url\(#([^)]*)\)", drawing):
            assert used in ids
    names = [name for drawing in drawings for name in re.findall(r'id="([^"]*)"', drawing)]
    assert len(names) == len(set(names))
    assert "a &lt;robot&gt;" in page
    assert "a note &amp; more" in page
    assert "ENGAGED: " in page
    assert "data:image/png;base64," in page


def test_the_report_is_one_page_that_needs_nothing_else(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "page.html"
    assert station("report", run, "-o", out, "--no-pictures", monkeypatch=monkeypatch) == 0
    page = out.read_text()
    for title in ("Forces on the hand by cause", "Energy", "Time of ticks", "Way of the followed frame", "Recording"):
        assert f"<h2>{title}</h2>" in page
    assert page.count("</main>") == 1
    assert not re.findall(r"(?:src|href)=[\"']?https?:", page)
    assert str(out) in capsys.readouterr().out
    before = out.read_bytes()
    told = mistake("report", run, "-o", out, monkeypatch=monkeypatch, capsys=capsys)
    assert "--overwrite" in told
    assert out.read_bytes() == before


def test_a_scene_that_is_not_in_the_recording_costs_only_the_pictures(run: Path) -> None:
    with Recording(run) as recording:
        ticks = Ticks(recording)
        assert recorded.pictures_of(ticks, Curves(ticks).moments, lambda _: None) == (
            [],
            ["no pictures: the scene is not in the recording"],
        )


def test_the_summary_of_a_replay_is_that_of_the_run(run: Path) -> None:
    with Recording(run) as recording:
        found = recorded.watched_run(Ticks(recording))
    assert (found.records, found.lost) == (2000, 0)
    assert found.duration == pytest.approx(1.999)
    assert found.bench.robot == "macdac"


def test_replay_without_a_terminal_tells_lines(
    run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert station("replay", run, "--speed", 50, monkeypatch=monkeypatch) == 0
    told = capsys.readouterr().out
    assert "macdac" in told
    assert "ENGAGED" in told
    assert station("replay", run, "--speed", 50, "--start", 1.5, "--json", monkeypatch=monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["robot"] == "macdac"


def test_export_and_recover_say_what_they_did(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert station("export", run, "--csv", "-o", tmp_path / "out", monkeypatch=monkeypatch) == 0
    assert (tmp_path / "out" / "hand.csv").exists()
    short = tmp_path / "short.mcap"
    short.write_bytes(run.read_bytes()[:-200])
    assert station("recover", short, monkeypatch=monkeypatch) == 0
    assert "whole now" in capsys.readouterr().out
    assert station("recover", short, "--json", monkeypatch=monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["was_whole"] is True


@pytest.mark.parametrize("command", [("replay",), ("report", "-o", "OUT.html"), ("export", "--csv", "-o", "OUT")])
def test_what_is_no_whole_recording_is_refused_in_one_line(
    command: tuple[str, ...],
    run: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole = run.read_bytes()
    changed = bytearray(whole)
    changed[len(whole) // 2] ^= 1
    for content, words in (
        (b"", "empty"),
        (b"hello", "not an MCAP file"),
        (whole[: len(whole) // 2], "station recover"),
        (bytes(changed), "changed after it was written"),
    ):
        path = tmp_path / "x.mcap"
        path.write_bytes(content)
        words_out = [str(tmp_path / word) if word.startswith("OUT") else word for word in command[1:]]
        told = mistake(command[0], path, *words_out, monkeypatch=monkeypatch, capsys=capsys)
        assert words in told
        assert [item.name for item in tmp_path.iterdir()] == ["x.mcap"]


def test_a_recording_of_something_else_has_no_replay_and_no_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_small(tmp_path / "x.mcap")
    for command in (("replay",), ("report", "-o", tmp_path / "y.html")):
        told = mistake(command[0], tmp_path / "x.mcap", *command[1:], monkeypatch=monkeypatch, capsys=capsys)
        assert "not a recording of a run" in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("replay", "--speed", "0"), "from 0.01 to 100"),
        (("replay", "--start", "99"), "the recording has"),
        (("export",), "--csv or --parquet"),
        (("report", "-o", "x.pdf"), "ends in .html"),
    ],
)
def test_what_is_not_possible_is_refused_in_one_line(
    arguments: tuple[str, ...],
    words: str,
    run: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    told = mistake(arguments[0], run, *arguments[1:], monkeypatch=monkeypatch, capsys=capsys)
    assert words in told
