# ruff: noqa: N802, N803 names of the SDK
"""A fake of the SDK as `forcedimension_core` shows it: functions that fill in numbers and return codes."""

from __future__ import annotations

import ctypes
from collections.abc import MutableSequence, Sequence
from typing import Any

from firmware_bridge.force_dimension.library import CONNECTED, FORCE, FORCE_OFF_CAUSE, POWER, RESET, Library


class FakeDhd:
    """Some devices of given kinds; `calls` holds what was asked of them."""

    def __init__(self, kinds: Sequence[int] = (33,), serials: Sequence[int] = (4711, 4712, 4713)) -> None:
        self.kinds = list(kinds)
        self.serials = list(serials)
        self.calls: list[tuple[Any, ...]] = []
        self.place = [0.01, -0.02, 0.03]
        self.speed = [0.1, 0.2, 0.3]
        self.turn_speed = [1.0, 2.0, 3.0]
        self.matrix = [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        self.buttons = 0
        self.grip = 0.0
        self.force_on = False
        self.wrench: tuple[Sequence[float], Sequence[float]] = ((), ())
        self.force_code = self.read_code = 0
        self.error = 0
        self.open_code: int | None = None
        self.status = {POWER: 1, CONNECTED: 1, RESET: 1, FORCE_OFF_CAUSE: 0}
        self.force_refused = False
        self.has_watchdog = True

    def getDeviceCount(self) -> int:
        return len(self.kinds)

    def openID(self, index: int) -> int:
        self.calls.append(("openID", index))
        return index if self.open_code is None else self.open_code

    def openSerial(self, serial: int) -> int:
        self.calls.append(("openSerial", serial))
        known = self.serials[: len(self.kinds)]
        self.error = 0 if serial in known else 5
        return known.index(serial) if serial in known else -1

    def close(self, ID: int = -1) -> int:
        self.calls.append(("close", ID))
        return 0

    def getSerialNumber(self, ID: int = -1) -> int:
        return self.serials[ID]

    def getSystemType(self, ID: int = -1) -> int:
        return self.kinds[ID]

    def getStatus(self, out: list[int], ID: int = -1) -> int:
        for place, value in self.status.items():
            out[place] = value
        out[FORCE] = int(self.force_on and not self.force_refused)
        return 0

    def errorGetLast(self) -> int:
        return self.error

    def errorGetLastStr(self) -> str:
        return "communication error"

    def enableForce(self, enable: bool, ID: int = -1) -> int:
        self.calls.append(("enableForce", enable))
        self.force_on = enable
        return 0

    def setGravityCompensation(self, enable: bool, ID: int = -1) -> int:
        self.calls.append(("gravity", enable))
        return 0

    def configLinearVelocity(self, ms: int, mode: int = 0, ID: int = -1) -> int:
        self.calls.append(("window", ms))
        return 0

    def configAngularVelocity(self, ms: int, mode: int = 0, ID: int = -1) -> int:
        self.calls.append(("angular window", ms))
        return 0

    def getPositionAndOrientationFrame(
        self, p_out: MutableSequence[float], matrix_out: Sequence[MutableSequence[float]], ID: int = -1
    ) -> int:
        p_out[:] = self.place
        for row, numbers in zip(matrix_out, self.matrix, strict=True):
            row[:] = numbers
        return self.read_code

    def getLinearVelocity(self, out: MutableSequence[float], ID: int = -1) -> int:
        out[:] = self.speed
        return 0

    def getAngularVelocityRad(self, out: MutableSequence[float], ID: int = -1) -> int:
        out[:] = self.turn_speed
        return 0

    def getButtonMask(self, ID: int = -1) -> int:
        return self.buttons

    def getGripperAngleRad(self, out: ctypes.c_double, ID: int = -1) -> int:
        out.value = self.grip
        return 0

    def setForceAndTorqueAndGripperForce(self, f: Sequence[float], t: Sequence[float], fg: float, ID: int = -1) -> int:
        self.wrench = (tuple(f), tuple(t))
        return self.force_code

    def enableExpertMode(self) -> int:
        self.calls.append(("expert", True))
        return 0

    def disableExpertMode(self) -> int:
        self.calls.append(("expert", False))
        return 0

    def setTimeGuard(self, min_period: int, ID: int = -1) -> int:
        self.calls.append(("time guard", min_period))
        return 0

    def setWatchdog(self, duration: int, ID: int = -1) -> int:
        self.calls.append(("watchdog", duration))
        return 0 if self.has_watchdog else -1

    def library(self) -> Library:
        return Library(self, self, lambda: [0] * 17)
