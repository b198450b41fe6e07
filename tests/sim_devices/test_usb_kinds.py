"""Emulators on USB by name: they work at once, on a virtual clock and from another process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firmware_bridge.usb_devices import OPENERS, SCHEME
from sim_devices.ends import SocketEnd
from sim_devices.falcon import FalconEmulator
from sim_devices.hand import ScriptError
from sim_devices.kinds import SERIAL, Wishes
from sim_devices.scripts import EmulatorError
from sim_devices.spacemouse import SpaceMouseEmulator
from sim_devices.spacemouse.hand import PushingHand
from sim_devices.usb_kinds import USB, GripHand, served
from station.clock import WALL, VirtualClock
from station.devices import open_device
from station.devices.address import parse_address
from station.devices.device import DeviceStatus, Floats
from station.devices.falcon.geometry import BUTTONS

pytestmark = pytest.mark.wall_clock

ALONE = Wishes(hand="none")
CHILD = """
import sys
from sim_devices.kinds import Wishes
from sim_devices.usb_kinds import served
with served(sys.argv[1], Wishes(hand="none")) as (emulator, address):
    print(address, flush=True)
    sys.stdin.read()
"""


class Person:
    """A hand that pushes with 2 N and 0.2 N·m about x and holds the second button."""

    def __init__(self) -> None:
        self.times: list[float] = []

    def wrench(self, now: float, *_: Any) -> Floats:
        self.times.append(now)
        return np.array([2.0, 0.0, 0.0, 0.2, 0.0, 0.0])

    def force(self, *_: Any) -> Floats:
        return np.array([2.0, 0.0, 0.0])

    def buttons(self, now: float) -> int:
        del now
        return 0b10


@pytest.mark.parametrize("kind", USB)
def test_each_is_ready_as_soon_as_it_is_open_on_a_virtual_clock(kind: str) -> None:
    clock = VirtualClock()
    emulator = USB[kind](clock, ALONE)
    with OPENERS[kind](parse_address(f"usb:{kind}"), clock, emulator.bus.backend) as device:
        assert device.status is DeviceStatus.READY
        assert device.capabilities.serial_number == "SIM-0001"
    emulator.close()


def test_a_hand_pushes_the_grip_and_presses_the_buttons() -> None:
    clock = VirtualClock()
    emulator = USB["falcon"](clock, ALONE)
    assert isinstance(emulator, FalconEmulator)
    emulator.hold(GripHand(Person(), emulator.press))  # type: ignore[arg-type] # a hand for all we need
    with OPENERS["falcon"](parse_address("usb:falcon"), clock, emulator.bus.backend) as device:
        samples = []
        for _ in range(300):
            samples.append(device.newest())
            clock.advance(0.001)
        newest = [sample for sample in samples if sample is not None][-1]
    assert newest.pose[0, 3] > 0.01
    assert newest.buttons == 0b10
    emulator.close()


def test_the_same_hand_deflects_a_cap_and_is_told_each_time_once() -> None:
    person = Person()
    hand = PushingHand(person)  # type: ignore[arg-type]
    for now in (0.0, 0.0, 0.001):
        assert hand.deflection(now) == (0.4, 0.0, 0.0, 1.0, 0.0, 0.0)
    assert person.times == [0.0, 0.001]
    assert hand.buttons(0.0) == 0b10


def test_a_script_of_faults_and_a_script_of_a_hand_are_taken() -> None:
    clock = VirtualClock()
    emulator = USB["spacemouse"](clock, Wishes(faults="unplug at 0.1"))
    assert isinstance(emulator, SpaceMouseEmulator)
    assert isinstance(emulator.hand, PushingHand)
    clock.advance(0.2)
    assert not emulator.bus.is_plugged(emulator.usb)
    emulator.close()


def test_a_script_names_the_buttons_of_the_device_it_is_for() -> None:
    clock = VirtualClock()
    emulator = USB["falcon"](clock, Wishes(hand="press centre; hold 1"))
    with OPENERS["falcon"](parse_address("usb:falcon"), clock, emulator.bus.backend) as device:
        seen = set()
        for _ in range(50):
            if sample := device.newest():
                seen.add(sample.buttons)
            clock.advance(0.001)
    assert 1 << BUTTONS.index("centre") in seen
    assert seen <= {0, 1 << BUTTONS.index("centre")}
    emulator.close()


def test_a_button_that_a_device_has_not_is_refused_with_those_that_it_has() -> None:
    wishes = Wishes(hand="press trigger; hold 1")
    with pytest.raises(ScriptError, match=rf"^no button 'trigger'; there are: {', '.join(BUTTONS)}, deadman$"):
        USB["falcon"](VirtualClock(), wishes)


@pytest.mark.parametrize("kind", ["falcon", "spacemouse", "magellan", "spaceball"])
def test_a_hand_that_presses_the_dead_man_holds_the_button_that_the_device_declares(kind: str) -> None:
    clock = VirtualClock()
    # A button of a cap that is down from the start counts as up until it was seen up.
    with open_device(f"sim:{kind}?hand=hold 1; press deadman; hold 9", clock) as device:
        seen = 0
        for _ in range(1500):
            clock.advance(0.001)
            sample = device.newest()
            seen = seen if sample is None else sample.buttons
        assert device.capabilities.dead_man is not None
        assert seen == 1 << device.capabilities.dead_man


@pytest.mark.parametrize("kind", ["magellan", "spaceball"])
def test_a_hand_knows_the_buttons_of_a_cap_by_what_is_printed_on_them_and_by_their_side(kind: str) -> None:
    for name, bit in (("2", 1), ("right", 1), ("3", 2)):
        person = SERIAL[kind](SocketEnd(kind), VirtualClock(), Wishes(hand=f"press {name}; hold 1")).hand  # type: ignore[attr-defined]
        assert person.buttons(0.5) == 1 << bit


@pytest.mark.parametrize("kind", USB)
def test_one_that_is_served_is_opened_by_its_address_from_another_process(kind: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        address = child.stdout.readline().strip()
        assert address.startswith(f"usb:{kind}?bus=/")
        with SCHEME.open(parse_address(address), WALL) as device:
            assert device.status is DeviceStatus.READY
        child.stdin.close()


def test_the_socket_is_gone_afterwards_and_an_unknown_kind_is_refused() -> None:
    with served("falcon", ALONE) as (_, address):
        socket = address.partition("bus=")[2]
    assert not Path(socket).parent.exists()
    with pytest.raises(EmulatorError, match="there are: falcon, spacemouse"), served("toaster", ALONE):
        pass
