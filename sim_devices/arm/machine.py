"""What the far side of a link drives: an arm with its own state, clock and safety, whatever moves behind it."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from station.controllers.controller import Capabilities

Floats = NDArray[np.float64]

NO_SEQUENCE = -1  # echo before any setpoint has been applied


class ArmState(StrEnum):
    """How an arm reports itself."""

    READY = "ready"  # holds where it is, or has its torque released; setpoints are not followed
    ACTIVE = "active"  # follows setpoints
    STOPPED = "stopped"  # emergency stop or reflex: needs a reset
    FAULT = "fault"  # unfit: needs a reset once the cause is gone


class Reading(NamedTuple):
    """What an arm would report now; arrays are copies, in the order of `Capabilities.joints`."""

    q: Floats  # joints, as the encoders tell [rad | m]
    v: Floats  # [rad/s | m/s]
    effort: Floats  # of the motors [N·m | N]
    wrench: Floats  # on the tool, in its frame: force then torque [N, N·m]; not a number: the sensor is silent
    state: ArmState
    reason: str  # why it is not ACTIVE, one line; empty if there is nothing to tell
    echo: int  # sequence of the setpoint that was applied last; NO_SEQUENCE: none yet
    time: float  # of the arm's own clock [s]
    at: float = math.nan  # the same moment by the station's clock [s]; not a number: the moment of asking

    def clock(self, now: float) -> float:
        """What the arm's own clock shows at `now`, by the station's clock [s]: it goes on between ticks."""
        return self.time + max(0.0, now - self.at) if math.isfinite(self.at) else self.time

    @property
    def has_wrench(self) -> bool:
        """Whether the tool sensor, if there is one, tells anything."""
        return math.isfinite(sum(self.wrench.tolist()))  # of six numbers: quicker than numpy, above all after a sleep


class ArmMachine(Protocol):
    """An arm as the servers of every link see it. No method waits and none raises for what a client sent."""

    @property
    def capabilities(self) -> Capabilities:
        """What it is and can do."""

    def setpoint(
        self, q: Floats, v: Floats | None, effort: Floats | None, sequence: int, stamp: float | None = None
    ) -> bool:
        """Take a setpoint [rad | m]; the newest wins. `stamp`: when it was made, by its sender's clock [s], if told.

        Returns False, and counts it, when it is refused: not finite, of the wrong length, outside the limits, or while
        the arm is not ACTIVE.
        """

    def activate(self) -> bool:
        """Follow setpoints from now on, beginning where the arm is; False: it cannot, `Reading.reason` says why."""

    def deactivate(self) -> None:
        """Hold where it is, with power, and follow setpoints no longer."""

    def stop(self) -> None:
        """Emergency stop; stays STOPPED until `reset`."""

    def reset(self) -> bool:
        """Leave STOPPED or FAULT for READY; False: the cause is still there."""

    def release(self) -> None:
        """Take the torque away: the arm sinks."""

    def advance(self, now: float) -> None:
        """Live until `now`, by the station's clock [s]; a time in the past does nothing."""

    def reading(self) -> Reading:
        """What it would report now."""
