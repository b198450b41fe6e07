"""A constant far away from a kernel is part of it: machine code that was made with another one never runs.

LOST_AFTER stands in station/devices/device.py and is compiled into what receives samples of a syntaxer. Were it not in
the key, a driver that was compiled with 5 s once would go on to wait for 5 s whatever the file says.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.syntaxer import connection
from firmware_bridge.syntaxer.connection import swift_receive, swift_transmit
from station.cache import cache_home
from station.kernel.key import key_of
from station.kernel.library import folder

ROOT = Path(__file__).parents[2]
WHERE = "station/devices/device.py"
PLAIN, LONG = "LOST_AFTER = 0.02", "LOST_AFTER = 5.0"

# A driver, one STATE from the other end of its port, then silence; asked as a compiled tick asks.
SILENCE = """
import json, socket
from firmware_bridge.port import Port
from firmware_bridge.syntaxer.connection import swift_receive
from firmware_bridge.syntaxer.driver import SyntaxerDevice
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.messages import State, pack
from station.clock import VirtualClock
from station.devices.swift import Received
from station.kernel.key import key_of

ours, theirs = socket.socketpair()
clock = VirtualClock(1.0)
device = SyntaxerDevice("test:", clock, lambda: Port(ours.fileno(), "test"))
device._connect()
device._connected = device._sensing.connection.streaming = True
counts = device.model.counts_of(device.model.joints_at(device.model.middle).values)
state = State(0, 1000, 0, 65535, 0, 0, 0, 0, 0, 0.0, 20.0, 24.0, tuple(counts.tolist()), (0.0,) * 6)
theirs.send(encode(pack(state, 1, 1000)))
sample = device.newest()
heard = [sample is not None, device.status.value]
swift, lost_after = device.swift, None
for tick in range(1, 1001):
    clock.advance(0.001)
    if swift_receive(swift.state, swift.memory, clock.now()) == Received.LOOK:
        device.newest()
        if lost_after is None and device.status.value == "lost":
            lost_after = tick
print(json.dumps([*heard, device.status.value, lost_after, key_of(swift_receive)]))
"""


def test_a_loss_is_reported_after_the_time_that_the_file_says_now(tmp_path: Path) -> None:
    for package in ("station", "firmware_bridge"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / package, tmp_path / package, copy_function=os.symlink, ignore=ignored)
    # A cache of its own, so that nobody else meets what is compiled here; what is known already is known there, too.
    cache = tmp_path / "cache"
    known = cache / folder().relative_to(cache_home().parent)
    if folder().exists():
        shutil.copytree(folder(), known, copy_function=os.symlink, ignore=shutil.ignore_patterns("lock"))
    edited = tmp_path / WHERE
    text = edited.read_text(encoding="utf8")
    assert text.count(PLAIN) == 1
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(cache)}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"

    def silence(line: str) -> tuple[Any, ...]:
        edited.unlink()
        edited.write_text(text.replace(PLAIN, line), encoding="utf8")
        command = [sys.executable, "-c", SILENCE]
        ran = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
        assert ran.returncode == 0, ran.stderr
        return tuple(json.loads(ran.stdout))

    *said, long_key = silence(LONG)
    assert said == [True, "ready", "ready", None]
    *said, key = silence(PLAIN)
    assert said == [True, "ready", "lost", 21]  # ticks of 1 ms
    assert key != long_key


def test_the_key_of_what_receives_follows_the_constant_and_that_of_what_sends_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def keys() -> tuple[str, str]:
        for one in vars(connection).values():
            if hasattr(one, "is_kernel"):
                one.key = None  # look again
        return key_of(swift_receive), key_of(swift_transmit)

    before = keys()
    with monkeypatch.context() as patch:
        patch.setattr(connection, "LOST_AFTER", 5.0)
        changed = keys()
    assert changed[0] != before[0]
    assert changed[1] == before[1]
    assert keys() == before
