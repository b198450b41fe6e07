"""Robots, addresses and programs that are refused, with one line that says why."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmware_bridge.ur import rtde, script
from firmware_bridge.ur.rtde import Kind, PackageReader
from sim_devices.arm_links.serving import far_side
from sim_devices.fixtures import own_host
from sim_devices.ur.variables import OUTPUT_TYPES
from station.controllers import open_controller
from station.controllers.errors import (
    ControllerAddressError,
    ControllerBusyError,
    ControllerMismatchError,
)
from tests.controllers.double import DoubleArm
from tests.ur.benches import JOINTS, RobotDouble, running


def test_a_second_station_is_refused_since_the_registers_are_taken() -> None:
    with running() as bench, bench.connect(), pytest.raises(ControllerBusyError, match="another program writes"):
        bench.connect()


def test_a_robot_without_rtde_version_2_is_refused() -> None:
    with running() as bench:
        bench.server.server._does[Kind.PROTOCOL_VERSION] = lambda *_: b"\0"
        with pytest.raises(ControllerMismatchError, match="RTDE version 2"):
            bench.connect()


def test_a_robot_that_lacks_a_value_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(OUTPUT_TYPES, "safety_status_bits")
    with running() as bench, pytest.raises(ControllerMismatchError, match="knows no safety_status_bits"):
        bench.connect()


def test_something_that_is_not_rtde_is_one_line() -> None:
    with running() as bench:
        bench.server.server.hear = lambda *_: [b"\xff\xffHTTP/1.0 400 Bad Request" * 200]  # type: ignore[method-assign]
        with pytest.raises(ConnectionError) as caught:
            bench.connect()
        assert "\n" not in str(caught.value)


def test_joints_of_the_scene_that_go_further_are_refused() -> None:
    wide = [replace(JOINTS[0], low=-7.0, high=7.0), *JOINTS[1:]]
    with running() as bench, bench.connect() as controller:
        controller.check_scene(JOINTS)
        with pytest.raises(ControllerMismatchError, match="'base' goes from"):
            controller.check_scene(wide)


def test_an_arm_with_another_number_of_joints_cannot_be_such_a_robot() -> None:
    with pytest.raises(ControllerAddressError, match="six joints"):
        far_side(f"ur://{own_host()}", DoubleArm())
    with pytest.raises(ControllerAddressError, match="loopback"):
        far_side("ur://0.0.0.0", RobotDouble())


def test_ports_that_are_taken_are_one_line() -> None:
    with running() as bench:
        for _ in range(2):  # nothing is left behind either
            with pytest.raises(ControllerBusyError, match="port 30004"):
                far_side(bench.server.address, RobotDouble())


@pytest.mark.parametrize(
    ("url", "what"),
    [
        ("ur:robot", "write ur://host"),
        ("ur://robot:x", "write ur://host"),
        ("ur://127.0.0.1?names=a,b", "six"),
        ("ur://127.0.0.1?gain=5", "gain"),
        ("ur://127.0.0.1?speed=5", "unknown option"),
    ],
)
def test_a_wrong_address_is_one_line(url: str, what: str) -> None:
    with pytest.raises(ValueError, match=what) as caught:
        open_controller(url)
    assert "\n" not in str(caught.value)


def test_nobody_there_is_one_line() -> None:
    with pytest.raises(ConnectionError) as caught:
        open_controller(f"ur://{own_host()}")
    assert "\n" not in str(caught.value)


def test_only_our_own_program_is_taken_for_ours() -> None:
    text = script.servo_script(script.ScriptSettings(nonce=77, gain=300))
    found = script.recognised(text)
    assert found is not None
    assert (found.nonce, found.gain) == (77, 300)
    assert script.recognised(text.replace("stopj", "stopl", 1)) is None
    assert script.recognised(text + " ") is None


def test_packages_are_found_however_they_are_cut() -> None:
    data = rtde.package(Kind.START) + rtde.package(Kind.TEXT, b"hello") + rtde.package(Kind.PAUSE)
    for chunk in range(1, 8):
        reader = PackageReader()
        found = [one for at in range(0, len(data), chunk) for one in reader.feed(data[at : at + chunk])]
        assert [one.kind for one in found] == [Kind.START, Kind.TEXT, Kind.PAUSE]
    assert reader.feed(b"\0\x01\0") == []
    assert reader.broken
