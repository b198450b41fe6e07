"""Signs of the arm's force sensor from the emulated sensor to the words that a person reads."""

from __future__ import annotations

import io
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from station.monitor import Collector, Dashboard, Summary
from station.servo.rig import Wanted
from station.servo.shared import StateReader, Tare
from station.servo.shared.words import Reason
from tests.bilateral.test_in_servo import UP, contact_bench, until
from tests.servo.rigs import ideal

LIGHTLY = 3.0  # force that the tool may press with [N]; the hand asks for more


def shown(collector: Collector) -> str:
    """The dashboard now, as text."""
    collector.poll()
    console = Console(file=io.StringIO(), record=True, width=100, height=30, force_terminal=True)
    console.print(Dashboard(collector, console).screen())
    return console.export_text()


def test_a_bias_that_was_not_found_is_told_until_somebody_tares(tmp_path: Path) -> None:
    with (
        contact_bench(tmp_path, hand="hold 9", faults="wrench-offset newton=8") as bench,
        StateReader(bench.servo.part.writer.path) as state,
    ):
        collector = Collector(state)
        for _ in until(bench, 1.15):
            pass
        assert "sensor not tared: press t with the arm at rest" in shown(collector)
        assert bench.servo.part.orders.decide(Tare()) is Reason.ACCEPTED
        for _ in until(bench, 1.6):
            pass
        assert "tared" not in shown(collector)


def test_an_arm_that_presses_as_hard_as_it_may_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.bilateral.test_in_servo.Wanted", partial(Wanted, press=LIGHTLY))
    with contact_bench(tmp_path) as bench, StateReader(bench.servo.part.writer.path) as state:
        collector, pictures = Collector(state), []
        for number, _ in enumerate(until(bench, UP)):
            if number % 200 == 0:
                pictures.append("arm presses as hard as it may" in shown(collector))
        assert not any(pictures[:8])  # in the air
        assert any(pictures)
        assert not pictures[-1]  # and again
        summary = Summary.of(collector.run())
        assert 0.05 < summary.arm["pressing"] < 4.0
        assert f"pressed as hard as it may {summary.arm['pressing']:.2f} s" in summary.text


def test_a_station_says_whether_its_arm_measures_force(tmp_path: Path) -> None:
    with contact_bench(tmp_path) as bench, StateReader(bench.servo.part.writer.path) as state:
        assert state.text["measures_wrench"] is True
    with ideal("ur5e", tmp_path) as alone, StateReader(alone.servo.part.writer.path) as state:
        assert state.text["measures_wrench"] is None
