"""What recording costs: to the tick, to the processor, to the disk.

    python -m benchmarks.recording                 8 windows with a recorder and 8 without, of one servo at 1 kHz

The servo is one process that runs all the time; every other window a recorder follows it. Figures of the tick are the
servo's own, of every tick. The recorder's processor time is that of its process. For comparison the same ticks are
written by the `mcap` library's own writer, message by message.
"""

from __future__ import annotations

import argparse
import math
import os
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from mcap.writer import Writer as LibraryWriter

import robots
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.pacing import Measure
from station.servo.rig import Wanted
from station.servo.shared import RecordReader, StateReader
from station.servo.shared.memory import Layout, Words
from station.tasks.recording import Writer
from station.tasks.recording.channels import recorded, schemas
from station.tasks.recording.launch import RecorderProcess
from station.tasks.recording.order import Order
from station.tasks.recording.tape import Tape

HAND = (
    "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; circle radius=30mm period=1 for 6; "
    "release deadman; hold 0.2; again"
)
WINDOW, SETTLE = 2.0, 1.0  # [s]
PAIRS = 8
MICRO = 1e6
CHUNK = 200  # ticks


class Window(NamedTuple):
    """Some seconds of a servo."""

    tick: float  # median cost [µs]
    tick_p99: float  # [µs]
    publish: float  # median cost of that stage [µs]
    wake_up_p99: float  # [µs]
    late: float  # share of ticks
    processor: float  # of the recorder, share of one; nan without
    size: float  # of the recording [bytes/s]; nan without
    rows: Words


def watched(state: StateReader, seconds: float) -> Words:
    """All records of so long [s]."""
    reader, taken, end = RecordReader(state), [], time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.1)
        taken.append(reader.read().records)
    return np.concatenate(taken)


def window(state: StateReader, folder: Path, number: int, with_recorder: bool) -> Window:
    """Watch a servo, with a recorder or without; one is loaded in both cases, as loading disturbs too."""
    path = folder / f"{number}.mcap"
    processor = size = math.nan
    with RecorderProcess() as recorder:
        recorder.wait_until_loaded()
        if with_recorder:
            recorder.begin(Order(state=str(state.path), path=str(path)))
        time.sleep(SETTLE)  # it begins with the eight seconds that are in the ring
        if with_recorder:
            before, size_before, begun = used(recorder.process), path.stat().st_size, time.monotonic()
        rows = watched(state, WINDOW)
        if with_recorder:
            lasted = time.monotonic() - begun
            processor = (used(recorder.process) - before) / lasted
            size = (path.stat().st_size - size_before) / lasted
    path.unlink(missing_ok=True)
    spent = column(state.layout, rows, "spent").reshape(len(rows), -1) * MICRO
    late = column(state.layout, rows, "late_ticks", whole=True)[:, 0]
    return Window(
        float(np.median(spent[:, Measure.TICK])),
        float(np.percentile(spent[:, Measure.TICK], 99.0)),
        float(np.median(spent[:, Measure.PUBLISH])),
        float(np.percentile(spent[:, Measure.WAKE_UP], 99.0)),
        float(late[-1] - late[0]) / len(rows),
        processor,
        size,
        rows,
    )


def column(layout: Layout, rows: Words, name: str, whole: bool = False) -> np.ndarray[Any, Any]:
    """A field of many records."""
    place = layout.by_name[name]
    part = np.ascontiguousarray(rows[:, place.start : place.end])
    return part if whole else part.view(np.float64)


def used(process: int) -> float:
    """Processor time of a process so far [s]."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) * 1e-9


def per_tick(layout: Layout, rows: Words, folder: Path) -> tuple[float, float]:
    """Processor time to write a tick: by our writer and by the library's [µs]."""
    rows = rows[rows[:, layout.by_name["tick"].start] > 0]
    path = folder / "tape.mcap"
    with Writer(path, chunk=math.inf) as writer:
        tape = Tape(writer, layout, {})
        tape.add(rows[:CHUNK])
        writer.flush()
        begun = time.process_time()
        for first in range(CHUNK, len(rows), CHUNK):
            tape.add(rows[first : first + CHUNK])
            writer.flush()
        ours = (time.process_time() - begun) / (len(rows) - CHUNK)
    with path.open("wb") as stream:
        library = LibraryWriter(stream)
        library.start()
        channels = {}
        for name, schema in schemas(layout.joints).items():
            of_schema, of_message = schema.encodings
            number = library.register_schema(schema.full_name, of_schema, schema.text.encode())
            channels[name] = library.register_channel(name, of_message, number)
        begun = time.process_time()
        for row in rows:
            for name, places in recorded(layout.joints).items():
                data = b"\0\1\0\0" + b"".join(row[place.start : place.end].tobytes() for place in places)
                library.add_message(channels[name], 1, data, 1)
        library.finish()  # type: ignore[no-untyped-call]
        theirs = (time.process_time() - begun) / len(rows)
    path.unlink()
    return ours * MICRO, theirs * MICRO


def measured(pairs: int, robot: str = "panda") -> dict[str, float]:
    """Figures of so many windows with a recorder and without, by turns."""
    job = Job(file=str(robots.path(robot)), devices={"": f"sim:syntaxer?hand={HAND}"}, wanted=Wanted())
    windows: dict[bool, list[Window]] = {True: [], False: []}
    with tempfile.TemporaryDirectory() as place, ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        folder = Path(place)
        time.sleep(2.0)
        for number in range(2 * pairs):
            with_recorder = (number + number // 2) % 2 == 0  # with, without, without, with: a drift favours neither
            windows[with_recorder].append(window(state, folder, number, with_recorder))
        ours, theirs = per_tick(state.layout, windows[True][-1].rows, folder)
    on, off = windows[True], windows[False]
    added = [one.tick - other.tick for one, other in zip(on, off, strict=True)]
    figures: dict[str, float] = {"added to the tick [µs]": float(np.median(added))}
    figures["added to the tick, lower quartile [µs]"], figures["added to the tick, upper quartile [µs]"] = (
        float(value) for value in np.percentile(added, [25.0, 75.0])
    )
    for label, name in (
        ("tick p50", "tick"),
        ("tick p99", "tick_p99"),
        ("publish p50", "publish"),
        ("wake-up p99", "wake_up_p99"),
    ):
        figures[f"{label} without [µs]"], figures[f"{label} with [µs]"] = median(off, name), median(on, name)
    figures["late ticks without [%]"], figures["late ticks with [%]"] = (
        100.0 * float(np.mean([one.late for one in side])) for side in (off, on)
    )
    figures["recorder's processor [% of one]"] = 100.0 * median(on, "processor")
    figures["recording [MB/s]"] = median(on, "size") / 1e6
    figures["packing a tick, ours [µs]"] = ours
    figures["packing a tick, the library's writer [µs]"] = theirs
    figures["load of the machine"] = os.getloadavg()[0]
    return figures


def median(windows: list[Window], name: str) -> float:
    """Of one figure over windows."""
    return float(np.median([getattr(one, name) for one in windows]))


def run() -> dict[str, float]:
    """For `python -m benchmarks`."""
    return measured(PAIRS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=PAIRS)
    for label, value in measured(parser.parse_args().pairs).items():
        print(f"{label:<44}{value:.4g}")
