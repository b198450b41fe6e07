"""What a robot tells in every package of RTDE, in our terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from firmware_bridge.arm.protocol import State
from firmware_bridge.ur import script
from firmware_bridge.ur.rtde import Value
from firmware_bridge.ur.script import ProgramState
from firmware_bridge.ur.status import Runtime, hindrance, power_reason
from station.controllers.controller import Floats
from station.kernel.so3 import rotation

OUTPUTS = (
    "timestamp",
    "actual_q",
    "actual_qd",
    "actual_TCP_pose",
    "actual_TCP_force",
    "robot_mode",
    "safety_status_bits",
    "runtime_state",
    script.STATE,
    script.ECHO,
    script.NONCE,
    script.MODE,
    script.BEAT,  # what we have written comes back with the next package: a round trip without any program
)
REMEMBERED = 256  # heartbeats whose time is known


@dataclass(frozen=True, kw_only=True)
class Told:
    """A package."""

    time: float  # of the robot's clock [s]
    q: Floats  # [rad]
    v: Floats  # [rad/s]
    wrench: Floats  # on the tool, in its frame [N, N·m]
    robot_mode: int
    safety: int
    runtime: int
    program: int
    echo: int
    nonce: int
    mode: int  # that we have asked for, as the robot has it
    beat: int

    @property
    def hindrance(self) -> tuple[State, str] | None:
        """What safety says."""
        return hindrance(self.safety)

    @property
    def power_reason(self) -> str:
        """Why the drives do not drive."""
        return power_reason(self.robot_mode)

    def runs(self, nonce: int) -> bool:
        """Whether the program of this number runs."""
        return self.runtime == Runtime.PLAYING and self.nonce == nonce

    def follows(self, nonce: int) -> bool:
        """Whether it follows setpoints."""
        return self.runs(nonce) and self.program == ProgramState.FOLLOWS


def told_by(values: Mapping[str, Value]) -> Told:
    """Values of a package in our terms."""
    known: Mapping[str, Any] = values
    force = np.array(known["actual_TCP_force"])
    turn = rotation(np.array(known["actual_TCP_pose"][3:]))
    return Told(
        time=float(known["timestamp"]),
        q=np.array(known["actual_q"]),
        v=np.array(known["actual_qd"]),
        wrench=np.concatenate((turn.T @ force[:3], turn.T @ force[3:])),  # told along the axes of the base
        robot_mode=int(known["robot_mode"]),
        safety=int(known["safety_status_bits"]),
        runtime=int(known["runtime_state"]),
        program=int(known[script.STATE]),
        echo=int(known[script.ECHO]),
        nonce=int(known[script.NONCE]),
        mode=int(known[script.MODE]),
        beat=int(known[script.BEAT]),
    )


class Beats:
    """Heartbeats that were sent, and when."""

    def __init__(self) -> None:
        self._beat = self._heard = 0
        self._times = np.zeros(REMEMBERED)

    def next(self, now: float) -> int:
        """The next one, sent at `now` [s]."""
        self._beat = self._beat % 0x3FFFFFFF + 1
        self._times[self._beat % REMEMBERED] = now
        return self._beat

    def sent_at(self, beat: int) -> float | None:
        """When a heartbeat was sent that has come back for the first time [s]; else None."""
        if beat == self._heard or not 0 <= self._beat - beat < REMEMBERED or beat < 1:
            return None
        self._heard = beat
        return float(self._times[beat % REMEMBERED])
