# ruff: noqa: N802, N803, D102 names of the SDK
"""The part of `forcedimension_core` that we use, and loading it only when somebody asks for such a device."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import io
from collections.abc import MutableSequence, Sequence
from typing import Any, NamedTuple, Protocol

from station.devices.errors import DeviceNotFoundError

OK, TIME_GUARD, SATURATED = 0, 1, 2  # what calls return; -1: failed
POWER, CONNECTED, RESET, FORCE, ERROR, FORCE_OFF_CAUSE = 0, 1, 3, 5, 9, 14  # places in the status
NO_DRIVER, NO_DEVICE, IN_USE = 4, 5, 20  # errors
FORCE_OFF = {
    1: "its force button was pressed; press it again",
    2: "the handle was moved too fast",
    3: "its watchdog got no forces in time",
    4: "a program switched it off",
    5: "its cable was out",
    6: "nobody held it; hold the handle",
}


class Dhd(Protocol):
    """`forcedimension_core.dhd`; numbers that come back in arguments are written into sequences or c_double."""

    def getDeviceCount(self) -> int: ...
    def openID(self, index: int) -> int: ...
    def openSerial(self, serial: int) -> int: ...
    def close(self, ID: int = -1) -> int: ...
    def getSerialNumber(self, ID: int = -1) -> int: ...
    def getSystemType(self, ID: int = -1) -> int: ...
    def getStatus(self, out: Any, ID: int = -1) -> int: ...
    def errorGetLast(self) -> int: ...
    def errorGetLastStr(self) -> str: ...
    def enableForce(self, enable: bool, ID: int = -1) -> int: ...
    def setGravityCompensation(self, enable: bool, ID: int = -1) -> int: ...
    def configLinearVelocity(self, ms: int, mode: int = 0, ID: int = -1) -> int: ...
    def configAngularVelocity(self, ms: int, mode: int = 0, ID: int = -1) -> int: ...
    def getPositionAndOrientationFrame(
        self,
        p_out: MutableSequence[float],
        matrix_out: Sequence[MutableSequence[float]],
        ID: int = -1,
    ) -> int: ...
    def getLinearVelocity(self, out: MutableSequence[float], ID: int = -1) -> int: ...
    def getAngularVelocityRad(self, out: MutableSequence[float], ID: int = -1) -> int: ...
    def getButtonMask(self, ID: int = -1) -> int: ...
    def getGripperAngleRad(self, out: ctypes.c_double, ID: int = -1) -> int: ...
    def setForceAndTorqueAndGripperForce(
        self,
        f: Sequence[float],
        t: Sequence[float],
        fg: float,
        ID: int = -1,
    ) -> int: ...


class Expert(Protocol):
    """`forcedimension_core.dhd.expert`."""

    def enableExpertMode(self) -> int: ...
    def disableExpertMode(self) -> int: ...
    def setTimeGuard(self, min_period: int, ID: int = -1) -> int: ...
    def setWatchdog(self, duration: int, ID: int = -1) -> int: ...


class Library(NamedTuple):
    """The SDK, as Python sees it."""

    dhd: Dhd
    expert: Expert
    new_status: Any  # makes what getStatus fills in; its items are numbers


def load_library() -> Library:
    """Load the SDK; raises DeviceNotFoundError with what to install."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # it would print there what the error says already
            core = importlib.import_module("forcedimension_core")
    except ModuleNotFoundError as error:
        if error.name != "forcedimension_core":
            raise DeviceNotFoundError(f"forcedimension-core cannot be loaded: {error}") from None
        raise DeviceNotFoundError(
            "Force Dimension devices need a package: pip install 'haptic-station[force-dimension]'"
        ) from None
    except (ImportError, OSError, AttributeError):
        raise DeviceNotFoundError(
            "Force Dimension devices need the maker's SDK 3.16 or newer: install it and set FDSDK to its folder"
        ) from None
    return Library(core.dhd, core.dhd.expert, core.containers.Status)
