"""What a tick consists of, what is measured of it, and `PaceState`: the numbers of the clockwork, in nanoseconds."""

from __future__ import annotations

from enum import IntEnum

from station.kernel import Ints1, Ints2, Record, field


class Stage(IntEnum):
    """A part of a tick; a deadline is missed because of one of them."""

    WAKE_UP = 0  # from the moment at which the tick should have begun to the moment at which it did
    DEVICE = 1  # newest sample and its kinematics
    SOLVE = 2  # map to a target, one solver step
    HAPTICS = 3  # forces, passivity, limits
    SEND = 4  # force to the device, setpoint to the controller
    PUBLISH = 5  # shared state


class Measure(IntEnum):
    """A time of which there are percentiles: every stage, then two that span several."""

    WAKE_UP = 0
    DEVICE = 1
    SOLVE = 2
    HAPTICS = 3
    SEND = 4
    PUBLISH = 5
    TICK = 6  # from waking up to the end of the tick: its cost
    LATENCY = 7  # hand to force: from the time stamp of the device's sample to the force being written


PERCENTILES = (50.0, 90.0, 99.0, 99.9)  # [%]; the largest value comes after them

STAGES = len(Stage)
MEASURES = len(Measure)
SHARES = len(PERCENTILES)
RESULTS = SHARES + 1  # percentiles and the largest

# Bins are as wide as a sixteenth of their octave, so a percentile is at most 6.25 % too large.
PER_OCTAVE = 16
FIRST_OCTAVE, LAST_OCTAVE = 5, 33  # 32 ns to 8.6 s; what is outside goes to the first or last bin
BINS = PER_OCTAVE * (LAST_OCTAVE - FIRST_OCTAVE)


class PaceState(Record):
    """Everything that the clockwork keeps from tick to tick."""

    period: int = field("ns", "between two ticks")
    spin: int = field("ns", "how long to look at the clock, instead of sleeping, before a tick")
    deadline: int = field("ns", "when the tick should have begun")
    woke: int = field("ns", "when it did")
    ended: int = field("ns", "when it ended")
    tick: int = field("", "ticks that were begun")
    skipped: int = field("", "moments of the grid at which no tick was begun, as the one before was not over")
    late: int = field("", "ticks that ended after the next should have begun")
    last_late: int = field("", "the last such tick")
    last_cause: Stage = field("", "the stage it was due to")
    window: int = field("", "ticks in a window")
    answer: Ints1 = field("s, ns", "of the C library to 'what time is it', and what it is asked to wait for", shape=2)
    virtual: int = field("ns", "time of a test's clock, which kernels take for the time it is; 0: the machine's own")
    worked: int = field("ns", "that this thread had worked when the tick began")
    away: int = field("ns", "in the tick that ended last, off the processor: what is left of its time is its own work")
    late_waiting: int = field("", "late ticks rather kept waiting for a processor than busy for longer than usual")
    marks: Ints1 = field("ns", "when a stage of this tick ended; 0: it has not", shape=STAGES)
    spent: Ints1 = field("ns", "in the tick that ended last, by measure", shape=MEASURES)
    usual: Ints1 = field("ns", "a running median by stage", shape=STAGES)
    causes: Ints1 = field("", "late ticks by stage", shape=STAGES)
    window_worst: Ints1 = field("ns", "by measure", shape=MEASURES)
    total_worst: Ints1 = field("ns", "by measure, without the window that is not over", shape=MEASURES)
    window_count: Ints1 = field("", "times by measure", shape=MEASURES)
    total_count: Ints1 = field("", "times by measure, without the window that is not over", shape=MEASURES)
    summary: Ints2 = field("ns", "of the last whole window: percentiles and largest", shape=(MEASURES, RESULTS))
    summary_count: Ints1 = field("", "how many times that was, by measure", shape=MEASURES)
    window_bins: Ints2 = field("", "histogram by measure", shape=(MEASURES, BINS))
    total_bins: Ints2 = field("", "the same, without the window that is not over", shape=(MEASURES, BINS))
