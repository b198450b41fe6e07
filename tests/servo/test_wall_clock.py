"""The same session on the wall clock, with servo and emulator as processes of their own, as on the virtual clock.

What is compared does not depend on how fast the machine is: ratios of what was felt in one press of the dead-man, and
the bookkeeping of ticks. The bounds are stated in docs/servo.md, section 1. A busy machine loses the device now and
then, or stops a process for some milliseconds, in which the hand goes on without a force; such a press is not compared,
and the hand presses again.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import pytest

from station.devices.device import Floats
from station.haptics import Cause
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.shared import Event, RecordReader, ServoState, Snapshot, StateReader
from tests.servo.rigs import GANTRY, emulated

pytestmark = pytest.mark.wall_clock

# Against a stop and leaning on it, round in the free, and back to where it began; again and again, the same each time.
CYCLE = (
    "tighten 0.6 in 0.1; reach 0.22 0 0 in 0.4; hold 0.2; press deadman; hold 0.1; reach 0.22 0.05 0 in 0.4; hold 0.3; "
    "reach 0.22 0 0 in 0.3; hold 0.1; circle radius=12mm period=0.5 for 0.5; reach 0.22 0 0 in 0.3; hold 0.2; "
    "release deadman; hold 0.6; again"
)
PATIENCE = 120.0  # for one press that nothing disturbed [s]
STOOD_STILL = 0.004  # between two ticks, or age of a sample: longer, and servo or device did not run [s]
FELT = (Cause.COUPLING, Cause.STOPS)
WITHIN = 1.5  # factor between the two clocks, either way: largest force in all and of the stops
DEEPER, SHARE = 0.005, 2.0  # depth in the stop: by how much, and by what factor more [m]; the coupling goes with it
BEHIND = 0.002  # further behind than on the virtual clock [m], for 95 ticks in 100
GENERATED = 1e-3  # energy that the ledger may miss, on both [J]
PART_OF_PERIOD = 0.5  # by which the grid of ticks may seem to drift: a miscounted tick would be 1


class Press(NamedTuple):
    """What was felt from a press of the dead-man until it was let go."""

    seconds: float
    behind: float  # target to predicted robot away from the stop, 95 % [m]
    depth: float  # of the target beyond the stop, largest [m]
    force: float  # largest [N]
    causes: tuple[float, ...]  # largest of each in FELT [N]
    lowest: float  # of the energy ledger [J]


class Row(NamedTuple):
    """What is kept of a record."""

    number: int
    tick: int
    time: float
    hand_age: float  # [s]
    skipped: int
    late: int
    state: int
    cause: int
    missing: Floats  # [m]
    wrench: Floats
    causes: Floats
    lowest: float


def row(number: int, record: Snapshot) -> Row:
    parts = record.wrench_parts
    return Row(
        number,
        int(record.tick[0]),
        float(record.time[0]),
        float(record.hand_age[0]),
        int(record.skipped_ticks[0]),
        int(record.late_ticks[0]),
        int(record.state[0]),
        int(record.cause[0]),
        record.target_pose[:3, 3] - record.predicted_pose[:3, 3],
        record.wrench[:3].copy(),
        np.array([np.linalg.norm(parts[cause, :3]) for cause in FELT]),
        float(record.energy_lowest[0]),
    )


def presses(rows: Iterable[Row]) -> list[Press]:
    """Those that a hand began and ended while servo and device ran; what began before the first row is left out."""
    found: list[Press] = []
    held: list[Row] | None = None
    before = ServoState.ENGAGED
    for each in rows:
        state = ServoState(each.state)
        if state is ServoState.ENGAGED:
            if before is not ServoState.ENGAGED:
                held = []
            if held is not None:
                held.append(each)
        elif held:
            if Event(each.cause) is Event.RELEASED and ran_on(held):
                found.append(felt_in(held))
            held = None
        before = state
    return found


def ran_on(rows: list[Row]) -> bool:
    """Whether neither the servo nor the device stood still."""
    between = np.diff([each.time for each in rows])
    ages = np.array([each.hand_age for each in rows])
    return bool(between.max(initial=0.0) < STOOD_STILL and ages.max() < STOOD_STILL)


def felt_in(rows: list[Row]) -> Press:
    missing = np.array([each.missing for each in rows])
    gaps = np.linalg.norm(missing, axis=1)
    forces = np.array([np.linalg.norm(each.wrench) for each in rows])
    free = forces < 0.5
    return Press(
        seconds=rows[-1].time - rows[0].time,
        behind=float(np.percentile(gaps[free], 95)),
        depth=float(gaps.max()),
        force=float(forces.max()),
        causes=tuple(np.array([each.causes for each in rows]).max(axis=0).tolist()),
        lowest=min(each.lowest for each in rows),
    )


@pytest.fixture(scope="module")
def virtual(tmp_path_factory: pytest.TempPathFactory) -> Press:
    """One press on the virtual clock."""
    rows: list[Row] = []
    with (
        emulated(GANTRY, tmp_path_factory.mktemp("virtual"), CYCLE) as bench,
        StateReader(bench.servo.part.writer.path) as state,
    ):
        reader = RecordReader(state)
        for _ in range(34):
            bench.ticks(100)
            batch = reader.read()
            rows += [row(batch.first + i, record) for i, record in enumerate(reader.snapshots(batch))]
    return presses(rows)[0]


@pytest.fixture(scope="module")
def wall(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Records of a session on the wall clock, until one press was whole and something has been seen of the grid."""
    file = tmp_path_factory.mktemp("wall") / "gantry.mad"
    file.write_text(GANTRY, encoding="utf8")
    rows: list[Row] = []
    job = Job(file=str(file), devices={"": f"sim:syntaxer?hand={CYCLE}"})
    with ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        reader, end = RecordReader(state), time.monotonic() + PATIENCE
        while time.monotonic() < end:
            time.sleep(0.05)
            batch = reader.read()
            assert batch.lost == 0
            rows += [row(batch.first + i, record) for i, record in enumerate(reader.snapshots(batch))]
            if rows and rows[-1].time - rows[0].time > 4.0 and presses(rows):
                break
    assert presses(rows), "something stood still in every press: this machine is too busy"
    return rows


def test_no_record_is_lost_or_doubled(wall: list[Row]) -> None:
    assert [each.number for each in wall] == list(range(wall[0].number, wall[0].number + len(wall)))
    assert [each.tick for each in wall] == list(range(wall[0].tick, wall[0].tick + len(wall)))
    assert (np.diff([each.time for each in wall]) > 0.0).all()


def test_ticks_that_are_missing_from_the_grid_are_those_that_were_counted(wall: list[Row]) -> None:
    """Place on the grid: ticks done and skipped. A tick begins at its place or later, never by a place too much."""
    period = 1e-3
    times = np.array([each.time for each in wall])
    places = np.array([each.tick + each.skipped for each in wall])
    assert (np.diff(places) >= 1).all()
    late = times - period * places
    windows = np.array_split(late, 4)
    spread = max(window.min() for window in windows) - min(window.min() for window in windows)
    assert spread < PART_OF_PERIOD * period
    assert wall[-1].skipped >= wall[0].skipped
    assert wall[-1].skipped == wall[0].skipped or wall[-1].late > 0  # none is skipped without a late one


def test_what_is_felt_is_what_the_virtual_clock_says(wall: list[Row], virtual: Press) -> None:
    real = presses(wall)[0]
    assert real.seconds == pytest.approx(virtual.seconds, rel=0.1)
    assert virtual.force > 3.0
    stops = FELT.index(Cause.STOPS)
    assert virtual.force / WITHIN < real.force < virtual.force * WITHIN
    assert virtual.causes[stops] / WITHIN < real.causes[stops] < virtual.causes[stops] * WITHIN
    assert virtual.depth / SHARE < real.depth < SHARE * virtual.depth + DEEPER
    assert real.causes[FELT.index(Cause.COUPLING)] == pytest.approx(
        virtual.causes[FELT.index(Cause.COUPLING)] * real.depth / virtual.depth, rel=0.2
    )  # the same spring
    assert real.behind < virtual.behind + BEHIND
    assert min(real.lowest, virtual.lowest) > -GENERATED
