"""What a tick of the forces is told, what it remembers and what it answers. Frame of the device, SI units."""

from __future__ import annotations

import math
from enum import IntEnum, IntFlag
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from station.devices.parameter import SettingsError
from station.kernel import Floats, Floats1, Floats2, Record, field

MOST_STOPS, MOST_OBSTACLES, MOST_GUIDES = 24, 16, 8
FAR = 1e6  # from any singularity


class Cause(IntEnum):
    """Why the hand feels a force; rows of `Rendered.parts`. All rows together are the wrench that is sent.

    The first ten are effects and can be switched; the last two are what is taken away from their sum.
    """

    COUPLING = 0  # what the robot could not do
    STOPS = 1  # before a joint stop
    SINGULARITY = 2
    OBSTACLES = 3
    GUIDES = 4
    ZONES = 5
    CONTACT = 6  # measured at the arm; this one and those before act only while the hand moves the robot
    COMPENSATION = 7  # of the device's inertia and friction
    CUES = 8
    DEVICE = 9  # the edge of the device itself
    LIMITS = 10  # taken away by force, heat, power and slew limits
    PASSIVITY = 11  # taken away by the method of stability


CAUSES = len(Cause)
EFFECTS = int(Cause.LIMITS)  # how many causes are effects


class Fault(IntFlag):
    """Why there is no force."""

    NONE = 0
    NOT_FINITE = 1  # an input is no number, or absurdly large
    DEVICE_LOST = 2  # the caller says that the device is not ready
    STALE_SAMPLE = 4  # no new place of the hand for too long
    CLOCK = 8  # a time stamp went backwards
    TOO_MANY_ROWS = 16  # more stops or obstacles than there is room for, or an unknown cue
    NO_ROTATION = 32  # a quaternion without unit length


class Acting(IntFlag):
    """What holds a force back."""

    NOTHING = 0
    FORCE_LIMIT = 1
    SLEW_LIMIT = 2
    POWER_LIMIT = 4
    PASSIVITY = 8
    HOT = 16  # motors are warm: less than the peak is left


class Cue(IntEnum):
    """The haptic grammar."""

    NONE = 0
    CLUTCH = 1  # one click
    LIMIT = 2  # a short buzz
    STALE_LINK = 3  # a slow flutter
    MODE = 4  # two clicks
    FAULT = 5  # three buzzes


class Inputs(Record):
    """What the forces need to know in a tick; the mapping takes robot quantities to the hand.

    Arrays are filled in place: `inputs.hand[:] = place`.
    """

    now: float = field("s", "of this tick")
    sample_time: float = field("s", "when the hand was where it is said to be")
    fresh: bool = field("", "whether the place of the hand is new in this tick", default=True)
    ready: bool = field("", "whether the device is there and takes forces", default=True)
    engaged: bool = field("", "whether the hand moves the robot", default=True)
    link: bool = field("", "whether the arm side answers", default=True)
    hand: Floats1 = field("m", "place of the handle", shape=3)
    hand_turn: Floats1 = field("", "quaternion (w, x, y, z) of the handle", shape=4, default=(1.0, 0.0, 0.0, 0.0))
    hand_speed: Floats1 = field("m/s, rad/s", "estimate", shape=6)
    hand_acceleration: Floats1 = field("m/s²", "estimate", shape=3)
    proxy: Floats1 = field("m", "where the predicted robot lets the hand be", shape=3)
    proxy_turn: Floats1 = field("", "quaternion", shape=4, default=(1.0, 0.0, 0.0, 0.0))
    proxy_speed: Floats1 = field("m/s, rad/s", shape=6)
    nearness: float = field("", "to a singularity: any measure that is 0 there", default=FAR)
    nearness_gradient: Floats1 = field("1/m, 1/rad", "of that at the hand", shape=6)
    measured: Floats1 = field("N, N·m", "wrench measured at the arm, as the hand is to feel it", shape=6)
    measured_age: float = field("s", "of that; without end: never measured", default=math.inf)
    own_wrench: Floats1 = field("N, N·m", "what the mapping asks for at the edge of the device", shape=6)
    cue: Cue = field("", "to play")
    cue_count: int = field("", "a new number starts the cue")
    stop_count: int = field("", "rows that are filled")
    stop_distance: Floats1 = field("rad | m", "to a joint stop", shape=MOST_STOPS)
    stop_gradient: Floats2 = field("(rad | m)/(m | rad)", "of that at the hand", shape=(MOST_STOPS, 6))
    obstacle_count: int = field("", "rows that are filled")
    obstacle_distance: Floats1 = field("m", "to an obstacle", shape=MOST_OBSTACLES)
    obstacle_normal: Floats2 = field("", "away from the obstacle", shape=(MOST_OBSTACLES, 3))
    obstacle_point: Floats2 = field("m", "near point of what the hand moves", shape=(MOST_OBSTACLES, 3))

    def at(self, now: float, *, fresh: bool, sample_time: float | None = None) -> None:
        """Time of the tick [s]; whether the place of the hand is new, and when it was there [s]."""
        self.now, self.fresh = now, bool(fresh)
        self.sample_time = now if sample_time is None else sample_time

    def states(self, *, ready: bool, engaged: bool, link: bool) -> None:
        """Whether the device takes forces, the hand moves the robot, the arm side answers."""
        self.ready, self.engaged, self.link = bool(ready), bool(engaged), bool(link)

    def stops(self, rows: ArrayLike) -> None:
        """n×7: distance to a joint stop [rad | m], and its gradient at the hand."""
        numbers = _rows(rows, "stops", MOST_STOPS)
        self.stop_count = n = len(numbers)
        self.stop_distance[:n], self.stop_gradient[:n] = numbers[:, 0], numbers[:, 1:]

    def obstacles(self, rows: ArrayLike) -> None:
        """n×7: signed distance [m], unit normal away from the obstacle, near point of what the hand moves [m]."""
        numbers = _rows(rows, "obstacles", MOST_OBSTACLES)
        self.obstacle_count = n = len(numbers)
        self.obstacle_distance[:n] = numbers[:, 0]
        self.obstacle_normal[:n], self.obstacle_point[:n] = numbers[:, 1:4], numbers[:, 4:]

    def play(self, cue: Cue) -> None:
        """Start a cue in the next tick; it replaces one that is playing."""
        self.cue = cue
        self.cue_count += 1


def _rows(rows: ArrayLike, name: str, most: int) -> Floats:
    numbers = np.asarray(rows, dtype=float).reshape(-1, 7)
    if len(numbers) > most:
        raise SettingsError(f"{len(numbers)} {name}; allowed: {most}, the nearest ones")
    return numbers


class HapticState(Record):
    """What lives from tick to tick."""

    # Time.
    started: bool = field("", "whether there was a sample")
    last_now: float = field("s", "of the last tick")
    last_sample: float = field("s", "time of the last sample")
    age: float = field("s", "since the last sample")
    ahead: float = field("s", "how long the next interval may be: the longest of late")
    offset: float = field("s", "least that a sample was older than its tick, by the clocks of device and station")
    late: float = field("s", "from a sample until its force acts: delay, and by how much samples came late of late")
    # The hand.
    place: Floats1 = field("m", "where the ledger takes the handle to have been in the last sample", shape=3)
    turn: Floats1 = field("", "quaternion of the handle in the last sample", shape=4)
    step: Floats1 = field("m, rad", "how far the hand went in the last interval", shape=6)
    step_time: float = field("s", "how long that was")
    read: Floats1 = field("m", "what the encoders said in the last sample", shape=3)
    read_before: Floats1 = field("m", "and in the one before", shape=3)
    # Forces.
    parts: Floats2 = field("N, N·m", "by cause", shape=(CAUSES, 6))
    sent: Floats2 = field("N, N·m", "the parts since the last sample", shape=(CAUSES, 6))
    wrench: Floats1 = field("N, N·m", "what was sent last", shape=6)
    applied: Floats1 = field("N, N·m", "what acts now, of what was sent", shape=6)
    acted: bool = field("", "whether `low` and `high` hold something since the last sample")
    low: Floats1 = field("N, N·m", "least that acted since the last sample", shape=6)
    high: Floats1 = field("N, N·m", "most that acted since the last sample", shape=6)
    # Ramps.
    gains: Floats1 = field("", "of effects, by cause: where the switches are on their way", shape=EFFECTS)
    engagement: float = field("", "from 0 to 1")
    guide_gains: Floats1 = field("", "from 0 to 1", shape=MOST_GUIDES)
    # Energy.
    potential: float = field("J", "that springs hold")
    available: float = field("J", "that may be given to the hand")
    rendered: float = field("J", "that went from the hand into the forces")
    dissipated: float = field("J", "that the device itself surely took")
    lowest: float = field("J", "least of rendered + dissipated so far")
    cause_energy: Floats1 = field("J", "that went from the hand into each cause", shape=CAUSES)
    pressed: float = field("J", "that the hand has put into the contact that it feels")
    spent: float = field("J", "given since the last sample, as foreseen")
    ratio: float = field("", "part of the force that passivity lets through", default=1.0)
    # Single effects.
    filtered: Floats1 = field("N, N·m", "measured contact after its low-pass", shape=6)
    heat: Floats1 = field("", "of the motors for force and for torque; 1: as by the force for long", shape=2)
    playing: Cue
    played: float = field("s", "since the cue began")
    counted: int = field("", "last `cue_count`")
    slow_down: float = field("", "what obstacles leave of the speed, 0 to 1", default=1.0)
    # What came of it.
    acting: Acting
    faults: Fault


class Energy(NamedTuple):
    """The ledger at the hand [J]."""

    rendered: float  # from the hand into the forces
    dissipated: float  # that the device's own damping and friction surely took
    available: float  # that may be given back
    potential: float  # that springs hold
    lowest: float  # least of rendered + dissipated so far: below zero, energy was generated


class Rendered(NamedTuple):
    """One tick of the forces. Arrays are the same every time and are overwritten by the next tick."""

    wrench: Floats  # on the hand, device axes [N, N·m]
    parts: Floats  # 12×6, rows by `Cause` [N, N·m]
    slow_down: float  # what obstacles leave of the speed, 0 to 1
    energy: Energy
    acting: Acting
    fault: Fault
