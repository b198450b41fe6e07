"""What carries messages between station and arm: the driver's side. Nothing here waits."""

from __future__ import annotations

from abc import ABC, abstractmethod

from firmware_bridge.arm.messages import Welcome
from station.controllers.errors import ControllerError


class ArmLink(ABC):
    """A way for messages.

    Methods raise ControllerLostError when the link has ended, and are then not called again before `connect`.
    """

    lossless = False  # whether what is sent once arrives, as long as the link is up

    @abstractmethod
    def connect(self) -> None:
        """Open it, quickly; a ControllerError if that cannot be."""

    @abstractmethod
    def disconnect(self) -> None:
        """Let it go; may be called twice."""

    @abstractmethod
    def welcomed(self, welcome: Welcome) -> None:
        """The arm has told where its other ports are."""

    @abstractmethod
    def send_setpoint(self, data: bytes) -> bool:
        """Send a SETPOINT; a newer one may overtake it. Returns whether it went out."""

    @abstractmethod
    def send_reliable(self, data: bytes) -> bool:
        """Send anything else but STOP. Returns whether it went out."""

    @abstractmethod
    def send_stop(self, data: bytes) -> bool:
        """Send a STOP, before all that may be waiting."""

    @abstractmethod
    def measurements(self) -> list[bytes]:
        """What came in on the way of measurements, oldest first."""

    @abstractmethod
    def reliable(self) -> list[bytes]:
        """What else came in, oldest first."""

    def sockets(self) -> tuple[int, int] | None:
        """Addresses of libzmq's sockets of measurements and setpoints, for compiled code; None: there are none."""
        return None

    @property
    def refused(self) -> int:
        """Pieces that were no message at all, such as noise on a line."""
        return 0

    def why_silent(self) -> ControllerError | None:
        """What the link itself knows of why nobody answers, as the error to raise."""
        return None
