"""The emulated arm behind real servers and drivers: the bytes of a link on one side, physics on the other."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator

import numpy as np
import pytest

from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.protocol import Role
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import ArmSettings, ArmState, EmulatedArm, NetworkSettings, emulated_arm
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from tests.sim_devices.arm.benches import Floats, lever, rise, shipped

numbers = itertools.count()


class Bench:
    """A station's driver, a server and an arm, on one clock."""

    def __init__(self, arm: EmulatedArm, network: NetworkSettings | None = None) -> None:
        self.clock, self.arm = VirtualClock(), arm
        name = f"inproc://physics-{next(numbers)}"
        self.server = ZeroMqArm(arm, name, self.clock, network=network)
        self.driver = ArmController(name, self.clock, ZeroMqLink(name, name), Role.COMMAND, "test")
        self.driver.wait_until_ready()
        self.q: Floats = np.zeros(0)
        self.sequence = 0

    def live(self, seconds: float, q: Floats | None = None) -> None:
        """Let time pass; send a setpoint per millisecond if there is one."""
        for _ in range(round(1000 * seconds)):
            if q is not None:
                self.sequence += 1
                self.driver.send(q, None, None, self.sequence)
            self.clock.advance(0.001)
            said = self.driver.newest()
            self.q = self.q if said is None else said.q

    def activate(self) -> None:
        self.live(0.1)
        self.driver.activate()
        for _ in range(500):
            self.live(0.001, self.q)
            if self.driver.status is ControllerStatus.ACTIVE:
                return
        pytest.fail(f"never active: {self.driver.reason}")


@contextlib.contextmanager
def bench(arm: EmulatedArm, network: NetworkSettings | None = None) -> Iterator[Bench]:
    made = Bench(arm, network)
    with contextlib.closing(made.server), contextlib.closing(made.driver):
        yield made


def test_a_station_leads_the_arm_through_the_link_and_reads_what_it_feels() -> None:
    with bench(emulated_arm(shipped("ur5e"), settings=ArmSettings(payload=1.0))) as one:
        one.live(1.0)
        one.activate()
        begin = one.q
        path = rise(begin, np.array([0.1, 0, 0, 0, 0, 0]), 0.3)
        for k in range(500):
            one.live(0.001, path(k / 1000))
        assert one.q == pytest.approx(path(1.0), abs=2e-3)
        assert one.arm.body.q == pytest.approx(path(1.0), abs=2e-3)
        assert np.linalg.norm(one.arm.reading().wrench[:3]) == pytest.approx(9.81, abs=2.0)
        assert one.driver.health.lost == 0


def test_a_client_that_falls_silent_is_seen_to_be_ready_again() -> None:
    with bench(emulated_arm(lever())) as one:
        one.activate()
        one.live(0.01, one.q)
        one.live(0.5)
        assert one.driver.status is ControllerStatus.READY
        assert one.arm.state is ArmState.READY


def test_a_reflex_of_the_arm_is_told_to_the_station() -> None:
    with bench(emulated_arm(lever(), faults="reflex at 1.0 for 0.1")) as one:
        one.activate()
        one.live(1.2, one.q)
        assert one.driver.status is ControllerStatus.STOPPED
        assert "reflex" in one.driver.reason


@pytest.mark.parametrize("delay", [0.1, 0.3])
def test_a_network_with_delay_and_loss_still_leads_the_arm(delay: float) -> None:
    rough = NetworkSettings(delay=delay, jitter=0.02, loss=0.05)
    with bench(emulated_arm(lever(), settings=ArmSettings(watchdog=0.1)), rough) as one:
        for _ in range(20):
            one.live(0.1)
            if one.driver.status is not ControllerStatus.LOST and len(one.q):
                break
        assert len(one.q) == 2
        one.driver.activate()
        one.live(2.5 * delay + 0.1, one.q)
        assert one.arm.state is ArmState.ACTIVE
        path = rise(one.q, np.array([0.0, 0.2]), 0.6)
        for k in range(1000):
            one.live(0.001, path(k / 1000))
        one.live(delay + 0.05, path(1.0))
        assert one.arm.state is ArmState.ACTIVE, one.arm.reason
        assert one.arm.body.q[1] == pytest.approx(0.2, abs=3e-3)
