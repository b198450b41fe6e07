"""The recorder as a process of its own: `python -m station.tasks.recording`, with an order on its standard input.

It says one line of JSON each: `loaded` when it waits for its order, `recording` when it has begun, `trouble` when
something goes wrong, `recorded` at its end, or `error`. It ends with the servo, or on SIGTERM or SIGINT; it survives
the process that started it, to complete its file.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from station.errors import StationError
from station.private import OwnFolder
from station.servo.shared import StateReader, StateWriter
from station.servo.shared.parts import opened_parts, part_names
from station.tasks.recording.facts import attach, calibration_of, versions
from station.tasks.recording.order import Order
from station.tasks.recording.parts import places_of
from station.tasks.recording.recorder import Recorder
from station.tasks.recording.writing import Writer


def say(kind: str, **what: Any) -> None:
    """One line for the process that started this one, if it is still there."""
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.write(json.dumps({"kind": kind, **what}) + "\n")
        sys.stdout.flush()


def main() -> int:
    """Read an order and carry it out; returns the exit code."""
    rehearse()
    say("loaded")
    line = sys.stdin.readline()
    if not line:
        return 0  # the one who started it is gone already
    try:
        record(Order.from_line(line))
    except StationError as error:
        say("error", text=str(error))
        return 2
    return 0


def rehearse() -> None:
    """Do everything once, so that nothing is loaded for the first time when a servo waits for nobody."""
    with (
        OwnFolder("rehearsal") as place,
        StateWriter(1, name="rehearsal", folder=place) as servo,
        StateReader(servo.path) as state,
    ):
        recorder = Recorder(state, Writer(place / "rehearsal.mcap", chunk=math.inf))
        servo.shared.tick = 1
        servo.publish()
        recorder.take()
        recorder.write()
        recorder.close()


def ask_for_time() -> None:
    """The least of all real-time priorities, far below the servo's: on a busy machine others could take seconds."""
    with contextlib.suppress(OSError):  # not everybody may; then it is an ordinary process
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def record(order: Order) -> None:
    """Record a servo until it ends or a signal comes."""
    ask_for_time()
    with opened_parts(Path(order.state)) as states:
        writer = Writer(order.path, overwrite=order.overwrite, kind="run", chunk=math.inf)
        try:
            troubles = _introduce(writer, order, [state.text for state in states])
            recorder = Recorder(states, writer, lambda text: say("trouble", text=text))
        except BaseException:
            writer.discard()
            raise
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda _number, _frame: recorder.stop())
        say("recording", path=order.path)
        for text in troubles:
            say("trouble", text=text)
        done = recorder.run()
    say("recorded", **done._asdict())


def _introduce(writer: Writer, order: Order, texts: Sequence[Mapping[str, Any]]) -> list[str]:
    """What does not change while it records."""
    writer.metadata("versions", versions())
    for place, text in zip(places_of(part_names(texts)), texts, strict=True):
        writer.metadata(place.metadata("calibration"), calibration_of(text))
    for name, values in order.metadata.items():
        writer.metadata(name, values)
    return attach(writer, order.attach)
