"""The emulated arm, with its physics, behind every link: found by name, follows, stops, is lost and found."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest

import station
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.linked import LinkedController
from firmware_bridge.arm.modbus.driver import ModbusController
from firmware_bridge.arm.modbus.framing import RtuFraming
from firmware_bridge.arm.modbus.lines import Line
from firmware_bridge.arm.serial_link import SerialLink
from firmware_bridge.arm.zeromq import ZeroMqLink
from sim_devices.arm import EmulatedArm, emulated_arm
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.serving import far_side
from sim_devices.arm_links.zeromq import ZeroMqArm
from sim_devices.ends import SocketEnd
from station.clock import VirtualClock
from station.controllers import Controller, ControllerStatus, in_order_of, open_controller, scene_joints

SCENE = station.load("robots/scara.mad")
LINKS = ["tcp", "serial", "modbus", "modbus+serial"]


@contextlib.contextmanager
def opened(link: str, faults: str = "") -> Iterator[tuple[Controller, EmulatedArm, ArmEmulator, VirtualClock]]:
    """The arm of a scene, and a controller in the order of the scene, on one virtual clock."""
    clock, arm = VirtualClock(), emulated_arm(SCENE, faults=faults)
    end = SocketEnd("emulated arm")
    server: ArmEmulator
    if link == "tcp":
        server = ZeroMqArm(arm, f"inproc://emulated-{id(arm)}", clock)
    else:
        server = far_side("modbus://127.0.0.1:0" if link == "modbus" else f"{link}:", arm, clock, end=end)
    driver: LinkedController
    with contextlib.closing(server):
        if link == "modbus":
            opened_arm: Controller = open_controller(server.address, clock)
        else:
            if link == "modbus+serial":
                line = Line(end.connect, RtuFraming(1), 1, 0.05)
                driver = ModbusController(link, clock, line, None)
            else:
                way = SerialLink(end.connect) if link == "serial" else ZeroMqLink(link, server.address)
                driver = ArmController(link, clock, way)
            driver.wait_until_ready()
            opened_arm = driver
        with in_order_of(opened_arm, scene_joints(SCENE["scara"].joints)) as controller:
            yield controller, arm, server, clock


def status(controller: Controller) -> ControllerStatus:
    return controller.status


def ticks(
    controller: Controller,
    clock: VirtualClock,
    q: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    first: int,
    count: int,
) -> None:
    for number in range(first, first + count):
        controller.newest()
        controller.send(q, None, None, number)
        clock.advance(0.001)


@pytest.mark.parametrize("link", LINKS)
def test_it_follows_and_stops(link: str) -> None:
    with opened(link) as (controller, arm, _, clock):
        assert controller.capabilities.emulated
        start = arm.reading().q.copy()
        ticks(controller, clock, start, 1, 20)
        controller.activate()
        ticks(controller, clock, start, 100, 60)
        assert status(controller) is ControllerStatus.ACTIVE
        wanted = start.copy()
        for number in range(300):
            wanted[0] = start[0] + 0.05 * (number + 1) / 300.0
            ticks(controller, clock, wanted, 1000 + number, 1)
        ticks(controller, clock, wanted, 2000, 200)
        assert arm.reading().q[0] == pytest.approx(wanted[0], abs=0.005)
        controller.stop()
        ticks(controller, clock, wanted, 3000, 50)
        assert status(controller) is ControllerStatus.STOPPED


@pytest.mark.parametrize("link", LINKS)
def test_frozen_it_is_lost_and_thawed_it_is_found(link: str) -> None:
    with opened(link, "freeze at 0.5 for 0.5") as (controller, arm, _, clock):
        hold = arm.reading().q.copy()
        controller.activate()
        ticks(controller, clock, hold, 1, 400)
        assert status(controller) is ControllerStatus.ACTIVE
        ticks(controller, clock, hold, 1000, 500)
        assert status(controller) is ControllerStatus.LOST
        ticks(controller, clock, hold, 2000, 500)
        assert status(controller) in (ControllerStatus.READY, ControllerStatus.STOPPED, ControllerStatus.FAULT)


def test_its_script_of_faults_acts_on_messages() -> None:
    with opened("tcp", "delay ms=20; drop p=0.05") as (controller, arm, _, clock):
        ticks(controller, clock, arm.reading().q.copy(), 1, 500)
        assert controller.health.age == pytest.approx(0.02, abs=0.004)
        assert controller.health.lost > 5
