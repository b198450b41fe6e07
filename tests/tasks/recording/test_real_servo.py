"""A real servo on a virtual clock: recorded, then led again by the recorded hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from station.bench import load
from station.clock import VirtualClock
from station.devices import open_device
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Cause, RecordReader, ServoState, StateReader
from station.tasks.recording import Recording, Writer
from station.tasks.recording.channels import recorded
from station.tasks.recording.recorder import Recorder
from tests.servo.rigs import emulated

pytestmark = pytest.mark.wall_clock

SESSION = """tighten 0.6 in 0.2; reach 0.22 0 0 in 0.5; press deadman; reach 0.22 0.04 0.03 in 0.4
circle radius=20mm period=0.5 for 0.5; release deadman; hold 0.2"""
TICKS = 2000


def record(folder: Path) -> tuple[Path, np.ndarray[tuple[int, ...], np.dtype[np.int64]]]:
    """A session of two seconds; returns the recording, and the ring as it was."""
    path = folder / "run.mcap"
    rows = []
    with emulated("ur5e", folder, SESSION) as bench, StateReader(bench.servo.part.writer.path) as state:
        ring = RecordReader(state, from_start=True)
        recorder = Recorder(state, Writer(path, kind="run", chunk=math.inf))
        for _ in range(TICKS // 200):
            bench.ticks(200)
            recorder.take()
            recorder.write()
            rows.append(ring.read().records)
        recorder.close()
    return path, np.concatenate(rows)


def test_a_session_is_recorded_and_the_recorded_hand_leads_again(folder: Path) -> None:
    path, rows = record(folder)
    with Recording(path) as recording:
        tables = recording.tables(recorded(6))
        events = recording.messages("/events")
        told = recording.metadata
    ticks = tables["/status"]["tick"]
    rows = rows[rows[:, 0] > 0]
    assert np.array_equal(ticks, rows[:, 0])
    for name, places in recorded(6).items():
        for place in places:
            found = np.ascontiguousarray(tables[name][place.name]).reshape(len(rows), -1).view(np.int64)
            assert np.array_equal(found, rows[:, place.start : place.end]), place.name
    states = events["code"][events["kind"] == "state"].tolist()
    assert ServoState.ENGAGED in states
    assert told["servo"]["robot"] == "ur5e"
    assert [joint["type"] for joint in json.loads(told["servo"]["joints"])] == ["revolute"] * 6
    parts = tables["/forces"]["wrench_parts"]
    assert np.allclose(parts.sum(axis=1), tables["/forces"]["wrench"], atol=1e-9)
    assert np.abs(parts[:, Cause.COUPLING]).max() > 0.0

    first, again = tables["/predicted"]["predicted_q"], led_by(path, folder)
    moved = np.abs(first - first[0]).max()
    assert moved > 0.02  # [rad]
    assert np.abs(again[-1] - first[-1]).max() < 0.02 * moved  # where the hand left it


def led_by(path: Path, folder: Path) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Predicted joints of a servo in the hand of a recording."""
    clock = VirtualClock(1.0)
    taken = []
    with open_device(f"replay:{path}", clock) as device:
        assert device.capabilities.model == "syntaxer"
        assert not any(axis.actuated for axis in device.capabilities.axes)
        rig = put_together(load("robots/ur5e.mad"), device, Wanted())
        with Servo(rig, clock=clock, folder=folder, name="again") as servo:
            for _ in range(TICKS):
                servo.tick()
                taken.append(servo.part.shared.predicted_q.copy())
    return np.array(taken)
