"""What a soak of the bench calls trouble; nothing here is timed."""

from __future__ import annotations

import math
import os
import time
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from benchmarks.soak import Machine, Memory, Outcome, blamed, job_to_soak, memory_of, name_of, processes
from benchmarks.soak_ticks import OddTicks
from benchmarks.stalls import Stalls
from station.monitor import Summary

pytestmark = pytest.mark.wall_clock

QUIET = (Memory("servo", 300.0, 301.0, 301.1), Memory("arm", 90.0, 90.0, 90.0), Memory("syntaxer", 70.0, 70.0, 70.0))


def spell(state: str, begin: float, cause: str) -> SimpleNamespace:
    return SimpleNamespace(state=state, begin=begin, cause=cause, reason="")


def outcome(
    memory: tuple[Memory, ...] = QUIET, ending: str = "", further: tuple[dict[str, Any], ...] = (), **changes: object
) -> Outcome:
    given: dict[str, Any] = {
        "ticks": 1000,
        "late": 3,
        "late_by_stage": {"wake up": 2, "send": 1},
        "late_waiting": 2,
        "skipped": 1,
        "records": 1000,
        "lost": 0,
        "empty": False,
        "faults": (),
        "states": (SimpleNamespace(state="ENGAGED"),),
        "shares": {"READY": 0.5, "ENGAGED": 0.5},
        "duration": 1.0,
        "steal": 0.0,
        "part": "",
    }
    parts = [SimpleNamespace(**{**given, **changes}), *(SimpleNamespace(**{**given, **other}) for other in further)]
    for nth, part in enumerate(parts, 1):
        part.parts = parts
        part.part = str(nth) if further else ""
    return Outcome(cast(Summary, parts[0]), memory, ending, Machine(0.1, 0.02, 2, (7.5,)))


def test_a_quiet_bench_has_no_trouble() -> None:
    assert outcome().troubles == []
    assert "| servo | 300.00 | 301.00 | 301.10 | +0.10 |" in outcome().text
    assert "| of these kept waiting for a processor | 2 | |" in outcome().text


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"lost": 2}, "2 records were lost"),
        ({"late": 5}, "2 late ticks have no cause"),
        ({"faults": (spell("FAULT", 1.5, "overrun"),)}, "FAULT at 1.5 s: overrun (nothing said)"),
        ({"faults": (spell("FAULT", 7.5, "overrun"),)}, "FAULT at 7.5 s: overrun (nothing said)"),
        ({"faults": (spell("HOLD", 2.5, "lost"),)}, "HOLD at 2.5 s: lost (nothing said)"),
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


def test_of_a_pair_each_hand_is_looked_at() -> None:
    both = (*QUIET, QUIET[2])
    assert outcome(both, further=({},)).troubles == []
    assert outcome(further=({},)).troubles == ["syntaxer was not there from start to end"]
    bad = {"faults": (spell("FAULT", 1.5, "overrun"),), "shares": {"READY": 1.0}, "lost": 2}
    assert outcome(both, further=(bad,)).troubles == [
        "2: 2 records were lost",
        "2: FAULT at 1.5 s: overrun (nothing said)",
        "2: the hand never led the arm",
    ]
    assert "| state of 2 |" in outcome(both, further=(bad,)).text


def test_the_pair_is_two_hands_and_two_arms() -> None:
    job = job_to_soak(pair=True)
    assert list(job.devices) == ["1", "2"]
    assert job.controllers == {"left": "sim:arm", "right": "sim:arm"}
    assert list(job_to_soak(pair=False).controllers) == ["ur5e"]


def test_a_loss_while_the_machine_stood_still_is_put_down_to_the_machine() -> None:
    borne = outcome(faults=(spell("HOLD", 7.5, "lost"),))
    assert borne.troubles == []
    assert "1 losses of device or arm" in borne.text


def test_a_kernel_that_holds_up_real_time_programs_is_named() -> None:
    quiet = outcome()
    assert "sched_rt_runtime_us" not in quiet.text
    assert "sched_rt_runtime_us" in quiet._replace(machine=Machine(2.8, 0.053, 2, (7.5,))).text


def test_standing_still_is_looked_for_right_before() -> None:
    stalls = Stalls()
    stalls.spans = np.array([[1.0, 1.02], [3.0, 3.001], [3.0005, 3.004]])
    stood = stalls.before(np.array([0.5, 1.01, 1.03, 2.0, 3.01]), window=0.05)
    assert stood == pytest.approx([0.0, 0.01, 0.02, 0.0, 0.0045])
    assert (stalls.stood, stalls.longest) == pytest.approx((0.0245, 0.02))


def test_witnesses_go_on_after_thousands_of_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.stalls.PERIOD", 0.0002)
    begin = time.monotonic()
    with Stalls(least=0.0) as stalls:  # every wake-up is told
        time.sleep(1.5)
    if not len(stalls.spans):
        pytest.skip("needs SCHED_FIFO")
    assert len(stalls.spans) > 2500
    assert stalls.spans[:, 1].max() - begin > 1.0


def test_what_led_to_a_loss_is_told_tick_by_tick() -> None:
    stalls, ticks = Stalls(), OddTicks()
    stalls.spans = np.array([[1.0, 1.02], [4.979, 4.999]])
    usual = [0.0001, 0.0002, 0.0001, 0.0001, 0.0001, 0.0001]
    held_up = [0.0001, 0.0002, 0.0285, 0.0001, 0.0001, 0.0001]
    ticks.keep(np.array([[2.0, 0.005, 0.006, *usual], [5.001, 0.03, 0.029, *held_up]]))
    assert ticks.before(5.0, stalls) == [
        "+1.0 ms: tick after 30.0 ms, sample 29.0 ms old; of the tick before, SOLVE took longest: 28.5 ms",
        "-21.0 ms: a processor stood still for 20.0 ms",
    ]
    assert ticks.before(3.0, stalls) == ["all ticks before it were as usual, and no processor stood still"]


def test_a_loss_that_a_tick_finds_which_stands_still_itself_is_put_down_to_the_machine() -> None:
    stalls, ticks = Stalls(), OddTicks()
    ticks.first = 100.0
    stalls.spans = np.array([[105.001, 105.051]])
    ticks.keep(np.array([[105.0516, 0.0516, 0.05, *[0.0001] * 6]]))
    assert ticks.end_of(105.0) == pytest.approx(105.0516)
    assert ticks.end_of(104.0) == 104.0
    lost = (spell("HOLD", 5.0, "lost"), spell("HOLD", 4.0, "lost"))
    part = SimpleNamespace(faults=lost, parts=[])
    part.parts.append(part)
    assert blamed(stalls, ticks, cast(Summary, part)).losses == (5.0,)


def test_the_hardest_contact_of_each_turn_is_kept() -> None:
    ticks = OddTicks()
    for states, forces in (
        ((1, 2, 2), (9.0, 1.0, 3.0)),
        ((2, 3, 2, 2), (2.0, 50.0, 4.0, math.nan)),
        ((2, 1), (7.0, 8.0)),
    ):
        wrenches = np.zeros((len(forces), 6))
        wrenches[:, 2] = forces
        ticks.touch(np.array(states), wrenches)
    assert ticks.contacts == [3.0, 7.0]


def test_processes_are_found_by_what_they_run() -> None:
    assert processes()[os.getpid()] == "monitor"
    assert name_of(1) == ""
    assert memory_of(os.getpid()) > 1.0
