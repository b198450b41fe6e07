"""An emulated 3D mouse: a small body in a hand, told 50 times a second as the real one tells it."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from firmware_bridge.mouse3d import (
    DIAGNOSTICS,
    OUT,
    RATE,
    RESET,
    SILENCE,
    STREAM,
    WORKS,
    encode,
    mouse3d_capabilities,
    record_of,
)
from sim_devices.emulator import Emulator
from sim_devices.ends import End, PtyEnd
from sim_devices.faults import FaultScript, Wire
from station.clock import WALL, Clock
from station.devices.device import Floats
from station.kernel import Floats1, Floats2, entry
from station.kernel.so3 import product, quaternion_of, turn_by, write_rotation, write_vector

STEP = 0.0005  # of the body [s]
LONGEST_GAP = 0.1  # of time that is lived through after a pause [s]
MASS, INERTIA = 0.15, 2e-4  # [kg], [kg·m²]
DRAG, TURNING_DRAG = 3.0, 4e-3  # so that a loose hand swings little [N·s/m], [N·m·s/rad]
ON_THE_LINE = 16 * 10.0 / 19200.0  # a record is sent for so long [s]
RESETS_FOR = 1.0  # [s]
PATIENT_FOR = 1.0  # so long a patient hand sees it stream before it begins [s]
LIMITS = np.array([(axis.low, axis.high) for axis in mouse3d_capabilities().axes[:3]]).T  # [m]


@entry
def push(pose: Floats2, velocity: Floats1, wrench: Floats1) -> None:
    """One step of the body in the hand's push [N, N·m]: its place [m] and twist [m/s, rad/s].

    Drag of the cable is taken at the end of the step, so that it only ever slows.
    """
    for k in range(3):
        velocity[k] = (velocity[k] + STEP * wrench[k] / MASS) / (1.0 + STEP * DRAG / MASS)
        turning = velocity[3 + k] + STEP * wrench[3 + k] / INERTIA
        velocity[3 + k] = turning / (1.0 + STEP * TURNING_DRAG / INERTIA)
        pose[k, 3] += STEP * velocity[k]
    step = turn_by((STEP * velocity[3], STEP * velocity[4], STEP * velocity[5]))
    write_rotation(product(step, quaternion_of(pose)), pose)


class MouseHand(Protocol):
    """Whatever holds it."""

    def wrench(self, now: float, position: Floats, rotation_vector: Floats, velocity: Floats) -> Floats:
        """On the mouse [N, N·m]."""

    def buttons(self, now: float) -> int:
        """That are down."""


class Mouse3dEmulator(Emulator):
    """A 3D mouse at the end of a line.

    Args:
        end: of the line; else a pseudo-terminal.
        clock: on which it lives.
        faults: what goes wrong.
        hand: that holds it; None: it lies there.
        seed: of what goes wrong by chance.
        patient: the hand begins once it has streamed for a second.
    """

    name = "mouse3d"

    def __init__(
        self,
        end: End | None = None,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        hand: MouseHand | None = None,
        seed: int = 0,
        patient: bool = False,
    ) -> None:
        self.end = PtyEnd(self.name) if end is None else end
        self.hand = hand
        self.pose, self.velocity = np.eye(4), np.zeros(6)  # [m], [m/s, rad/s], station's axes
        self._turned = np.zeros(3)  # rotation vector of the pose [rad]
        self._patient, self._begun = patient, 0.0  # when the hand did [s]
        self._now = self._lived = 0.0  # [s since the start]
        self._stuck: Floats | None = None
        super().__init__(clock, faults)
        self._wire = Wire(self.faults, seed)
        self._power_up()

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"serial:{self.end.name}?device={self.name}"

    @property
    def signals(self) -> dict[str, float]:
        """Quantities that faults can depend on: t [s], place [m] and speed [m/s]."""
        x, y, z = self.pose[:3, 3].tolist()
        return {"t": self._now, "x": x, "y": y, "z": z, "speed": float(np.linalg.norm(self.velocity[:3]))}

    def _power_up(self) -> None:
        self._streams_since: float | None = None  # [s]
        self._deaf_until = self._told = float("-inf")  # [s]
        self._heard = bytearray()

    def _step(self, now: float) -> None:
        self._now = now
        self._live(now)
        if self._is_cut_off():
            return
        heard = self.end.read()
        if self.faults.active("deaf") is None and now >= self._deaf_until:
            self._listen(heard)
        if self._streams_since is not None and now - self._told >= 1.0 / RATE - 1e-9:
            self._told = now
            self._wire.put(encode(record_of(*self._shown())), now + ON_THE_LINE)
        for record in self._wire.take(now):
            self.end.write(record)

    def _is_cut_off(self) -> bool:
        """Whether it is unplugged, without power or just starting again."""
        active = self.faults.active
        out = active("unplug") is not None
        if out == self.end.plugged:
            if out:
                self.end.unplug()
            else:
                self.end.plug()
        off = out or active("brown-out") is not None or active("restart") is not None
        if off:
            self.end.read()
            self._wire.clear()
            self._power_up()
        return off

    def _listen(self, heard: bytes) -> None:
        for byte in heard:
            if byte == ord("*"):
                self._heard.clear()
            self._heard.append(byte)
            if len(self._heard) == len(STREAM):
                self._obey(bytes(self._heard))
                self._heard.clear()

    def _obey(self, command: bytes) -> None:
        if self.faults.active("other-device") is not None:
            self._wire.put(b"??", self._now)
        elif command == STREAM and self._streams_since is None:
            self._streams_since = self._now
        elif command == SILENCE:
            self._streams_since = None
        elif command == RESET:
            self._power_up()
            self._deaf_until = self._now + RESETS_FOR
        elif command == DIAGNOSTICS:
            self._wire.put(bytes(WORKS), self._now)

    def _shown(self) -> tuple[Floats, int, int]:
        """Pose, buttons and flags to be told."""
        beyond = bool((self.pose[:3, 3] < LIMITS[0]).any() or (self.pose[:3, 3] > LIMITS[1]).any())
        pose, stuck = self.pose.copy(), self.faults.active("stuck-encoder")
        if stuck is None:
            self._stuck = None
        else:
            self._stuck = pose[:3, 3].copy() if self._stuck is None else self._stuck
            axis = int(stuck["axis"]) % 3
            pose[axis, 3] = self._stuck[axis]
        begun = self.hand is not None and self._hand_time >= 0.0
        buttons = self.hand.buttons(self._hand_time) if begun and self.hand is not None else 0
        return pose, buttons, OUT if beyond else 0

    @property
    def _hand_time(self) -> float:
        """Of the hand's own [s]; below 0 it waits."""
        return self._lived - self._begun if not self._patient else -1.0

    def _live(self, now: float) -> None:
        if self._patient and self._streams_since is not None and now - self._streams_since >= PATIENT_FOR:
            self._patient, self._begun = False, now
        self._lived = max(self._lived, now - LONGEST_GAP)
        while self._lived + STEP <= now + 1e-9:
            self._lived += STEP
            self._move()

    def _move(self) -> None:
        """One step of the body."""
        hand_time, pose = self._hand_time, self.pose
        if self.hand is None or hand_time < 0.0:
            self.velocity[:] = 0.0
            return
        write_vector(pose, self._turned)
        push(pose, self.velocity, self.hand.wrench(hand_time, pose[:3, 3], self._turned, self.velocity))

    def _release(self) -> None:
        self.end.close()
