"""A tick of several hands, robots and arms, beside one of each; and of sixteen robots that commands lead.

    python -m benchmarks parts

Panda arms (7 axes), emulated syntaxers, emulated arms over ZeroMQ. One and two take turns, so that what else runs on
the machine meets both; ratios mean more than times.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np

import robots
from station.emulated import launched_arm
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.pacing import Measure
from station.servo.shared import CommandClient, JointTargets, Mode, ServoState, SetMode, StateReader
from station.servo.shared.runtime import COMMANDS, parts_of

HAND = (
    "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.6; press deadman; hold 0.2; circle radius=30mm period=1 for 60; "
    "release deadman; hold 0.2; again"
)
APART = 3000  # [mm]
TURNS, SECONDS = 3, 4.0
P50, P99 = 0, 2
SIXTEEN = 16
SWING = 0.2  # [rad]


def scene(count: int, hands: int) -> str:
    """Several Pandas side by side, the first of them led by hands."""
    text = robots.path("panda").read_text(encoding="utf8")
    body = re.search(r"robot panda (\{.*\})", text, re.DOTALL)
    assert body is not None
    alone = re.sub(r"constraint \{ tool 9[^}]*\}", "", body[1])
    made = ["RAFF v2.0 Pandas"]
    made += [f'device {n} {{ name "hand{n}" scale {{ 1 1 1 }} }}' for n in range(1, hands + 1)]
    for n in range(1, count + 1):
        placed = re.sub(r"base \{", f"base {{ pos {{ 0 {APART * n} 0 }} ", alone, count=1)
        tied = f"constraint {{ tool 9 device ( 0 {n} ) }} }}" if n <= hands else "}"
        made.append(f"robot panda{n} {placed.rstrip()[:-1]} {tied}")
    return "\n".join(made)


def led(count: int, folder: Path, seconds: float) -> tuple[float, float]:
    """p50 and p99 of the tick [µs] with so many hands, robots and arms."""
    file = folder / f"pandas{count}.mad"
    file.write_text(scene(count, count), encoding="utf8")
    numbers = range(1, count + 1)
    with ExitStack() as stack:
        arms = {f"panda{n}": stack.enter_context(launched_arm("sim:arm", str(file), f"panda{n}")) for n in numbers}
        job = Job(
            file=str(file),
            devices={f"hand{n}": f"sim:syntaxer?hand={HAND}" for n in numbers},
            controllers={name: arm.address() for name, arm in arms.items()},
        )
        return _watched(stack.enter_context(ServoProcess(job)), seconds)


def by_commands(count: int, folder: Path, seconds: float) -> tuple[float, float]:
    """The same with so many robots that nobody's hand leads, all of them moved by commands."""
    file = folder / f"alone{count}.mad"
    file.write_text(scene(count, 0), encoding="utf8")
    with ExitStack() as stack:
        servo = stack.enter_context(ServoProcess(Job(file=str(file), devices={})))
        clients = []
        for path in parts_of(servo.ready.state):
            shown = stack.enter_context(StateReader(path)).read()
            assert shown is not None
            client = stack.enter_context(CommandClient(path.with_suffix(COMMANDS)))
            client.ask(SetMode(Mode.JOINTS))
            clients.append((client, np.array(shown.predicted_q)))
        with StateReader(servo.ready.state) as state:
            windows, end = [], time.monotonic() + seconds
            while time.monotonic() < end:
                for client, start in clients:
                    client.ask(JointTargets(tuple((start + SWING * np.sin(time.monotonic())).tolist())))
                time.sleep(0.05)
                shown = state.read()
                assert shown is not None
                windows.append(np.array(shown.percentiles[Measure.TICK]))
        p50, p99 = 1e6 * np.median(windows[len(windows) // 2 :], axis=0)[[P50, P99]]
        return float(p50), float(p99)


def _watched(servo: ServoProcess, seconds: float) -> tuple[float, float]:
    with ExitStack() as stack:
        state, *others = (stack.enter_context(StateReader(path)) for path in parts_of(servo.ready.state))
        while not all(_is_led(one) for one in (state, *others)):
            time.sleep(0.1)
        time.sleep(1.5)
        windows, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(0.5)
            shown = state.read()
            assert shown is not None
            if all(_is_led(one) for one in (state, *others)):
                windows.append(np.array(shown.percentiles[Measure.TICK]))
        if not windows:
            raise SystemExit("no time in which all hands led: the machine is too busy")
        p50, p99 = 1e6 * np.median(windows, axis=0)[[P50, P99]]
        return float(p50), float(p99)


def _is_led(state: StateReader) -> bool:
    shown = state.read()
    return shown is not None and int(shown.state[0]) == ServoState.ENGAGED


def run() -> dict[str, float]:
    """All figures."""
    turns, seconds = (1, 1.0) if "--quick" in sys.argv else (TURNS, SECONDS)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        pairs = [(led(1, folder, seconds), led(2, folder, seconds)) for _ in range(turns)]
        many = by_commands(SIXTEEN, folder, seconds)
    one, two = (np.median([pair[k] for pair in pairs], axis=0) for k in (0, 1))
    return {
        "one hand, robot, arm: tick p50 [µs]": float(one[0]),
        "two of each: tick p50 [µs]": float(two[0]),
        "two over one (2.2 is wanted)": float(np.median([b[0] / a[0] for a, b in pairs])),
        "two of each: tick p99 [µs]": float(two[1]),
        "sixteen robots by commands: tick p50 [µs]": many[0],
        "sixteen robots by commands: tick p99 [µs]": many[1],
    }
