"""An arm that sleeps at its doors: what wakes it is heard at once, and an emergency stop before a setpoint."""

from __future__ import annotations

import itertools
import select
from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np
import pytest

from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links import emulator
from sim_devices.arm_links.zeromq import ZeroMqArm
from tests.controllers.double import DoubleArm

PLACES = (f"inproc://woken-{number}" for number in itertools.count())  # each name once: a socket closes when it can
TICK = 0.001  # [s]


class SleepingClock:
    """Time that passes while the arm sleeps, and nowhere else."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def sleep_until(self, moment: float) -> None:
        self.time = max(self.time, moment)


class Asleep:
    """Station and arm in one thread: whenever the arm goes to sleep, the station does the next thing."""

    def __init__(self) -> None:
        self.clock, self.arm = SleepingClock(), DoubleArm()
        place = next(PLACES)
        self.server = ZeroMqArm(self.arm, place, self.clock)
        self.station = ArmController(place, self.clock, ZeroMqLink(place, place))
        self.station._connect()
        self.station._connected = True
        self._script: list[Callable[[], object]] = []

    def select(self, doors: list[int], *_: object) -> tuple[list[int], list[int], list[int]]:
        """In place of the system's: takes no time, but for that of the clock."""
        self.clock.time += TICK / 4.0
        if self._script:
            self._script.pop(0)()
        return select.select(doors, (), (), 0.0)

    def sleeps(self, *script: Callable[[], object]) -> None:
        """Let the arm live and sleep until all is done, and once more."""
        self._script = list(script)
        while self._script:
            self.server.run(TICK)
        self.server.run(TICK)

    def sends(self, sequence: int, place: float) -> Callable[[], object]:
        return lambda: self.station.send(np.array([place, 0.0, 0.1, 0.0]), None, None, sequence)

    def close(self) -> None:
        self.station.close()
        self.server.close()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Asleep]:
    with closing(Asleep()) as made:
        monkeypatch.setattr(emulator, "select", made)
        for _ in range(20):
            made.sleeps(made.station.newest)
        made.sleeps(made.station.activate, made.station.newest, made.station.newest)
        assert made.arm.state is ArmState.ACTIVE
        yield made


def test_a_setpoint_wakes_the_arm_and_is_answered_in_the_same_step(bench: Asleep) -> None:
    seen: list[float] = []
    bench.sleeps(bench.sends(1, 0.2), lambda: seen.extend((bench.arm.echo, bench.station.newest().echo)))  # type: ignore[union-attr]
    assert seen == [1, 1]
    assert bench.arm.q[0] == 0.2
    assert bench.server.desk.arrivals == (1, 0, 0)


def test_of_setpoints_that_wake_it_together_the_newest_acts(bench: Asleep) -> None:
    def three() -> None:
        for sequence in (1, 2, 3):
            bench.sends(sequence, 0.1 * sequence)()

    bench.sleeps(three)
    assert bench.arm.q[0] == pytest.approx(0.3)
    assert bench.server.desk.arrivals == (3, 2, 0)


def test_a_stop_that_wakes_it_together_with_a_setpoint_acts_first(bench: Asleep) -> None:
    def both() -> None:
        bench.sends(1, 0.2)()
        bench.station.stop()

    bench.sleeps(both)
    assert bench.arm.state is ArmState.STOPPED
    assert bench.arm.q[0] == 0.0
    assert bench.server.desk.refused_setpoints == 1


def test_a_stop_that_comes_after_it_was_woken_by_a_setpoint_still_acts_first(bench: Asleep) -> None:
    wait = bench.select

    def late(doors: list[int], *rest: object) -> tuple[list[int], list[int], list[int]]:
        came = wait(doors, *rest)
        if bench.server._setpoint_door in came[0]:
            bench.station.stop()  # its door is not among those that were seen
        return came

    bench.select = late  # type: ignore[method-assign]
    bench.sleeps(bench.sends(1, 0.2))
    assert bench.arm.state is ArmState.STOPPED
    assert bench.arm.q[0] == 0.0
    assert bench.server.desk.refused_setpoints == 1


def test_a_request_that_wakes_it_is_heard(bench: Asleep) -> None:
    bench.sleeps(bench.station.deactivate)
    assert bench.arm.state is ArmState.READY


def test_a_door_that_moved_though_nothing_came_in_does_no_harm(bench: Asleep) -> None:
    server = bench.server
    server._knocked = server._doors()
    server.step_to(bench.clock.now())
    assert sum(server.desk.refused.values()) == 0
    bench.sleeps(bench.sends(1, 0.2))
    assert bench.arm.q[0] == 0.2
