"""Addresses of arms of servos: what is wrong with one is told in a line."""

from __future__ import annotations

import contextlib

import pytest

from firmware_bridge.dynamixel.scheme import seats_of
from sim_devices.arm_links.serving import far_side
from station.controllers import open_controller
from station.controllers.errors import ControllerAddressError, ControllerNotFoundError
from station.controllers.registry import parse_controller_address
from tests.controllers.double import DoubleArm
from tests.dynamixel.benches import ServoDouble


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("", "name the servos"),
        ("?ids=", "name the servos"),
        ("?ids=1,1", "twice"),
        ("?ids=1,300", "from 0 to 252"),
        ("?ids=1,x", "numbers"),
        ("?ids=1,2&names=a", "2 are needed"),
        ("?ids=1,2&names=a,a", "each once"),
        ("?ids=1,2&zero=1,2,3", "2 with commas"),
        ("?ids=1,2&reverse=3", "servo 3"),
        ("?ids=1,2&torque_constant=nan", "numbers"),
        ("?ids=1&baud=1", "baud"),
        ("?ids=1&watchdog=5", "watchdog"),
        ("?ids=1&speed=5", "unknown option"),
        ("?ids=1&read=slow", "read is one of"),
    ],
)
def test_a_wrong_address_is_one_line(options: str, what: str) -> None:
    with pytest.raises(ValueError, match=what) as caught:
        open_controller(f"dynamixel:/dev/ttyNone{options}")
    assert "\n" not in str(caught.value)


def test_a_port_that_is_not_there_is_one_line() -> None:
    with pytest.raises(ControllerNotFoundError, match="no such port"):
        open_controller("dynamixel:/dev/there-is-no-such-port?ids=1")


def test_an_address_tells_which_servo_is_which_joint() -> None:
    address = parse_controller_address("dynamixel:/dev/x?ids=3,5&names=base,elbow&zero=2000&reverse=5")
    base, elbow = seats_of(address)
    assert (base.ident, base.name, base.zero, base.reverse) == (3, "base", 2000, False)
    assert (elbow.ident, elbow.name, elbow.zero, elbow.reverse) == (5, "elbow", 2000, True)
    assert [seat.name for seat in seats_of(parse_controller_address("dynamixel:/dev/x?ids=7,8"))] == [
        "joint 7",
        "joint 8",
    ]


def test_a_link_can_be_named_by_a_word() -> None:
    with contextlib.closing(far_side("dynamixel", ServoDouble())) as server:
        assert server.address.startswith("dynamixel:/")


def test_bus_servos_turn() -> None:
    with pytest.raises(ControllerAddressError, match="'slide' slides"):
        far_side("dynamixel", DoubleArm())
