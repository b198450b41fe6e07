"""Records of the mapping: what it knows from tick to tick, and its settings as kernels read them."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from station.devices.mapping.settings import Bubble, Edge, LockFrame, MappingSettings, Region, Shape, Sphere
from station.kernel import Bools1, Floats1, Floats2, Ints1, Record, field, kernel
from station.kernel.so3 import Quaternion, rotation
from station.kernel.vectors import Vector


class Mode(IntEnum):
    """Whether the hand moves the robot, and if not, what is missing; in order of what is asked first."""

    NO_SAMPLE = 0  # the hand is not known: device not ready, lost, or its samples refused
    NOT_PERMITTED = 1  # the caller forbids it, or the robot's pose or the view is not known
    GUIDING = 2  # the hand is led to the start
    RELEASE_FIRST = 3  # the dead-man must be let go and pressed again
    WAITING = 4  # the dead-man is up
    CLUTCHED = 5  # the clutch is held: the hand moves alone
    ENGAGED = 6


class Cause(IntEnum):
    """Why the hand last ceased to move the robot."""

    NEVER = 0  # it has not ceased yet
    RELEASED = 1  # the dead-man was let go
    CLUTCH = 2  # the clutch was pressed
    LOST = 3  # no sample for too long, or the device is not ready
    UNREADABLE = 4  # a sample held what is no number or no rotation
    GLITCH = 5  # several samples in a row were faster than a hand, or came in the wrong order
    FORBIDDEN = 6  # the caller said so
    ROBOT_UNKNOWN = 7  # the pose of the robot or of the view is not finite or no rotation


class Kind(IntEnum):
    """How an axis is taken: `AxisKind`, for kernels."""

    NONE = 0
    ABSOLUTE = 1
    INCREMENTAL = 2


class Reference(IntEnum):
    """In whose axes the hand moves the target: `ReferenceFrame`, for kernels."""

    WORLD = 0
    VIEW = 1
    TOOL = 2


class Pose(Record):
    """A place and a turn."""

    place: Floats1 = field("m", shape=3)
    turn: Floats1 = field("", "quaternion, w first", shape=4)


class MappingState(Record):
    """What a mapping knows from tick to tick."""

    # Whether the hand moves the robot.
    mode: Mode
    cause: Cause = field("", "why it last ceased to")
    armed: bool = field("", "the dead-man has been seen up since the last trouble")
    disengaged: int = field("", "times that it ceased for any cause but release and clutch")
    # Time and samples.
    ticked: bool = field("", "there was a tick")
    now: float = field("s", "of the last tick")
    known: bool = field("", "there is a pose of the hand")
    sample_time: float = field("s", "device time of the last sample, believed or not")
    sequence: int = field("", "of the last sample, believed or not")
    arrival: float = field("s", "of the last believed sample")
    buttons: int = field("", "bits of the last believed sample")
    refused_in_row: int = field("", "samples")
    refused: int = field("", "samples in all")
    # The hand and what it moves.
    hand: Pose = field("", "last believed, device frame")
    velocity: Floats1 = field("m/s, rad/s", "of the hand, device frame", shape=6)
    passed: Pose = field("", "of the hand as far as it has been passed on to the target")
    target: Pose = field("", "of the followed frame, world")
    bubble_armed: bool = field("", "the hand has been inside the ball since it engaged")
    rate_armed: Bools1 = field("", "the axis has been at rest since it engaged", shape=6)
    # Frames, scale and locks of this tick.
    gliding: bool = field("", "scale and axes are in use, so they glide to what is set")
    scale: Floats1 = field("", "as it is used", shape=6)
    axes: Floats1 = field("", "world_from_reference as it is used: quaternion", shape=4)
    world_from_seat: Floats2 = field("", "reference and locks, of straight or turning motion: scratch", shape=(3, 3))
    straight: Floats2 = field("", "Jacobian target ← hand, straight motion", shape=(3, 3))
    turning: Floats2 = field("", "the same for turning motion", shape=(3, 3))
    straight_rate: Floats2 = field("m/s", "world velocity per full deflection", shape=(3, 3))
    turning_rate: Floats2 = field("rad/s", "the same for turning motion", shape=(3, 3))
    force_back: Floats2 = field("", "its transpose takes a force at the robot to the hand", shape=(3, 3))
    torque_back: Floats2 = field("", "the same for a torque", shape=(3, 3))
    # Forces of the device's own frame.
    guided: bool = field("", "guidance is on")
    pull: float = field("", "share of the pull towards the start, growing to 1")
    own_force: Floats1 = field("N", "of walls and pull, device frame", shape=3)


class Wall(Record):
    """A region with springs outside."""

    region: Shape
    centre: Floats1 = field("m", shape=3)
    half: Floats1 = field("m", "half lengths of a box; radius and half length of a cylinder; radius of a ball", shape=3)
    axis: int = field("", "of the device that a cylinder lies along")
    stiffness: float = field("N/m")
    damping: float = field("N·s/m")
    force: float = field("N", "largest")


class Pull(Record):
    """The pull towards the start."""

    start: Floats1 = field("m", shape=3)
    stiffness: float = field("N/m")
    damping: float = field("N·s/m")
    force: float = field("N", "largest")
    radius: float = field("m", "the hand has arrived within this")
    ramp: float = field("s", "time in which the pull grows to its full size")


class MappingNumbers(Record):
    """The settings as kernels read them. Six numbers: along x y z, then about x y z."""

    seat: Floats2 = field("", "rotation seat_from_device", shape=(3, 3))
    scale: Floats1 = field("", "robot motion per hand motion, along and about the seat's axes", shape=6)
    kinds: Ints1 = field("", "how each axis of the device is taken, as `Kind`", shape=6)
    middle: Floats1 = field("m | rad", "where the deflection of an incremental axis is zero", shape=6)
    low: Floats1 = field("m | rad", "largest deflection from there, below zero", shape=6)
    high: Floats1 = field("m | rad", "the same, above zero", shape=6)
    reference: Reference
    free: Floats1 = field("", "factor: 0 where an axis is locked, else 1", shape=6)
    locks_in_tool: bool = field("", "locks are along the tool's axes, else along those of the reference")
    straight_rate: float = field("m/s", "at full deflection")
    turning_rate: float = field("rad/s", "at full deflection")
    dead_zone: float = field("", "part of the travel")
    exponent: float = field("", "of the curved part of the response")
    blend: float = field("", "share of the curved part")
    feedback: float = field("", "how much of the wrench incremental axes give to the hand")
    straight_lead: float = field("m", "how far rates take the target away from the robot")
    turning_lead: float = field("rad", "the same for turning")
    dead_man: int = field("", "button; -1: none")
    clutch: int = field("", "button; -1: none")
    hand_speed: float = field("m/s", "of the fastest hand")
    hand_turn_speed: float = field("rad/s", "of the fastest wrist")
    refusals: int = field("", "refused samples in a row that disengage")
    stale_after: float = field("s", "a sample older than this disengages")
    period: float = field("s", "between samples, as the device has it")
    spread: float = field("s", "over which what a sample brings is passed on; 0: at once")
    edge: Wall
    bubble: Wall
    bubble_rate: float = field("1/s", "speed per depth; 0: no bubble")
    bubble_speed: float = field("m/s", "largest, of the hand's scale")
    guide: Pull


@kernel
def place_of(pose: Pose) -> Vector:
    """Place of a pose [m]."""
    return pose.place[0], pose.place[1], pose.place[2]


@kernel
def turn_of(pose: Pose) -> Quaternion:
    """Rotation of a pose."""
    return pose.turn[0], pose.turn[1], pose.turn[2], pose.turn[3]


@kernel
def keep(pose: Pose, place: Vector, turn: Quaternion) -> None:
    """Become that place [m] and turn."""
    pose.place[0], pose.place[1], pose.place[2] = place
    pose.turn[0], pose.turn[1], pose.turn[2], pose.turn[3] = turn


def numbers_of(settings: MappingSettings) -> MappingNumbers:
    """The settings for kernels."""
    numbers = MappingNumbers()
    fill_numbers(numbers, settings)
    return numbers


def fill_numbers(numbers: MappingNumbers, settings: MappingSettings) -> None:
    """Put settings in the place of others, in less time than a tick has."""
    numbers.seat[:] = rotation(np.array(settings.seat))
    numbers.scale[:], numbers.middle[:] = settings.scale, settings.middle
    numbers.low[:], numbers.high[:] = settings.low, settings.high
    numbers.kinds[:] = [Kind[kind.name] for kind in settings.motion]
    numbers.reference = Reference[settings.reference.name]
    numbers.free[:] = [0.0 if locked else 1.0 for locked in settings.locks]
    numbers.locks_in_tool = settings.lock_frame is LockFrame.TOOL
    response, engagement = settings.response, settings.engagement
    numbers.straight_rate, numbers.turning_rate = response.straight_rate, response.turning_rate
    numbers.dead_zone, numbers.exponent, numbers.blend = response.dead_zone, response.exponent, response.blend
    numbers.feedback = response.feedback
    numbers.straight_lead, numbers.turning_lead = response.straight_lead, response.turning_lead
    numbers.dead_man = -1 if engagement.dead_man is None else engagement.dead_man
    numbers.clutch = -1 if engagement.clutch is None else engagement.clutch
    numbers.hand_speed, numbers.hand_turn_speed = engagement.hand_speed, engagement.hand_turn_speed
    numbers.refusals = engagement.refusals
    numbers.stale_after, numbers.period = engagement.stale_after, engagement.period
    numbers.spread = engagement.spread
    edge, bubble, guide, pull = settings.edge, settings.bubble, settings.guide, numbers.guide
    _fill_wall(numbers.edge, edge.region, edge.margin, edge)
    ball = Sphere(centre=bubble.centre, radius=bubble.radius) if bubble.radius > 0.0 else None
    _fill_wall(numbers.bubble, ball, 0.0, bubble)
    numbers.bubble_rate, numbers.bubble_speed = (0.0, 0.0) if ball is None else (bubble.rate, bubble.speed)
    pull.start[:], pull.radius, pull.ramp = guide.start, guide.radius, guide.ramp
    pull.stiffness, pull.damping, pull.force = guide.stiffness, guide.damping, guide.force


def _fill_wall(wall: Wall, region: Region | None, margin: float, felt: Edge | Bubble) -> None:
    if region is None:
        wall.reset()
        return
    wall.region, wall.axis = region.shape, getattr(region, "axis", 0)
    wall.centre[:], wall.half[:] = region.centre, region.halves(margin)
    wall.stiffness, wall.damping, wall.force = felt.stiffness, felt.damping, felt.force
