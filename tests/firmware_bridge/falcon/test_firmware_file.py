"""Firmware for a Falcon that has just been switched on: where it comes from, and what is said when it does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from station.devices.device import DeviceStatus
from station.devices.errors import DeviceError, DeviceMismatchError, DeviceNotFoundError, DeviceSilentError
from tests.firmware_bridge.falcon.bench import Bench, image_file
from tests.firmware_bridge.falcon.in_vain import refusal


def test_a_falcon_without_firmware_says_how_to_give_it_some() -> None:
    text = refusal(Bench(firmware_loaded=False), DeviceNotFoundError)
    for word in ("?firmware=FILE", "STATION_FALCON_FIRMWARE", "falcon-firmware.bin", "not shipped"):
        assert word in text


def test_a_falcon_that_runs_needs_no_firmware_file() -> None:
    bench = Bench()
    bench.open("usb:falcon?firmware=/nowhere.bin")
    assert bench.emulator.board.greetings == 0


def ways_to_name_a_file(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[Callable[[], str]]:
    def by_option() -> str:
        return f"usb:falcon?firmware={path}"

    def by_variable() -> str:
        monkeypatch.setenv("STATION_FALCON_FIRMWARE", str(path))
        return "usb:falcon"

    def by_place() -> str:
        monkeypatch.delenv("STATION_FALCON_FIRMWARE", raising=False)
        place = tmp_path / "config" / "haptic-station" / "falcon-firmware.bin"
        place.parent.mkdir(parents=True)
        place.write_bytes(path.read_bytes())
        return "usb:falcon"

    return [by_option, by_variable, by_place]


def test_firmware_can_be_named_in_three_ways(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path, image = image_file(tmp_path)
    for way in ways_to_name_a_file(path, monkeypatch, tmp_path):
        bench = Bench(firmware_loaded=False, image=image)
        assert bench.open(way()).status is DeviceStatus.HOMING


@pytest.mark.parametrize(
    ("name", "content", "kind", "word"),
    [
        ("missing.bin", None, DeviceNotFoundError, "no firmware file"),
        ("empty.bin", b"", DeviceMismatchError, "no firmware image"),
        ("huge.bin", bytes(2 << 20), DeviceMismatchError, "no firmware image"),
    ],
)
def test_a_file_that_is_no_image_is_refused(
    tmp_path: Path, name: str, content: bytes | None, kind: type[DeviceError], word: str
) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    assert word in refusal(Bench(firmware_loaded=False), kind, f"usb:falcon?firmware={path}")


def test_a_folder_is_no_image(tmp_path: Path) -> None:
    assert "no firmware file" in refusal(
        Bench(firmware_loaded=False), DeviceNotFoundError, f"usb:falcon?firmware={tmp_path}"
    )


def test_something_else_at_this_address_is_no_falcon(tmp_path: Path) -> None:
    path, _ = image_file(tmp_path)
    bench = Bench(firmware_loaded=False)
    bench.fault("other-device")
    assert "wrong welcome (4f 4b 0d 0a" in refusal(bench, DeviceMismatchError, f"usb:falcon?firmware={path}")


def test_a_falcon_that_says_nothing_is_tried_a_hundred_times(tmp_path: Path) -> None:
    path, _ = image_file(tmp_path)
    bench = Bench(firmware_loaded=False)
    bench.fault("silence")
    text = refusal(bench, DeviceSilentError, f"usb:falcon?firmware={path}")
    assert "100× no answer to the greeting" in text
    assert "power supply" in text


def test_unplugging_while_it_is_opened_says_so(tmp_path: Path) -> None:
    path, _ = image_file(tmp_path)
    bench = Bench(firmware_loaded=False)
    bench.fault("unplug at 0.15")
    text = refusal(bench, DeviceError, f"usb:falcon?firmware={path}")
    assert "unplugged" in text
