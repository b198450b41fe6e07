"""Recorders that are killed: `python -m tests.tasks.recording.killing FOLDER KILLS SEED`.

One process loads everything once, and makes a child for each recorder. A child lets a made-up servo tick as fast as it
can and records it with the pauses of the real recorder, counted in ticks, until the parent kills it at some moment. How
far the servo had come is in its ring, which outlives it. Moments are chosen by the ticks of the servo, so that a busy
machine makes no difference.
"""

from __future__ import annotations

import json
import math
import os
import random
import signal
import sys
import time
from itertools import count
from pathlib import Path

import numpy as np

from station.servo.shared import StateReader, StateWriter
from station.servo.shared.memory import Header, Words
from station.tasks.recording import Writer
from station.tasks.recording.recorder import CHUNK_TIME, LOOK_EVERY, Recorder
from tests.monitor import synthetic

LOOK, CHUNK = round(LOOK_EVERY * synthetic.RATE), round(CHUNK_TIME * synthetic.RATE)  # [ticks]
LONGEST = 1200  # of a recorder's life [ticks]
LAST = 0.005  # time in which a child that has come so far is killed [s]


def child(folder: Path, number: int, rows: Words, last: int | None = None) -> None:
    """Tick and record until the end, or for so many ticks."""
    servo = StateWriter(synthetic.JOINTS, synthetic.TEXT, f"servo-{number}", folder)
    state = StateReader(servo.path)
    recorder = Recorder(state, Writer(folder / f"{number}.mcap", chunk=math.inf))
    if last is None:
        os.write(3, b"x")
    for ticks in count(1) if last is None else range(1, last):
        servo.take(rows[ticks % len(rows)])
        servo.shared.tick, servo.shared.time = ticks, 100.0 + ticks / synthetic.RATE
        servo.publish()
        if ticks % LOOK == 0:
            recorder.take()
        if ticks % CHUNK == 0:
            recorder.write(sync=ticks % (5 * CHUNK) == 0)


def ticks_of(ring: Path) -> int:
    """How far a servo has come."""
    return Header(np.fromfile(ring, np.uint8, Header.fixed_size)).head


def main(folder: Path, kills: int, seed: int) -> None:
    """Kill children at random moments; says how far each servo had come, one line of JSON each."""
    chance = random.Random(seed)
    rows = np.concatenate(list(synthetic.chunks(2.0)))
    child(folder, kills, rows, 3 * CHUNK)  # what is loaded for the first time is loaded here, once for all
    for number in range(kills):
        ready, begun = os.pipe()
        process = os.fork()
        if process == 0:
            os.dup2(begun, 3)
            try:
                child(folder, number, rows)
            finally:
                os._exit(1)
        os.read(ready, 1)
        os.close(ready)
        os.close(begun)
        ring = folder / f"servo-{number}.state"
        wanted = chance.uniform(0, LONGEST)
        while ticks_of(ring) < wanted:
            time.sleep(0.001)
        time.sleep(chance.uniform(0.0, LAST))
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        head = ticks_of(ring)
        ring.unlink()
        sys.stdout.write(json.dumps({"number": number, "ticks": head}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
