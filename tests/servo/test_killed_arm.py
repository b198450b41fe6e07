"""The default bench as processes: an arm that is killed and started again, at the same address."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable
from urllib.parse import quote

import pytest

from sim_devices.arm_links.process import ArmWishes, started
from sim_devices.running import running
from station.run.launch import ServoProcess
from station.run.places import DEFAULT_BENCH
from station.servo.job import Job
from station.servo.rig import Wanted
from station.servo.shared import ControllerCode, Event, ServoState, StateReader

pytestmark = pytest.mark.wall_clock

HAND = "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.5; press deadman; hold 1.2; release deadman; hold 0.3; again"
PATIENCE = 90.0  # [s]: a busy machine is no failure


def waited(until: Callable[[], bool]) -> bool:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.01)
    return False


def free_port() -> int:
    with socket.socket() as door:
        door.bind(("127.0.0.1", 0))
        return int(door.getsockname()[1])


def test_an_arm_that_is_killed_is_lost_and_one_that_is_started_again_is_led_again() -> None:
    address = f"tcp://127.0.0.1:{free_port()}"
    wishes = ArmWishes(str(DEFAULT_BENCH), link=address)
    job = Job(
        file=str(DEFAULT_BENCH),
        devices={"": f"sim:syntaxer?hand={quote(HAND)}"},
        controllers={"": address},
        wanted=Wanted(),
    )
    with started(wishes), ServoProcess(job) as servo, StateReader(servo.ready.state) as state:

        def is_in(wanted: ServoState) -> bool:
            shown = state.read()
            return shown is not None and int(shown.state[0]) == wanted

        assert waited(lambda: is_in(ServoState.ENGAGED))
        (arm,) = (note for note in running() if note.address == address)
        os.kill(arm.process, signal.SIGKILL)
        assert waited(lambda: not is_in(ServoState.ENGAGED))
        shown = state.read()
        assert shown is not None
        assert int(shown.state[0]) == ServoState.HOLD
        assert Event(int(shown.cause[0])) in (Event.ARM_LOST, Event.RELEASED)
        assert waited(lambda: (now := state.read()) is not None and now.controller_status[0] == ControllerCode.LOST)
        assert servo.running
        with started(wishes):
            assert waited(lambda: is_in(ServoState.ENGAGED)), "not led again"
        servo.close()
        assert servo.ending == ""
