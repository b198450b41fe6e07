"""The plug-in for tests of others: fixtures for every emulator, and options that clash with nobody's."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import usb.core  # type: ignore[import-untyped]

import station
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.messages import Hello, pack
from sim_devices.fixtures import ArmBench, Emulated, GripperBench, RawPort
from sim_devices.scripts import EmulatorError
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from station.controllers.tool import ToolStatus
from station.devices.device import DeviceStatus
from station.errors import MadFileError

OTHER_SUITE = """
def pytest_addoption(parser):
    parser.addoption("--device", choices=["cpu", "cuda"], default="cpu")
    parser.addoption("--controller", action="store_true")
"""
SHOWS = """
def test_options(request):
    print("options", request.config.getoption("--station-device"), request.config.getoption("--station-controller"))
"""


def pytest_in(folder: Path, *words: str, conftest: str = "", test: str = SHOWS) -> tuple[int, str]:
    """Run pytest on a suite of somebody else's; its exit code and what it said."""
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    (folder / "test_suite.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-s", "-p", "no:cacheprovider", "-p", "no:xdist", "--rootdir=.", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    return done.returncode, done.stdout + done.stderr


def test_options_do_not_clash_with_those_of_other_suites(tmp_path: Path) -> None:
    test = SHOWS + 'def test_theirs(request):\n    assert request.config.getoption("--device") == "cuda"\n'
    words = ("--device", "cuda", "--controller", "--station-device=usb:falcon")
    code, said = pytest_in(tmp_path, *words, conftest=OTHER_SUITE, test=test)
    assert code == 0, said
    assert "options usb:falcon None" in said
    assert "is called" not in said


@pytest.mark.parametrize("words", [("--device", "usb:falcon"), ("--device=usb:falcon",)])
def test_former_options_are_taken_with_a_hint_where_nobody_else_has_them(
    tmp_path: Path, words: tuple[str, ...]
) -> None:
    code, said = pytest_in(tmp_path, *words, "--controller=tcp://127.0.0.1:5")
    assert code == 0, said
    assert "options usb:falcon tcp://127.0.0.1:5" in said
    assert "--device is called --station-device now" in said


def test_a_device_takes_any_sequence_of_six_numbers(emulated: Emulated) -> None:
    device = emulated("falcon", hand="none")
    device.enable_force()

    def pushed(wrench: object) -> bool:
        for _ in range(20):
            emulated.clock.advance(0.001)
            device.newest()
            device.command(wrench)  # type: ignore[arg-type]
        return bool(np.any(device.emulator.motor_force))  # type: ignore[union-attr]

    assert pushed([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    for wrong in (
        [0.0, 1.0, 0.0],
        [0.0, float("nan"), 0.0, 0.0, 0.0, 0.0],
        "up",
        None,
        [[1.0] * 6],
        [1, 2, 3, 4, 5, "x"],
    ):
        assert not pushed(wrong)
        assert pushed((0, 1, 0, 0, 0, 0))
    assert device.status is DeviceStatus.READY


def test_a_scene_is_loaded_by_the_name_of_a_shipped_robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert station.load("ur5e").robots[0].name == "ur5e"
    with pytest.raises(MadFileError, match=r"no shipped robot of that name: .*ur5e"):
        station.load("ur55")
    monkeypatch.chdir(tmp_path)
    Path("ur5e").write_text("RAFF v2.0 Mine robot mine { base { } }", encoding="utf-8")
    assert station.load("ur5e").robots[0].name == "mine"  # a file comes first


@pytest.mark.parametrize(
    ("kind", "options", "question"),
    [
        ("magellan", {"hand": "none"}, b"vQ\r"),
        ("spaceball", {"hand": "none"}, b"\r@RESET\r"),
        ("syntaxer", {"hand": "none"}, encode(pack(Hello(), 1))),
        ("gripper", {}, bytes.fromhex("09 04 07d0 0001 300f")),
        ("dynamixel", {"file": "hobby-arm"}, bytes.fromhex("fffffd00 01 0300 01 194e")),
    ],
)
def test_every_emulator_at_a_serial_line_is_to_be_had_as_a_raw_port(
    emulated_port: Callable[..., RawPort],
    virtual_clock: VirtualClock,
    kind: str,
    options: dict[str, str],
    question: bytes,
) -> None:
    port = emulated_port(kind, **options)
    heard = b""
    for _ in range(3):
        port.write(question)
        for _ in range(1000):
            virtual_clock.advance(0.001)
            heard += port.read()
    assert heard
    assert port.emulator.clock is virtual_clock


@pytest.mark.parametrize("kind", ["falcon", "spacemouse"])
def test_every_emulator_on_usb_is_to_be_had_without_its_driver(emulated: Emulated, kind: str) -> None:
    assert usb.core.find(backend=emulated.usb(kind, hand="none").bus.backend) is not None


def test_what_there_is_not_is_refused_with_what_there_is(emulated: Emulated) -> None:
    with pytest.raises(
        EmulatorError, match=r"no emulator 'falcon' at a serial line; there are: syntaxer, .*emulated_usb"
    ):
        emulated.port("falcon")
    with pytest.raises(EmulatorError, match="no emulator 'magellan' on USB; there are: falcon, spacemouse"):
        emulated.usb("magellan")
    with pytest.raises(
        EmulatorError, match=r"no arm at a link 'tcp'; there are: native, modbus, modbus.serial, dynamixel, ur"
    ):
        emulated.arm("tcp")


@pytest.mark.parametrize("link", ["native", "modbus", "modbus+serial", "dynamixel", "ur"])
def test_an_arm_at_every_link_holds_and_moves(
    emulated_arm: Callable[..., ArmBench], virtual_clock: VirtualClock, link: str
) -> None:
    arm = emulated_arm(link)
    controller, q, moved = arm.controller, None, 0.0
    controller.activate()
    for tick in range(3000):
        virtual_clock.advance(0.001)
        said = controller.newest()
        if said is not None and q is None:
            q = said.q.copy()
        if said is not None and q is not None:
            moved = float(said.q[0] - q[0])
        if q is not None and controller.status is ControllerStatus.ACTIVE:
            goal = q.copy()
            goal[0] += 0.05 * min(max(tick - 1000, 0) / 1000, 1.0)
            controller.send(goal, np.zeros(len(goal)), None, tick + 1)
    assert controller.status is ControllerStatus.ACTIVE, controller.reason
    assert moved == pytest.approx(0.05, abs=0.01)


def test_a_gripper_is_to_be_had_with_its_driver(
    emulated_gripper: Callable[..., GripperBench], virtual_clock: VirtualClock
) -> None:
    gripper = emulated_gripper().gripper
    gripper.activate()
    for _ in range(3000):
        virtual_clock.advance(0.001)
        gripper.newest()
    assert gripper.status is ToolStatus.READY


def test_what_others_import_for_their_types_is_where_it_was() -> None:
    from sim_devices import pytest_plugin

    assert getattr(pytest_plugin, "Emulated") is Emulated  # noqa: B009 - not known to type checkers by this name
    assert not hasattr(pytest_plugin, "Emulator")
