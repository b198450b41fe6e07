"""The firmware image: Novint's, under Novint's licence, so it comes from a file of the user."""

from __future__ import annotations

import os
from pathlib import Path

from station.devices.errors import DeviceMismatchError, DeviceNotFoundError

VARIABLE = "STATION_FALCON_FIRMWARE"
LARGEST = 1 << 20  # the device has far less memory than this [bytes]
SMALLEST = 64  # [bytes]


def default_place() -> Path:
    """Where an image is looked for when no other is named."""
    home = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return home / "haptic-station" / "falcon-firmware.bin"


def firmware_path(given: str | None) -> Path | None:
    """The file to use: the one given, else that of the environment, else the default place if there is one."""
    named = given or os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    return default_place() if default_place().exists() else None


def read_firmware(path: Path | None, name: str) -> bytes:
    """The image; raises the DeviceError that says how to supply one. `name` is the device's, for the message."""
    if path is None:
        raise DeviceNotFoundError(
            f"{name}: it has just been switched on and needs its firmware, which is Novint's and not shipped here; "
            f"give a file by usb:falcon?firmware=FILE or ${VARIABLE}, or put it at {default_place()}"
        )
    try:
        if not path.is_file():
            raise DeviceNotFoundError(f"{name}: there is no firmware file {path}")
        size = path.stat().st_size
        if not SMALLEST <= size <= LARGEST:
            raise DeviceMismatchError(f"{name}: {path} is no firmware image: it has {size} bytes")
        return path.read_bytes()
    except OSError as error:
        if isinstance(error, DeviceNotFoundError | DeviceMismatchError):
            raise
        raise DeviceNotFoundError(f"{name}: {path} cannot be read ({error.strerror})") from None
