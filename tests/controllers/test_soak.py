"""What a soak of the bench calls trouble; nothing here is timed."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any, cast

import pytest

from benchmarks.soak import Memory, Outcome, memory_of, name_of, processes
from station.monitor import Summary

QUIET = (Memory("servo", 300.0, 301.0, 301.1), Memory("arm", 90.0, 90.0, 90.0), Memory("syntaxer", 70.0, 70.0, 70.0))


def outcome(memory: tuple[Memory, ...] = QUIET, ending: str = "", **changes: object) -> Outcome:
    given: dict[str, Any] = {
        "ticks": 1000,
        "late": 3,
        "late_by_stage": {"wake up": 2, "send": 1},
        "skipped": 1,
        "records": 1000,
        "lost": 0,
        "empty": False,
        "faults": (),
        "states": (SimpleNamespace(state="ENGAGED"),),
        "shares": {"READY": 0.5, "ENGAGED": 0.5},
        "duration": 1.0,
        "steal": 0.0,
    }
    return Outcome(cast(Summary, SimpleNamespace(**{**given, **changes})), memory, ending)


def test_a_quiet_bench_has_no_trouble() -> None:
    assert outcome().troubles == []
    assert "| servo | 300.00 | 301.00 | 301.10 | +0.10 |" in outcome().text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"lost": 2}, "2 records were lost"),
        ({"late": 5}, "2 late ticks have no cause"),
        ({"faults": (SimpleNamespace(begin=1.5, cause="overrun"),)}, "FAULT at 1.5 s: overrun"),
        ({"shares": {"READY": 1.0}}, "the hand never led the arm"),
        ({"empty": True}, "no record came"),
        ({"ending": "the servo was ended by SIGKILL"}, "the servo was ended by SIGKILL"),
        ({"memory": QUIET[1:]}, "servo was not there from start to end"),
        ({"memory": (*QUIET[1:], Memory("servo", 300.0, 300.0, 300.6))}, "servo grew by 0.60 MB"),
        ({"memory": (*QUIET[1:], Memory("servo", 300.0, 300.0, float("nan")))}, "servo grew by nan MB"),
    ],
)
def test_what_is_not_as_it_should_be_is_told(wrong: dict[str, Any], words: str) -> None:
    assert outcome(**wrong).troubles == [words]


def test_processes_are_found_by_what_they_run() -> None:
    assert processes()[os.getpid()] == "monitor"
    assert name_of(1) == ""
    assert memory_of(os.getpid()) > 1.0
