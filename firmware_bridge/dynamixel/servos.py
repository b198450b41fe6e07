"""What a servo of an arm is: its limits as the servo has them, and how counts and radians go together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.table import DriveMode, Mode, Model
from station.controllers.controller import Capabilities, ControlledJoint, Floats
from station.controllers.errors import ControllerMismatchError

Counts = tuple[int, ...]  # of a handful of servos: quicker than arrays
FURTHEST = 1e4  # what no joint reaches [rad]
HAIR = 2.0 * table.RADIANS  # that limits may be rounded by [rad]


@dataclass(frozen=True, kw_only=True)
class Seat:
    """A joint as the address tells it: which servo moves it, and how its counts are to be read."""

    ident: int
    name: str
    zero: int = table.CENTRE  # counts at 0 rad
    reverse: bool = False  # the joint turns against the servo
    torque_constant: float | None = None  # [N·m/A]; None: its effort cannot be told

    @property
    def text(self) -> str:
        """For messages."""
        return f"servo {self.ident} ({self.name})"


@dataclass(frozen=True, kw_only=True)
class Servo:
    """A servo as it has told itself."""

    seat: Seat
    model: Model
    firmware: int
    emulated: bool
    drive_mode: DriveMode
    mode: Mode
    homing: int  # counts that the servo adds by itself
    return_delay: float  # [s]
    velocity_limit: float  # [rad/s]
    current_limit: float  # [A]; 0: not told
    low: int | None  # counts; None: it has no limits in its mode
    high: int | None

    @property
    def joint(self) -> ControlledJoint:
        """As the station knows it."""
        ends: list[float | None] = [None if at is None else self.radians(at) for at in (self.low, self.high)]
        low, high = ends[::-1] if self.seat.reverse else ends
        constant = self.seat.torque_constant
        effort = constant * self.current_limit if constant and self.current_limit else None
        return ControlledJoint(
            name=self.seat.name, low=low, high=high, speed=self.velocity_limit or None, effort=effort
        )

    def radians(self, counts: int) -> float:
        """Joint value at a position of the servo [rad]."""
        return (-1.0 if self.seat.reverse else 1.0) * (counts - self.seat.zero) * table.RADIANS


def servo_of(url: str, seat: Seat, data: bytes) -> Servo:
    """From the first 64 bytes of its table; a ControllerMismatchError if it is not fit for an arm that is led."""
    number = table.MODEL.read(data)
    model = table.MODELS.get(number)
    if model is None:
        known = ", ".join(f"{one.name} ({key})" for key, one in table.MODELS.items())
        raise ControllerMismatchError(f"{url}: {seat.text} is of model {number}; known are: {known}")
    number = table.OPERATING_MODE.read(data)
    if number not in table.POSITION_MODES:
        raise ControllerMismatchError(
            f"{url}: {seat.text} is in operating mode {number}; set it to 3 (position), 4 (several turns) or 5"
        )
    drive = DriveMode(table.DRIVE_MODE.read(data))
    if drive & DriveMode.TORQUE_ON_BY_GOAL:
        raise ControllerMismatchError(
            f"{url}: {seat.text} switches its torque on with any goal; clear bit 3 of its drive mode ({int(drive)})"
        )
    limited = number == Mode.POSITION
    return Servo(
        seat=seat,
        model=model,
        firmware=table.FIRMWARE.read(data),
        emulated=table.MODEL_INFORMATION.read(data) == table.EMULATED,
        drive_mode=drive,
        mode=Mode(number),
        homing=table.HOMING.read(data),
        return_delay=table.RETURN_DELAY.read(data) * table.RETURN_DELAY_UNIT,
        velocity_limit=table.VELOCITY_LIMIT.read(data) * table.SPEED,
        current_limit=table.CURRENT_LIMIT.read(data) * model.ampere,
        low=table.LOWEST_POSITION.read(data) if limited else None,
        high=table.HIGHEST_POSITION.read(data) if limited else None,
    )


class Scale:
    """Counts ⇄ radians for all servos of an arm."""

    def __init__(self, servos: Sequence[Servo]) -> None:
        far = table.GOAL_POSITION.high
        signs = [-1.0 if servo.seat.reverse else 1.0 for servo in servos]
        lows = [-far if servo.low is None else servo.low for servo in servos]
        highs = [far if servo.high is None else servo.high for servo in servos]
        scales, zeros = [sign / table.RADIANS for sign in signs], [servo.seat.zero for servo in servos]
        self._places = list(zip(scales, zeros, lows, highs, strict=True))
        self._radians = np.array(signs) * table.RADIANS
        self._zero = np.array(zeros, dtype=np.float64)
        self._speed = np.array(signs) * table.SPEED
        constants = np.array([servo.model.ampere * (servo.seat.torque_constant or 0.0) for servo in servos])
        self._effort = np.array(signs) * constants
        self.tells_effort = bool((constants > 0.0).all())

    def counts(self, q: Floats) -> Counts | None:
        """Goals for joint values [rad]; None if they are not finite, or outside what a servo takes."""
        if q.shape != self._radians.shape:
            return None
        goals = []
        for value, (scale, zero, low, high) in zip(q.tolist(), self._places, strict=True):
            if not -FURTHEST < value < FURTHEST:  # what is no number is not within either
                return None
            goal = round(value * scale) + zero
            if not low <= goal <= high:
                return None
            goals.append(goal)
        return tuple(goals)

    def within(self, counts: Counts) -> Counts:
        """Positions as goals: a joint that stands beyond a limit is called to the limit."""
        return tuple(min(max(at, low), high) for at, (_, _, low, high) in zip(counts, self._places, strict=True))

    def joints(self, counts: Counts) -> Floats:
        """Joint values [rad]."""
        return np.asarray((np.array(counts, dtype=np.float64) - self._zero) * self._radians)

    def speeds(self, units: Counts) -> Floats:
        """Joint speeds [rad/s]."""
        return np.asarray(np.array(units, dtype=np.float64) * self._speed)

    def efforts(self, units: Counts) -> Floats:
        """Torques [N·m], as the current and a constant of the motor tell: without friction."""
        return np.asarray(np.array(units, dtype=np.float64) * self._effort)


def capabilities_of(servos: Sequence[Servo], scale: Scale, rate: float, watchdog: float) -> Capabilities:
    """What an arm of these servos is and can do, at a rate [Hz] and with a watchdog [s]."""
    names = list(dict.fromkeys(servo.model.name for servo in servos))
    return Capabilities(
        model=f"Dynamixel {', '.join(names)}",
        joints=tuple(servo.joint for servo in servos),
        rate=rate,
        watchdog=watchdog,
        measures_velocity=True,
        measures_effort=scale.tells_effort,
        emulated=any(servo.emulated for servo in servos),
    )


def check_limits(url: str, servos: Sequence[Servo], joints: Sequence[ControlledJoint]) -> None:
    """A ControllerMismatchError if a joint of the scene goes further than its servo."""
    wanted = {joint.name: joint for joint in joints}
    for servo in servos:
        mine, scene = servo.joint, wanted.get(servo.seat.name)
        if scene is None or mine.low is None or mine.high is None:
            continue
        low = mine.low if scene.low is None else scene.low
        high = mine.high if scene.high is None else scene.high
        if low < mine.low - HAIR or high > mine.high + HAIR:
            raise ControllerMismatchError(
                f"{url}: {servo.seat.text} goes from {mine.low:.3f} to {mine.high:.3f} rad, the scene from "
                f"{low:.3f} to {high:.3f} rad; widen the position limits of the servo or narrow the stops of the joint"
            )
