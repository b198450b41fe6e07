"""The emergency stop on the device, with an arm: as long as it is pressed, nobody and nothing leaves the stop."""

from __future__ import annotations

from pathlib import Path

import pytest

from sim_devices.arm.machine import ArmState
from station.devices import Sample
from station.servo.shared import Event, Reset, ServoState
from station.servo.shared.words import Reason
from tests.servo.arm_benches import ArmBench, arm_bench

BUTTON = 7  # one that the emulated device does not have, so that only this test presses it


class Pressed:
    """What a device with such a button says, with a new sample in every so many ticks."""

    def __init__(self, bench: ArmBench, every: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.down, self._every, self._count = True, every, 0
        servo = bench.servo
        self._newest = servo.part.device.newest
        servo.part.rig = servo.part.rig._replace(stop_button=BUTTON)
        servo.part.memory.stop_button = BUTTON
        monkeypatch.setattr(type(servo.part.device), "swift", property(lambda _: None))  # samples by `newest` alone
        servo.part.memory.connect(None)
        servo.part.device.newest = self.newest  # type: ignore[method-assign]

    def newest(self) -> Sample | None:
        said = self._newest()
        self._count += 1
        if said is None or self._count % self._every:
            return None
        return said._replace(buttons=said.buttons | (self.down << BUTTON))


@pytest.mark.parametrize("every", [1, 2, 10])
def test_a_reset_while_the_button_is_pressed_leaves_station_and_arm_stopped(
    tmp_path: Path, every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with arm_bench(tmp_path) as bench:
        bench.until(1.0)
        button = Pressed(bench, every, monkeypatch)
        bench.ticks(300)
        assert (bench.state(), bench.arm.state) == (ServoState.FAULT, ArmState.STOPPED)
        assert bench.shared.fault is Event.ESTOP
        assert bench.servo.part.orders.decide(Reset()) is Reason.FAULT
        bench.servo.part.facts.ask("reset")  # even if it came another way
        for _ in range(300):
            bench.ticks()
            assert (bench.state(), bench.arm.state) == (ServoState.FAULT, ArmState.STOPPED)
        button.down = False
        bench.ticks(30)
        assert bench.servo.part.orders.decide(Reset()) is Reason.ACCEPTED
        bench.ticks(100)
        assert (bench.state(), bench.arm.state) == (ServoState.READY, ArmState.READY)
