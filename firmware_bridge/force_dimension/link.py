"""One Force Dimension device through the SDK: opening it, setting it up, and one exchange with it."""

from __future__ import annotations

import ctypes
from typing import NamedTuple

import numpy as np

from firmware_bridge.force_dimension.library import (
    CONNECTED,
    ERROR,
    FORCE,
    FORCE_OFF,
    FORCE_OFF_CAUSE,
    IN_USE,
    NO_DEVICE,
    NO_DRIVER,
    POWER,
    RESET,
    TIME_GUARD,
    Library,
)
from firmware_bridge.force_dimension.models import GRIP_OPEN, MODELS, Model, Wrist
from station.devices.device import Floats
from station.devices.errors import (
    AddressError,
    DeviceBusyError,
    DeviceDeniedError,
    DeviceError,
    DeviceLostError,
    DeviceMismatchError,
    DeviceNotFoundError,
)

WATCHDOG = 160  # the device takes forces away if it hears nothing for so long [125 µs]: 20 ms
VELOCITY_WINDOW = 10  # [ms]; the SDK's 20 would lag by 10 ms
TIME_GUARD_PERIOD = 0  # off: our own rate is the limit, and every call brings news [µs]
AS_RECOMMENDED = -1


class Reading(NamedTuple):
    """What the device told in one exchange."""

    pose: Floats  # 4×4 [m]
    velocity: Floats  # [m/s, rad/s]
    buttons: int
    grip: float  # 0 open, 1 closed


class Health(NamedTuple):
    """What the device says about itself."""

    fault: str  # empty if it is fit
    homed: bool
    force_off: str  # why it gives no force; empty if it does


class ForceDimensionLink:
    """An open device; every failure of the SDK becomes a DeviceError."""

    def __init__(self, library: Library, url: str, serial: int | None) -> None:
        self.url = url
        self._dhd = library.dhd
        self._new_status = library.new_status
        self.id = _open(library, url, serial)
        kind = int(self._dhd.getSystemType(self.id))
        if kind not in MODELS:
            self._dhd.close(self.id)
            known = ", ".join(model.name for model in MODELS.values())
            raise DeviceMismatchError(f"{url}: a device of kind {kind}, which is not known; there are: {known}")
        self.model: Model = MODELS[kind]
        number = self._dhd.getSerialNumber(self.id)
        self.serial_number = str(number) if number >= 0 else ""
        self.saturated = 0  # how many times the motors could not give what was asked
        self.has_watchdog = self._set_up(library)

    def _set_up(self, library: Library) -> bool:
        dhd, expert = self._dhd, library.expert
        self._must(dhd.enableForce(False, self.id))
        self._must(dhd.setGravityCompensation(True, self.id))
        self._must(dhd.configLinearVelocity(VELOCITY_WINDOW, 0, self.id))
        if self.model.wrist is not Wrist.NONE:
            self._must(dhd.configAngularVelocity(VELOCITY_WINDOW, 0, self.id))
        expert.enableExpertMode()
        try:
            expert.setTimeGuard(TIME_GUARD_PERIOD, self.id)
            return expert.setWatchdog(WATCHDOG, self.id) == 0  # older controllers have none
        finally:
            expert.disableExpertMode()

    def _must(self, code: int) -> int:
        if code < 0:
            raise DeviceLostError(f"{self.url}: {self._dhd.errorGetLastStr()}; is the cable in, and is it switched on?")
        return code

    def exchange(self, wrench: Floats) -> Reading | None:
        """Send a wrench [N, N·m], take a reading; None if the SDK says that nothing has changed yet."""
        force = [float(value) for value in wrench[:3]]
        torque = [float(value) for value in wrench[3:]] if self.model.wrist is Wrist.ACTIVE else [0.0] * 3
        self._must(code := self._dhd.setForceAndTorqueAndGripperForce(force, torque, 0.0, self.id))
        self.saturated += code == 2  # the SDK scales all motors, so that the direction is kept
        place, turn = [0.0] * 3, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        if self._must(self._dhd.getPositionAndOrientationFrame(place, turn, self.id)) == TIME_GUARD:
            return None
        pose = np.eye(4)
        pose[:3, 3] = place
        if self.model.wrist is not Wrist.NONE:
            pose[:3, :3] = turn
        buttons = self._dhd.getButtonMask(self.id) & ((1 << len(self.model.buttons)) - 1)
        return Reading(pose, self._velocity(), buttons, self._grip())

    def _velocity(self) -> Floats:
        linear, angular = [0.0] * 3, [0.0] * 3
        self._must(self._dhd.getLinearVelocity(linear, self.id))
        if self.model.wrist is not Wrist.NONE:
            self._must(self._dhd.getAngularVelocityRad(angular, self.id))
        return np.array(linear + angular)

    def _grip(self) -> float:
        if not self.model.gripper:
            return 0.0
        angle = ctypes.c_double()
        self._must(self._dhd.getGripperAngleRad(angle, self.id))
        return 1.0 - min(abs(angle.value) / GRIP_OPEN, 1.0)  # left-handed ones count the other way round

    def enable_force(self, on: bool) -> None:
        """Let the motors follow, or not: sigma and lambda have no button for it, only this."""
        self._must(self._dhd.enableForce(on, self.id))

    def health(self) -> Health:
        """What the device says about itself."""
        status = self._new_status()
        self._must(self._dhd.getStatus(status, self.id))
        numbers = [int(number) for number in status]
        fault = ""
        if not numbers[CONNECTED]:
            raise DeviceLostError(f"{self.url}: the cable is out")
        if not numbers[POWER]:
            fault = f"{self.url}: its supply is off; switch it on"
        elif numbers[ERROR]:
            fault = f"{self.url}: it reports an error; switch it off and on again"
        cause = FORCE_OFF.get(numbers[FORCE_OFF_CAUSE], "it does not say why")
        return Health(fault, bool(numbers[RESET]), "" if numbers[FORCE] else f"{self.url}: force is off: {cause}")

    def close(self) -> None:
        """No force, and let it go."""
        self._dhd.enableForce(False, self.id)
        self._dhd.close(self.id)


def _open(library: Library, url: str, serial: int | None) -> int:
    dhd = library.dhd
    count = dhd.getDeviceCount()
    if count <= 0:
        raise DeviceNotFoundError(f"{url}: no Force Dimension device; is it plugged in and switched on?")
    if serial is None and count > 1:
        raise AddressError(f"{url}: there are several; write one of: {', '.join(_serials(library, count))}")
    number = dhd.openID(0) if serial is None else dhd.openSerial(serial)
    if number < 0:
        raise _open_error(library, url, count)
    return number


def _serials(library: Library, count: int) -> list[str]:
    urls = []
    for index in range(count):
        number = library.dhd.openID(index)
        if number >= 0:
            urls.append(f"forcedimension:?serial={library.dhd.getSerialNumber(number)}")
            library.dhd.close(number)
    return urls


def _open_error(library: Library, url: str, count: int) -> DeviceError:
    code, text = int(library.dhd.errorGetLast()), library.dhd.errorGetLastStr()
    if code == IN_USE:
        return DeviceBusyError(f"{url}: another program has it; close that first")
    if code == NO_DRIVER:
        return DeviceDeniedError(f"{url}: no permission; install the udev rules that come with the SDK")
    if code == NO_DEVICE:
        listed = ", ".join(_serials(library, count)) or "none that can be opened"
        return DeviceNotFoundError(f"{url}: not plugged in; there are: {listed}")
    return DeviceNotFoundError(f"{url}: it cannot be opened ({text}); switch it off and on again")
