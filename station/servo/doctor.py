"""`station doctor`: is this machine fit for the servo, and what to change."""

from __future__ import annotations

from typing import Any

from station.servo.pacing import Measure, Pace, RealTimeSettings, real_time
from station.servo.pacing.machine import Fact, Verdict, facts

RATE = 1000.0  # [Hz]
GOOD_LATENESS, FAIR_LATENESS = 100e-6, 500e-6  # of 99 ticks in 100, at 1 kHz [s]


def punctuality(seconds: float = 1.0) -> Fact:
    """How late an empty loop wakes up, as the servo would run it."""
    pace = Pace(1.0 / RATE)
    pace.warm_up()
    with real_time(RealTimeSettings()) as got:
        pace.start()
        for _ in range(round(seconds * RATE)):
            pace.wait()
            pace.finish()
    late = pace.statistics.total(Measure.WAKE_UP)
    value = f"p50 {1e6 * late.p50:.0f}, p99 {1e6 * late.p99:.0f}, worst {1e6 * late.worst:.0f} µs late at {RATE:g} Hz"
    scheduling = "SCHED_FIFO" if got.scheduled else "ordinary scheduling"
    verdict = Verdict.GOOD if late.p99 < GOOD_LATENESS else Verdict.FAIR if late.p99 < FAIR_LATENESS else Verdict.POOR
    advice = "" if verdict is Verdict.GOOD else "close other programs, and see the other findings"
    return Fact("wake-up", f"{value} ({scheduling})", verdict, advice)


def examined() -> list[Fact]:
    """All findings; takes about two seconds."""
    return [*facts(), punctuality()]


def findings_data(found: list[Fact]) -> dict[str, Any]:
    """For programs."""
    fit = all(fact.verdict is not Verdict.POOR for fact in found)
    return {"fit": fit, "findings": [{**fact._asdict(), "verdict": fact.verdict.value} for fact in found]}


def findings_text(found: list[Fact]) -> str:
    """For people: one line each, and what it comes to."""
    width = max(len(fact.name) for fact in found)
    lines = []
    for fact in found:
        lines.append(f"{fact.verdict.value:<7}  {fact.name:<{width}}  {fact.value}")
        if fact.advice:
            lines.append(f"{'':<7}  {'':<{width}}  → {fact.advice}")
    poor = sum(fact.verdict is Verdict.POOR for fact in found)
    return "\n".join([*lines, "", f"{poor} of these will cost ticks" if poor else "fit for the servo"])
