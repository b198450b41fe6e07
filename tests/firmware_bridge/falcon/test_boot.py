"""Boot loader and upload."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.falcon.frames import Lamp
from sim_devices.falcon.board import Mode
from sim_devices.usb import Bus
from station.devices.device import DeviceStatus
from station.devices.errors import DeviceMismatchError, DeviceSilentError
from tests.firmware_bridge.falcon.bench import Bench, image_file


def boot(tmp_path: Path, fault: str = "", size: int = 1000, **options: Any) -> Bench:
    """A Falcon that has just been switched on, opened with a firmware file."""
    path, image = image_file(tmp_path, size)
    bench = Bench(firmware_loaded=False, homed=False, image=image, **options)
    if fault:
        bench.fault(fault)
    bench.open(f"usb:falcon?firmware={path}")
    return bench


def test_a_falcon_just_switched_on_is_woken_and_wants_to_be_homed(tmp_path: Path) -> None:
    bench = boot(tmp_path)
    assert bench.emulator.board.mode is Mode.RUNNING
    assert bench.is_(DeviceStatus.HOMING)
    assert bench.emulator.chip.latency == 0.001


@pytest.mark.parametrize("size", [64, 124, 125, 3000])
def test_the_image_arrives_whole_whatever_its_size(tmp_path: Path, size: int) -> None:
    assert boot(tmp_path, size=size).emulator.board.mode is Mode.RUNNING


@pytest.mark.parametrize("reluctance", [1, 20, 99])
def test_a_reluctant_boot_loader_is_asked_again(tmp_path: Path, reluctance: int) -> None:
    bench = boot(tmp_path, reluctance=reluctance)
    assert bench.emulator.board.greetings == reluctance + 1
    assert f"usb:falcon: waking the boot loader, try {reluctance + 1} of 100" in bench.reports


def test_after_a_hundred_tries_it_says_why(tmp_path: Path) -> None:
    with pytest.raises(DeviceSilentError, match=r"100× no answer to the greeting.*switch its power supply"):
        boot(tmp_path, reluctance=100)


def test_behind_a_hub_it_says_to_do_without(tmp_path: Path) -> None:
    bus = Bus()
    path, _ = image_file(tmp_path)
    bench = Bench(firmware_loaded=False, reluctance=100, bus=bus)
    bench.emulator.unplug()
    bus.plug(bench.emulator.plug_device, ports=(1, 3))
    bench.emulator._cable = True
    with pytest.raises(DeviceSilentError, match="behind a hub"):
        bench.open(f"usb:falcon?firmware={path}")


def test_both_odd_welcomes_are_accepted(tmp_path: Path) -> None:
    """The emulator draws one of them by its seed; over several boots both come."""
    for _ in range(4):
        assert boot(tmp_path).emulator.board.mode is Mode.RUNNING


def test_an_echo_that_is_sometimes_wrong_costs_tries_but_not_the_boot(tmp_path: Path) -> None:
    bench = boot(tmp_path, fault="corrupt p=0.05")
    assert bench.emulator.board.mode is Mode.RUNNING


def test_an_echo_that_is_always_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(DeviceMismatchError, match="wrong welcome"):
        boot(tmp_path, fault="corrupt p=1")
    with pytest.raises(DeviceMismatchError, match=r"wrong echo at byte \d+ \(.. instead of ..\)"):
        boot(tmp_path, fault="corrupt p=1 when uploaded > 60")


def test_an_echo_that_breaks_off_is_told_with_its_place(tmp_path: Path) -> None:
    with pytest.raises(DeviceMismatchError, match=r"time-out at byte 93\b"):
        boot(tmp_path, fault="torn p=1 keep=0.5 when uploaded > 60")


def test_an_image_that_does_not_run_is_told(tmp_path: Path) -> None:
    with pytest.raises(DeviceMismatchError, match=r"firmware taken but it does not run.*Novint's image"):
        boot(tmp_path, fault="other-version")


def test_the_upload_tells_how_far_it_is(tmp_path: Path) -> None:
    told = [text for text in boot(tmp_path, size=5000).reports if "sending the firmware" in text]
    assert told[-1].endswith("100 %")
    assert 10 <= len(told) <= 21


def test_frames_ask_for_homing_and_the_lamp_is_red(tmp_path: Path) -> None:
    bench = boot(tmp_path)
    bench.run(0.01)
    assert bench.emulator.lamps == Lamp.HOMING | Lamp.RED
