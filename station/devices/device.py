"""What any device is to the station: four verbs, samples, and capabilities that are declared, never guessed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from station.applied import Applied
from station.clock import Exchange
from station.devices.swift import Swift

Floats = NDArray[np.float64]

LOST_AFTER = 0.020  # no sample for this long: the device counts as lost [s]
NO_WRENCH = np.zeros(6)
NO_WRENCH.flags.writeable = False
DEAD_MAN_NAMES = ("deadman", "dead-man", "dead man")  # of buttons that are there for nothing else


def wrench_of(asked: Floats | Sequence[float]) -> Floats:
    """Six finite numbers, of an array or any sequence [N, N·m]; zeros for anything else."""
    try:
        wrench = np.asarray(asked, np.float64)
    except (TypeError, ValueError):
        return NO_WRENCH
    return wrench if wrench.shape == (6,) and all(map(isfinite, wrench.tolist())) else NO_WRENCH


class AxisKind(StrEnum):
    """How the motion of an axis is meant."""

    ABSOLUTE = "absolute"  # its value is a place: the hand points
    INCREMENTAL = "incremental"  # its value is a deflection: the hand asks for a speed
    NONE = "none"  # there is no such axis


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One of the six axes: x y z, then rotation about x y z. All in the frame of the device [m, N | rad, N·m]."""

    kind: AxisKind = AxisKind.NONE
    low: float = 0.0  # end of travel [m | rad]
    high: float = 0.0  # other end [m | rad]
    force: float = 0.0  # what it can give for long in the worst place [N | N·m]; 0: not actuated
    peak: float = 0.0  # what it can give for a moment [N | N·m]
    stiffness: float = 0.0  # stiffest spring that it renders at its rate [N/m | N·m/rad]

    @property
    def actuated(self) -> bool:
        """Whether the hand can be pushed along this axis."""
        return self.force > 0.0


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a device is and can do, told by the device or by its driver."""

    model: str
    serial_number: str = ""
    axes: tuple[Axis, Axis, Axis, Axis, Axis, Axis]
    buttons: tuple[str, ...] = ()
    grip: bool = False  # whether samples tell how far the grip is closed
    rate: float  # samples per second [Hz]
    homing: bool = False  # whether a person must move it to its ends before it knows where it is
    dead_man: int | None = (
        None  # button that is held to lead, unless a file says another; None: by its name, or the first
    )

    @property
    def actuated(self) -> bool:
        """Whether it can push the hand at all."""
        return any(axis.actuated for axis in self.axes)

    def button_words(self, button: int) -> str:
        """A button as people call it: "the left button", "button 1", "the dead-man"."""
        name = self.buttons[button]
        if name.lower() in DEAD_MAN_NAMES:
            return "the dead-man"
        return f"the {name} button" if name.isalpha() and len(name) > 1 else f"button {name}"


class Sample(NamedTuple):
    """What a device said at one instant."""

    pose: Floats  # 4×4 handle in the frame of the device [m]; along incremental axes a deflection
    velocity: Floats  # estimate, linear then angular [m/s, rad/s]
    buttons: int  # bit i: button i of the capabilities is down
    grip: float  # how far the grip is closed, 0 to 1; 0 if there is none
    device_time: float  # of the device's own clock [s]; arrival if it has none
    arrival: float  # when it came in, by the station's clock [s]
    sequence: int  # counts samples as the device made them: a gap is a loss


class DeviceStatus(StrEnum):
    """How a device is doing; `Device.reason` says more."""

    OPENING = "opening"  # connected, not yet giving samples
    HOMING = "homing"  # a person must move it to its ends; `reason` says how
    READY = "ready"  # the newest sample is fresh
    LOST = "lost"  # silent for longer than LOST_AFTER, or unplugged; it is looked for
    FAULT = "fault"  # it is there but unfit: too hot, too little voltage, wrong version
    CLOSED = "closed"


class Device(ABC):
    """Anything a hand moves. No method waits, and none but the opening function raises."""

    url: str
    capabilities: Capabilities
    calibrations: tuple[Applied, ...] = ()  # that its driver uses instead of what the device tells
    force_off = ""  # why no force goes through, where a driver knows; empty while it does
    _status = DeviceStatus.OPENING  # both for drivers to set
    _reason = ""

    @property
    def status(self) -> DeviceStatus:
        """How it is doing, as of the last call of `newest`."""
        return self._status

    @property
    def reason(self) -> str:
        """Why it is not READY: one line with what to do next; empty if READY."""
        return self._reason

    @property
    def frames_lost(self) -> int:
        """How many samples did not arrive, where the device counts them."""
        return 0

    @property
    def exchange(self) -> Exchange | None:
        """The newest exchange of messages with its clock, of the sample that came last; None if it has no clock."""
        return None

    @property
    def swift(self) -> Swift | None:
        """How compiled code talks to it; None if only `newest` and `command` will do. May change with `newest`."""
        return None

    @abstractmethod
    def newest(self) -> Sample | None:
        """The newest sample that has not been returned yet, or None; older ones are passed over."""

    @abstractmethod
    def command(self, wrench: Floats | Sequence[float]) -> None:
        """Push the hand [N, N·m], device frame, within what the device can give; once per tick, also with zeros.

        Zeros are sent instead as long as force is not enabled, while the device is not READY, and for what is not six
        finite numbers.
        """

    @abstractmethod
    def enable_force(self) -> bool:
        """Let forces through from now on; returns whether it did. Ends by itself when the device is lost."""

    @abstractmethod
    def disable_force(self) -> None:
        """Let no force through any more."""

    @property
    @abstractmethod
    def force_enabled(self) -> bool:
        """Whether forces are let through."""

    def clear_fault(self) -> None:  # noqa: B027 - most devices have nothing to clear
        """A person has seen the fault and wants to go on; if its cause is still there, it comes back."""

    @abstractmethod
    def close(self) -> None:
        """Take the force away and let the device go; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class PassiveDevice(Device):
    """A device without motors: forces go nowhere."""

    def command(self, wrench: Floats | Sequence[float]) -> None:
        """Nothing: it cannot push."""

    def enable_force(self) -> bool:
        """It cannot."""
        return False

    def disable_force(self) -> None:
        """There is none."""

    @property
    def force_enabled(self) -> bool:
        """Never."""
        return False
