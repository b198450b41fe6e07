"""Drivers that talk to their device in a thread of Python need the interpreter while the servo sleeps."""

from __future__ import annotations

import threading
from pathlib import Path

from station.clock import WALL, VirtualClock
from station.servo import tick as need
from station.servo.rig import Wanted, put_together
from station.servo.servo import Servo
from tests.servo.rigs import GANTRY, IdealDevice, loaded


class WallDevice(IdealDevice):
    """One whose samples bear the time of the wall."""

    def __init__(self) -> None:
        super().__init__(VirtualClock())
        self.clock = WALL  # type: ignore[assignment]


def waits_in_python(servo: Servo, ticks: int = 1) -> bool:
    """Whether the last of some ticks was waited for outside compiled code, where other threads run."""
    waited = []
    servo._see_to[need.WAIT] = lambda _part: waited.append(servo.pace.wait())
    for _ in range(ticks):
        waited.clear()
        servo.tick()
    return bool(waited)


def test_the_servo_sleeps_where_other_threads_can_run_for_as_long_as_there_are_any(tmp_path: Path) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    with Servo(put_together(loaded(GANTRY), WallDevice(), Wanted()), folder=tmp_path) as servo:
        servo.pace.start()
        assert not waits_in_python(servo, servo.part.memory.slowly + 1)
        thread.start()
        try:
            assert waits_in_python(
                servo, servo.part.memory.slowly + 1
            )  # it looks now and then: a lost device is found by a thread
        finally:
            ended.set()
            thread.join()
        assert not waits_in_python(servo, servo.part.memory.slowly + 1)


def test_a_servo_made_with_such_a_driver_does_so_from_its_first_tick_on(tmp_path: Path) -> None:
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        with Servo(put_together(loaded(GANTRY), WallDevice(), Wanted()), folder=tmp_path) as servo:
            servo.pace.start()
            assert waits_in_python(servo)
    finally:
        ended.set()
        thread.join()
