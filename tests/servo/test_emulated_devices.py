"""Every emulated device leads a robot, by its own button, as long as one likes: on a virtual clock and on wall time.

On the virtual clock a minute must pass without a loss. On the wall clock a machine that is busy with other things may
lose a device now and then; so what must come is one press of the dead-man from its beginning to its end.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

import robots
from sim_devices.kinds import SERIAL
from sim_devices.usb_kinds import USB
from station.clock import VirtualClock
from station.devices import open_device
from station.devices.device import DeviceStatus
from station.run.launch import ServoProcess
from station.servo.job import Job
from station.servo.rig import RigError, Wanted, put_together
from station.servo.servo import Servo
from station.servo.shared import Event, RecordReader, ServoState, StateReader
from tests.servo.rigs import GANTRY, IdealDevice, ideal, loaded

KINDS = (*SERIAL, *USB)
BUTTONS = {
    "syntaxer": "the dead-man",
    "magellan": "button 1",
    "spaceball": "button 1",
    "mouse3d": "the left button",
    "falcon": "the centre button",
    "spacemouse": "the left button",
}
MINUTE = 60.0  # [s]
MOVED = 0.005  # that the robot goes at least [m]
MIDDLE = {"syntaxer": 0.22}  # where the handle is held, along x; elsewhere 0 [m]
PRESS = (
    "tighten 0.5; reach {x} 0 0 in 0.3; hold 0.2; press deadman; hold 0.3; reach {x} 0.02 0 in 0.5; hold 0.2; "
    "reach {x} 0 0 in 0.5; hold 0.2; release deadman; hold 0.3; again"
)
PATIENCE = 60.0  # for one press that nothing disturbed [s]


@pytest.mark.parametrize("kind", KINDS)
def test_it_leads_for_a_minute_without_a_loss(kind: str, tmp_path: Path) -> None:
    clock = VirtualClock()
    with (
        open_device(f"sim:{kind}", clock) as device,
        Servo(put_together(loaded("ur5e"), device, Wanted()), clock=clock, folder=tmp_path) as servo,
    ):
        servo.tick()
        begun, start, way, engaged = False, servo.part.shared.predicted_pose[:3, 3].copy(), 0.0, 0
        while clock.now() < MINUTE:
            servo.tick()
            begun = begun or servo.part.state is ServoState.READY
            assert device.status is DeviceStatus.READY, f"at {clock.now():.3f} s: {device.reason}"
            assert not begun or servo.part.state is not ServoState.OFF, f"at {clock.now():.3f} s"
            engaged += servo.part.state is ServoState.ENGAGED
            way = max(way, float(np.linalg.norm(servo.part.shared.predicted_pose[:3, 3] - start)))
        assert engaged > 0.5 * MINUTE / servo.period
        assert way > MOVED
        assert device.frames_lost == 0


@pytest.mark.wall_clock
@pytest.mark.parametrize("kind", KINDS)
def test_it_leads_on_the_wall_clock_and_the_button_to_hold_is_told(kind: str) -> None:
    hand = PRESS.format(x=MIDDLE.get(kind, 0.0))
    job = Job(file=str(robots.path("ur5e")), devices={"": f"sim:{kind}?hand={hand}"})
    with ServoProcess(job) as servo, StateReader(servo.ready.state) as state:
        assert servo.ready.parts[0].dead_man == BUTTONS[kind]
        assert f"hold {BUTTONS[kind]} to engage" in servo.ready.lines
        reader, end, held, way = RecordReader(state), time.monotonic() + PATIENCE, [], 0.0
        losses = []
        while time.monotonic() < end and not way > MOVED:
            time.sleep(0.05)
            for record in reader.snapshots(reader.read()):
                if int(record.state[0]) == ServoState.ENGAGED:
                    held.append(record.predicted_pose[:3, 3].copy())
                    continue
                if held and int(record.cause[0]) == Event.RELEASED:
                    way = float(np.ptp(held, axis=0).max())
                elif held:
                    now = state.read()  # a record has no text
                    losses.append(f"{Event(int(record.cause[0])).words} ({now.reason_text if now else ''})")
                held = []
        assert way > MOVED, f"no press came to its end: {losses or 'it never engaged'}"


def test_a_slow_device_leads_unless_it_pushes(tmp_path: Path) -> None:
    with ideal(GANTRY, tmp_path, force=0.0, rate=10.0) as bench:
        bench.engage()
        assert bench.servo.part.state is ServoState.ENGAGED
    with pytest.raises(RigError, match=r"^ideal gives 10 samples per second; a device that pushes gives 50 or more$"):
        put_together(loaded(GANTRY), IdealDevice(VirtualClock(), rate=10.0), Wanted())
