"""Runs of several hands and robots: each part by its name, what is common once, and one part exactly as ever."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from station.monitor import Collector, Dashboard, Ending, OtherRobotError, Run, Summary, report
from station.run.session import Watch
from station.servo.shared import ControllerCode, StateReader, StateWriter
from station.servo.shared.parts import opened_parts
from tests.monitor import synthetic

Pair = tuple[StateWriter, StateWriter]


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with synthetic.pair(tmp_path) as made:
        yield made


@pytest.fixture
def collector(pair: Pair) -> Iterator[Collector]:
    """Of two seconds of both."""
    with opened_parts(pair[0].path) as (first, *further):
        made = Collector(first, further=further)
        for tick in synthetic.together(pair, 2.0):
            if tick % 500 == 499:
                made.poll()
        yield made


def shown(collector: Collector, width: int, height: int = 60) -> str:
    console = Console(file=io.StringIO(), width=width, height=height, force_terminal=True, color_system=None)
    console.print(Dashboard(collector, Console(quiet=True)).screen())
    out = console.file
    assert isinstance(out, io.StringIO)
    return out.getvalue()


def test_every_part_is_collected_by_its_name(collector: Collector) -> None:
    run = collector.run()
    assert [part.bench.part for part in run.parts] == ["left", "right"]
    assert [part.records for part in run.parts] == [2000, 2000]
    assert [len(part.bench.joints) for part in run.parts] == [7, 6]
    assert {spell.name for spell in run.further[0].spells} == {"READY"}
    assert "ENGAGED" in {spell.name for spell in run.spells}


def test_the_screen_has_a_column_for_each_part(collector: Collector) -> None:
    lines = shown(collector, 124).splitlines()
    names = next(line for line in lines if "left" in line)
    assert "right" in names
    assert any("H O L D" in line and "R E A D Y" in line for line in lines)
    assert sum("tick cost" in line for line in lines) == 1
    assert all(len(line) <= 124 for line in lines)


def test_parts_that_have_no_room_for_a_column_have_a_line(collector: Collector) -> None:
    text = shown(collector, 80)
    assert "H O L D" in text
    assert "R E A D Y" not in text
    assert "right:" in text


@pytest.mark.parametrize("height", [5, 12, 24])
def test_a_low_terminal_is_never_overrun(collector: Collector, height: int) -> None:
    assert len(shown(collector, 124, height).splitlines()) <= height


def test_lines_are_told_by_part(collector: Collector) -> None:
    out = io.StringIO()
    Dashboard(collector, Console(file=out, width=300)).follow(stop=lambda: True)
    lines = out.getvalue().splitlines()
    assert any(line.startswith("left: ") and "now ENGAGED" in line for line in lines)
    assert any(line.startswith("right: ") and "now READY" in line for line in lines)
    assert not any(line.startswith("right: ") and "ENGAGED" in line for line in lines)
    assert all(line.startswith(("left: ", "right: ")) for line in lines)


def test_a_summary_tells_what_is_common_once_and_the_rest_of_each(collector: Collector) -> None:
    lines = Summary.of(collector.run()).text.splitlines()
    assert lines[0] == "run        left (macdac), right (other)"
    assert sum(line.lstrip().startswith("deadlines") for line in lines) == 1
    left, right = lines.index("left:"), lines.index("right:")
    assert sum(line.startswith("  tracking") for line in lines) == 2
    assert any("never engaged" in line for line in lines[right:])
    assert not any("never engaged" in line for line in lines[left:right])


def test_programs_get_all_parts_by_name(collector: Collector) -> None:
    data = json.loads(json.dumps(Summary.of(collector.run()).data))
    assert data["robot"] == "macdac"  # of the first, as of one alone
    assert list(data["parts"]) == ["left", "right"]
    assert data["parts"]["right"]["robot"] == "other"
    assert "parts" not in data["parts"]["left"]


def test_one_part_says_nothing_of_parts(pair: Pair) -> None:
    with StateReader(pair[0].path) as state:
        collector = Collector(state)
        for _ in synthetic.together(pair[:1], 0.2):
            pass
        collector.poll()
    summary = Summary.of(collector.run())
    assert "parts" not in summary.data
    assert "left" not in summary.text
    assert "left" not in shown(collector, 124)


@pytest.mark.parametrize("kind", ["html", "png"])
def test_a_report_has_all_parts(collector: Collector, tmp_path: Path, kind: str) -> None:
    page = report(collector.run(), tmp_path / f"run.{kind}").read_bytes()
    if kind == "html":
        text = page.decode()
        assert "<title>Run of macdac and other</title>" in text
        assert text.count("<h2>Tracking</h2>") == 2
        assert text.count("<h2>Stages of a tick</h2>") == 1
        assert "<h1>right: other</h1>" in text


def test_a_restart_needs_the_same_parts(collector: Collector, pair: Pair, tmp_path: Path) -> None:
    with (
        StateWriter(7, {}, "servo-2", tmp_path) as alone,
        StateReader(alone.path) as state,
        pytest.raises(OtherRobotError, match="1 parts; only a servo with 2"),
    ):
        collector.attach(state)


def test_how_it_ended_is_of_all_parts(collector: Collector) -> None:
    collector.ending = Ending.TIME_OVER
    run: Run = collector.run()
    assert [part.ending for part in run.parts] == [Ending.TIME_OVER, Ending.TIME_OVER]


def test_a_lost_arm_is_told_by_its_robot(collector: Collector, pair: Pair) -> None:
    out = io.StringIO()
    watch = Watch(Dashboard(collector, Console(file=out, width=200)), None, Console(quiet=True))
    watch.look()
    assert watch.failure == ""
    pair[1].shared.controller_status = ControllerCode.LOST
    pair[1].write_reason("no answer")
    pair[1].publish()
    collector.poll()
    watch.look()
    watch.look()
    assert out.getvalue().splitlines() == ["the arm of other is lost; the run goes on"]
    assert watch.failure == "the arm of other was lost and did not come back (no answer)"
    pair[1].shared.controller_status = ControllerCode.ACTIVE
    pair[1].publish()
    collector.poll()
    watch.look()
    assert out.getvalue().splitlines()[1:] == ["the arm of other is back"]
