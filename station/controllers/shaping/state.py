"""What shaping is told, what it remembers and what it answers, under one name each.

Joints are numbered in the order of the file, n of them. SI units: [rad | m] and derivatives, by the kind of joint.
"""

from __future__ import annotations

import math
from enum import IntEnum, IntFlag
from typing import NamedTuple

from station.controllers.supervisor.words import Shape, Stopped
from station.kernel import Floats, Floats1, Floats2, Floats3, Ints1, Record, field

MOST_PIECES = 12  # of a parking move, for each joint
BUCKETS, BUCKET_TIME = 256, 0.010  # of the ring of what was sent: so long each [s]


class Refusal(IntEnum):
    """Why a setpoint was refused."""

    NONE = 0
    NOT_FINITE = 1  # target or setpoint is no number
    OUT_OF_RANGE = 2  # position
    JUMP = 3  # further from the last one than is ever allowed
    TOO_FAST = 4  # speed
    TOO_SUDDEN = 5  # acceleration
    TOO_JERKY = 6  # jerk
    NOT_SMOOTH = 7  # position, speed and acceleration do not belong together
    CANNOT_STOP = 8  # from there one could not stop within the limits


class Acting(IntFlag):
    """What holds the setpoint back."""

    NOTHING = 0
    POSITION = 1  # the end of a joint's range is near
    SPEED = 2
    ACCELERATION = 4
    SLOWED = 8  # the arm is between inner and outer tube, or presses on something
    COMES_BACK = 16  # a joint is outside its range, or at its very end
    PRESSING = 32  # the tool presses as hard as it may: no further


class ShapingInputs(Record):
    """What a tick is told, filled in place before it. `ShapingInputs(n=…)`, or `Shaper.inputs()`."""

    now: float = field("s", "of this tick")
    wanted: Shape
    starts: bool = field("", "begin: go on with what is being sent, else from where the arm is")
    target_time: float = field("s", "when the target was made")
    measured_age: float = field("s", default=math.inf)
    delay: float = field("s", "of the link, there and back; what is no number counts as none")
    pressed: float = field("", "how hard the tool presses, towards its target: 0 little enough, 1 as hard as it may")
    target: Floats1 = field("rad | m", "joints of the predicted robot", shape="n")
    target_v: Floats1 = field("rad/s | m/s", "their speeds; zeros if not known", shape="n")
    measured: Floats1 = field("rad | m", "joints as the controller reports them", shape="n")
    measured_v: Floats1 = field("rad/s | m/s", "not a number: cannot be measured", shape="n")

    def at(self, now: float, wanted: Shape, target_time: float | None = None) -> None:
        """Time of the tick [s], what is wanted, when the target was made [s]."""
        self.now, self.wanted = now, wanted
        self.target_time = now if target_time is None else target_time

    def link(self, age: float, delay: float = 0.0) -> None:
        """Age of the measurement [s], delay of the link there and back [s]."""
        self.measured_age, self.delay = age, delay

    def press(self, pressed: float) -> None:
        """How hard the tool presses on something: 0 little enough, 1 as hard as it may, 2 harder than that."""
        self.pressed = pressed

    def start(self) -> None:
        """Begin in the next tick: go on with the motion that is being sent, else from where the arm is."""
        self.starts = True


class ShapingState(Record):
    """What lives from tick to tick."""

    running: bool = field("", "there is a setpoint")
    stopped: Stopped = field("", "what it has stopped for; stays until it is started anew")
    ticked: bool = field("", "there was a tick, so that its time means something")
    last_now: float = field("s")
    step: float = field("s", "time that this tick stood for")
    slow: float = field("", "what tube and press limit leave of the target's speed, 0 to 1")
    at_rest: bool = field("", "setpoints stand still")
    following: bool = field("", "the arm is where it was sent, within the tube")
    refusals: int = field("", "targets and setpoints that were refused, in all")
    reason: Refusal = field("", "why the last was")
    reason_joint: int = field("", "and for which joint")
    acting: Acting
    worst: float = field("", "largest distance from what was sent, as part of the outer tube")
    worst_joint: int
    park_loaded: bool = field("", "a move was planned")
    park_time: float = field("s", "since it began")
    park_done: bool
    bucket: int = field("", "of the ring: that of now")
    bucket_age: float = field("s")
    q: Floats1 = field("rad | m", "sent", shape="n")
    v: Floats1 = field("rad/s | m/s", shape="n")
    a: Floats1 = field("rad/s² | m/s²", shape="n")
    new_q: Floats1 = field("rad | m", "about to be sent", shape="n")
    new_v: Floats1 = field("rad/s | m/s", shape="n")
    new_a: Floats1 = field("rad/s² | m/s²", shape="n")
    apart: Floats1 = field("rad | m", "how far the arm is from where it was sent", shape="n")
    piece_count: Ints1 = field("", "of a parking move", shape="n")
    pieces: Floats3 = field("", "each: start [s], q, v, a, jerk", shape=("n", MOST_PIECES, 5))
    sent_least: Floats2 = field("rad | m", "ring of what was sent", shape=(BUCKETS, "n"))
    sent_most: Floats2 = field("rad | m", shape=(BUCKETS, "n"))


class Shaped(NamedTuple):
    """One tick of shaping. Arrays are the same every time and are overwritten by the next tick."""

    q: Floats  # setpoint [rad | m]; not a number while there is none
    v: Floats  # [rad/s | m/s]
    a: Floats  # [rad/s² | m/s²]
    running: bool  # there is a setpoint
    stopped: Stopped
    at_rest: bool  # it stands still
    acting: Acting
    slow: float  # what tube and press limit leave of the target's speed, 0 to 1
    parked: bool  # the parking move has ended
    follows: bool  # the arm is where it was sent, or nothing is being sent
