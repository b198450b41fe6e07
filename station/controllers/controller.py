"""What any controller is to the station: setpoints out, measurements back, and capabilities that are declared."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from types import TracebackType
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from station.clock import Exchange
from station.controllers.native import NativeArm
from station.controllers.words import ArmWords, HandWords

Floats = NDArray[np.float64]

AND = " + "  # between what several controllers of one arm say of themselves
LOST_AFTER = 0.050  # no measurement for this long: the controller counts as lost, unless it tells another time [s]
LONGEST_LOST_AFTER = 0.250  # an arm that would be missed later than this is not led [s]


@dataclass(frozen=True, kw_only=True)
class ControlledJoint:
    """A joint as the controller knows it; limits are the arm's own, None where it tells none."""

    name: str
    prismatic: bool = False
    low: float | None = None  # [rad | m]
    high: float | None = None  # [rad | m]
    speed: float | None = None  # [rad/s | m/s]
    acceleration: float | None = None  # [rad/s² | m/s²]
    jerk: float | None = None  # [rad/s³ | m/s³]
    effort: float | None = None  # [N·m | N]
    gear: float = 1.0  # through which these numbers are seen: how far the joint moves per unit that is counted


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a controller is and can do, told by the controller or by its driver. 'Cannot measure' is not zero."""

    model: str
    serial_number: str = ""
    joints: tuple[ControlledJoint, ...]  # in the order of setpoints and measurements
    rate: float  # setpoints per second that it takes [Hz]
    watchdog: float  # without a fresh setpoint for this long it stops by itself [s]
    takes_velocity: bool = False
    takes_effort: bool = False
    measures_velocity: bool = False
    measures_effort: bool = False
    measures_wrench: bool = False  # force and torque at the tool
    emulated: bool = False
    couples: bool = False  # runs its end of a bilateral link, see station.bilateral


class ControllerStatus(StrEnum):
    """How a controller is doing; `Controller.reason` says more."""

    OPENING = "opening"  # connected, nothing measured yet
    READY = "ready"  # measures, drives are off or hold: setpoints are not followed yet
    ACTIVE = "active"  # follows setpoints
    STOPPED = "stopped"  # emergency stop, or a stop of its own: must be reset
    FAULT = "fault"  # it is there but unfit
    LOST = "lost"  # silent for longer than its `lost_after`; it is looked for
    CLOSED = "closed"


class Measurement(NamedTuple):
    """What a controller said at one instant; arrays are copies."""

    q: Floats  # joints [rad | m]
    v: Floats | None  # [rad/s | m/s]; None: cannot be measured
    effort: Floats | None  # [N·m | N]; None: cannot be measured
    wrench: Floats | None  # on the tool, in the frame of the tool [N, N·m]; None: cannot be measured
    echo: int  # sequence of the setpoint that was applied last; -1: none yet
    controller_time: float  # of its own clock [s]
    arrival: float  # when it came in, by the station's clock [s]
    sequence: int  # counts measurements as the controller made them: a gap is a loss


class LinkHealth(NamedTuple):
    """How a link is doing, measured all the time; times in seconds, nan until known."""

    round_trip: float  # from sending a setpoint to the first measurement that echoes it [s], running median
    age: float  # of the newest measurement when it arrived, by clock-offset estimation [s]
    offset: float  # controller's clock less the station's [s]
    received: int  # measurements
    lost: int  # measurements that never arrived
    reordered: int  # that came after a later one, and were not used
    refused: int  # messages that made no sense


class Controller(ABC):
    """The arm's side. No method waits, and none but the opening function raises.

    Setpoints are followed only while ACTIVE: `activate` asks for it, and it ends by itself when the link is lost, when
    the watchdog of the arm has spoken, and by `stop`.
    """

    url: str
    capabilities: Capabilities
    coupled: ArmWords | None = None  # what its end of a bilateral link said with the newest measurement
    lost_after = LOST_AFTER  # without a measurement for this long it is LOST; no more than LONGEST_LOST_AFTER [s]
    answer = ""  # why the arm has refused the last request (activate, reset …); empty if it has not
    _status = ControllerStatus.OPENING  # both for drivers to set
    _reason = ""

    @property
    def status(self) -> ControllerStatus:
        """How it is doing, as of the last call of `newest`."""
        return self._status

    @property
    def partly_active(self) -> bool:
        """Whether some of its joints follow setpoints and others do not: only where it is several in one."""
        return False

    @property
    def reason(self) -> str:
        """Why it is not ACTIVE: one line with what to do next; empty if there is nothing to tell."""
        return self._reason

    @property
    @abstractmethod
    def health(self) -> LinkHealth:
        """How the link is doing."""

    @property
    def exchange(self) -> Exchange | None:
        """The newest exchange of messages; None before the first, or if the link has none."""
        return None

    @property
    def temperatures(self) -> Floats | None:
        """Of the drives, in the order of the joints [°C], as they were looked at last; None: not measured."""
        return None

    @abstractmethod
    def newest(self) -> Measurement | None:
        """The newest measurement that has not been returned yet, or None; older ones are passed over."""

    @abstractmethod
    def send(self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int) -> bool:
        """Send a setpoint [rad | m]; returns whether it went out. Never queued: a newer one replaces it.

        What is not finite is never sent. Ignored by the arm unless ACTIVE.
        """

    @property
    def native(self) -> NativeArm | None:
        """How compiled code reaches the arm just now; None: by `newest` and `send` only."""
        return None

    def upkeep(self) -> float:
        """While compiled code talks to the arm: say and hear what is due beside the messages of every tick.

        Returns when to call it again [s].
        """
        return float("inf")

    def couple(self, words: HandWords | None) -> None:
        """What the hand's end of a bilateral link says: goes with the next setpoints; None: they go alone.

        Only for an arm that `couples`; others hear nothing of it.
        """
        del words

    def tare(self) -> bool:
        """Ask an arm that `couples`, and holds, to take what its force sensor tells for the force of nothing.

        Returns whether it was asked: one that does not couple has nothing to tare, the station does that for it.
        """
        return False

    @abstractmethod
    def activate(self) -> None:
        """Ask the arm to follow setpoints; `status` tells when it does."""

    @abstractmethod
    def deactivate(self) -> None:
        """Ask the arm to hold where it is, with power, and to follow setpoints no longer."""

    @abstractmethod
    def stop(self) -> None:
        """Emergency stop: on a path of its own that nothing can queue behind. The arm stays STOPPED until `reset`."""

    @abstractmethod
    def reset(self) -> None:
        """Ask the arm to leave STOPPED or FAULT, if their cause is gone."""

    @abstractmethod
    def release(self) -> None:
        """Take the torque away: the arm may sink. Only ever on request of a person."""

    @abstractmethod
    def close(self) -> None:
        """Deactivate and let the arm go; may be called twice."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
