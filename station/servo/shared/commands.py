"""What other processes may ask of the servo: one frozen class per command, checked when it is made."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from station.haptics.guides import GUIDE_WORDS
from station.servo.shared.command import ChoiceCommand, Command, PlainCommand, check_choice, check_range
from station.servo.shared.errors import CommandError
from station.servo.shared.guide_commands import LayGuide, RemoveGuide
from station.servo.shared.words import Cause, EpisodeStep, GripperCode, LinkMethod, Mode, ReferenceFrame

HELD_FOR = 0.1  # what one Engage counts for, where it is the dead-man [s]
SAID_EVERY = 0.03  # how often to send it meanwhile [s]
MOST_GAIN = 10.0
LEAST_SCALE, MOST_SCALE = 1e-3, 1e3
MOST_FRAMES = 4096
MOST_OBSTACLES = 4096
GEOMETRY_NUMBERS = 6
MOST_CONSTRAINTS = 64  # that can be shown as bits of a word
HELD_AXES = 6  # of a constraint, as bits; one more means a universal joint
UNIVERSAL = 1 << HELD_AXES
MOST_GEOMETRY = 1e3  # number that places something [m, rad]
BUTTONS = 32
PANEL_AXES = 6
POSE_NUMBERS = 12
MOST_WIDTH = 10.0  # of a gripper [m]
TASK_BYTES = 192  # of a task's text, in UTF-8
TASK_NUMBERS = 32
PER_NUMBER = TASK_BYTES // TASK_NUMBERS  # bytes: six are a whole number that a real one holds exactly
MOST_NUMBERS = max(PANEL_AXES, POSE_NUMBERS, GUIDE_WORDS, TASK_NUMBERS)


@dataclass(frozen=True)
class Engage(ChoiceCommand):
    """Let the hand move the robot. It counts for 100 ms: say it again as long as the dead-man is held.

    Where the device has a dead-man button that one counts, and this is said once. Where it has none, who sends this is
    the dead-man: one client at a time, and a press that has run out is over, so that only a fresh one engages again.
    """

    press: int = 0  # which press of the dead-man: another number than any before
    kind = 1
    what = "press"
    codes = 1 << 31

    @classmethod
    def pressed(cls) -> Self:
        """A fresh press; to be sent again every SAID_EVERY [s]."""
        return cls(secrets.randbelow(cls.codes))


@dataclass(frozen=True)
class Hold(PlainCommand):
    """Stop the robot where it is and free the hand."""

    kind = 2


@dataclass(frozen=True)
class Reset(PlainCommand):
    """Leave FAULT for READY, if its cause is gone."""

    kind = 3


@dataclass(frozen=True)
class Clutch(Command):
    """Uncouple the hand from the target, or couple it again where it is then."""

    open: bool
    kind = 4
    codes = 2

    @property
    def code(self) -> int:
        """1: uncoupled."""
        return int(self.open)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From 0 or 1."""
        del numbers
        return cls(bool(code))


@dataclass(frozen=True)
class SetMode(ChoiceCommand):
    """How motion of the hand moves the target."""

    mode: Mode
    kind = 5
    what = "mode"
    choices = Mode
    codes = len(Mode)


@dataclass(frozen=True)
class SetGain(Command):
    """How strongly an effect is felt: 1 as designed, 0 off."""

    cause: Cause
    gain: float
    kind = 6
    codes = len(Cause)
    reals = 1

    def __post_init__(self) -> None:
        check_choice("effect", self.cause, len(Cause), Cause)
        check_range("gain", self.gain, 0.0, MOST_GAIN)

    @property
    def code(self) -> int:
        """The cause."""
        return int(self.cause)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The gain."""
        return (self.gain,)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a number of Cause and a gain."""
        return cls(Cause(code), numbers[0])


@dataclass(frozen=True)
class SetScale(Command):
    """Motion of the target over motion of the hand."""

    scale: float
    kind = 7
    reals = 1

    def __post_init__(self) -> None:
        check_range("scale", self.scale, LEAST_SCALE, MOST_SCALE)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The scale."""
        return (self.scale,)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a scale."""
        del code
        return cls(numbers[0])


@dataclass(frozen=True)
class SetReference(ChoiceCommand):
    """In whose axes the hand moves the target."""

    frame: ReferenceFrame
    kind = 8
    what = "reference frame"
    choices = ReferenceFrame
    codes = len(ReferenceFrame)


@dataclass(frozen=True)
class Follow(ChoiceCommand):
    """Which frame of the robot follows the hand, by its number."""

    frame: int
    kind = 9
    what = "frame"
    codes = MOST_FRAMES


@dataclass(frozen=True)
class JointTargets(Command):
    """Where the joints should go [rad or m], in the order of the file; for mode JOINTS."""

    values: tuple[float, ...]
    kind = 10
    reals = "n"

    def __post_init__(self) -> None:
        for number, value in enumerate(self.values, start=1):
            check_range(f"target of joint {number}", value, -1e6, 1e6)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The targets [rad or m]."""
        return self.values

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From as many numbers as there are joints."""
        del code
        return cls(tuple(numbers))


@dataclass(frozen=True)
class PanelInput(Command):
    """What panel and keys of a window say, for `panel:` and `keyboard:`; again and again, or it springs back."""

    axes: tuple[float, ...]  # six deflections, -1 to 1
    buttons: int = 0  # bit i: button i is down
    kind = 11
    codes = 1 << BUTTONS
    reals = PANEL_AXES

    def __post_init__(self) -> None:
        if len(self.axes) != PANEL_AXES:
            raise CommandError(f"{len(self.axes)} axes: a panel has {PANEL_AXES}")
        for value in self.axes:
            check_range("deflection", value, -1.0, 1.0)
        if not 0 <= self.buttons < 1 << BUTTONS:
            raise CommandError(f"buttons {self.buttons}: bits 0 to {BUTTONS - 1} are allowed")

    @property
    def code(self) -> int:
        """The buttons."""
        return self.buttons

    @property
    def numbers(self) -> tuple[float, ...]:
        """The axes."""
        return self.axes

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From buttons and axes."""
        return cls(tuple(numbers), code)


@dataclass(frozen=True)
class EmergencyStop(PlainCommand):
    """Stop everything, with no force on the hand; `Reset` leads out of it."""

    kind = 12


@dataclass(frozen=True)
class SetView(Command):
    """Where the camera of the view is in the world, for motion in its axes: x right, y down, z away."""

    pose: tuple[float, ...]  # upper three rows of the 4×4 pose, row by row [m]
    kind = 13
    reals = POSE_NUMBERS

    def __post_init__(self) -> None:
        _check_pose(self.pose)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The pose."""
        return self.pose

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From twelve numbers."""
        del code
        return cls(tuple(numbers))


@dataclass(frozen=True)
class SetReflection(ChoiceCommand):
    """How contact at the arm is reflected to the hand from now on."""

    method: LinkMethod
    kind = 16
    what = "method"
    choices = LinkMethod
    codes = len(LinkMethod)


@dataclass(frozen=True)
class Tare(PlainCommand):
    """Take what the arm's force sensor tells now for the force of nothing; while the arm holds by itself."""

    kind = 17


@dataclass(frozen=True)
class Lead(Command):
    """Let the device of this part lead its frame, instead of what it leads now; or let it lead nothing.

    For devices that the file lists for several frames, and frames for which it lists several devices. Whoever led
    before holds; a fresh press is needed to go on.
    """

    on: bool
    kind = 22
    codes = 2

    @property
    def code(self) -> int:
        """1: lead."""
        return int(self.on)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From 0 or 1."""
        del numbers
        return cls(bool(code))


@dataclass(frozen=True)
class MoveObstacle(Command):
    """Put an obstacle of the world elsewhere, by its number in the file; it goes there slowly."""

    obstacle: int
    pose: tuple[float, ...]  # upper three rows of the 4×4 pose in the world, row by row [m]
    kind = 23
    codes = MOST_OBSTACLES
    reals = POSE_NUMBERS

    def __post_init__(self) -> None:
        check_choice("obstacle", self.obstacle, MOST_OBSTACLES)
        _check_pose(self.pose)

    @property
    def code(self) -> int:
        """The obstacle."""
        return self.obstacle

    @property
    def numbers(self) -> tuple[float, ...]:
        """The pose."""
        return self.pose

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From the number of an obstacle and the twelve of a pose."""
        return cls(code, tuple(numbers))


@dataclass(frozen=True)
class LockJoint(Command):
    """Stop a joint and keep it where it is, or free it; joints are numbered from 0, in the order of the file."""

    joint: int
    on: bool
    kind = 24
    codes = 2 * MOST_FRAMES

    def __post_init__(self) -> None:
        check_choice("joint", self.joint, MOST_FRAMES)

    @property
    def code(self) -> int:
        """Twice the joint; and 1 more: locked."""
        return 2 * self.joint + int(self.on)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From twice the joint, and 1 more if it is locked."""
        del numbers
        return cls(code // 2, bool(code % 2))


@dataclass(frozen=True)
class SetGeometry(Command):
    """Place a link or frame of the robot by other numbers, by its id; it gets there slowly.

    Of a link they are theta, r, alpha, d, gamma, epsil; of a frame, tool, camera and the base (0) x, y, z and its three
    angles [m, rad]. The one that a joint moves is not looked at: joints are led.
    """

    frame: int
    values: tuple[float, ...]  # [m, rad]
    kind = 25
    codes = MOST_FRAMES
    reals = GEOMETRY_NUMBERS

    def __post_init__(self) -> None:
        check_choice("frame", self.frame, MOST_FRAMES)
        if len(self.values) != GEOMETRY_NUMBERS:
            raise CommandError(f"{len(self.values)} numbers: {GEOMETRY_NUMBERS} place a link or frame")
        for value in self.values:
            check_range("number of a geometry", value, -MOST_GEOMETRY, MOST_GEOMETRY)

    @property
    def code(self) -> int:
        """The frame."""
        return self.frame

    @property
    def numbers(self) -> tuple[float, ...]:
        """The six that place it."""
        return self.values

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From an id and six numbers."""
        return cls(code, tuple(numbers))


@dataclass(frozen=True)
class SwitchConstraint(Command):
    """Let a closed loop of the robot hold, or hold no more: those of the file by their order, then those added.

    A gap is closed slowly; one that cannot be closed is left open.
    """

    number: int
    on: bool
    kind = 26
    codes = 2 * MOST_CONSTRAINTS

    def __post_init__(self) -> None:
        check_choice("constraint", self.number, MOST_CONSTRAINTS)

    @property
    def code(self) -> int:
        """Twice the number; and 1 more: on."""
        return 2 * self.number + int(self.on)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From twice the number, and 1 more if it is to hold."""
        del numbers
        return cls(code // 2, bool(code % 2))


@dataclass(frozen=True)
class AddConstraint(Command):
    """Let two links or frames stay together from now on: of one robot, or of robots that are tied already.

    The ends are number of the robot in the file and id, twice. The held axes are bits of x, y, z, rx, ry, rz, in the
    first of them, or UNIVERSAL.
    """

    ends: tuple[int, int, int, int]
    held: int = UNIVERSAL - 1  # all: a weld
    kind = 27
    codes = UNIVERSAL + 1
    reals = 4

    def __post_init__(self) -> None:
        check_choice("held axes", self.held, UNIVERSAL + 1)
        if not self.held:
            raise CommandError("no axis is held; there are: x y z rx ry rz")
        if len(self.ends) != self.reals:
            raise CommandError(f"{len(self.ends)} numbers: a robot and an id, twice, say what is held")
        for end in self.ends:
            check_choice("end of a constraint", end, MOST_FRAMES)

    @property
    def code(self) -> int:
        """The held axes."""
        return self.held

    @property
    def numbers(self) -> tuple[float, ...]:
        """The ends."""
        return tuple(float(end) for end in self.ends)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From the held axes, and the ends."""
        a, part_a, b, part_b = (int(number) for number in numbers)
        return cls((a, part_a, b, part_b), code)


@dataclass(frozen=True)
class ShowGripper(Command):
    """How the gripper is doing, from the process that leads it: widths [m], 1 if it met something, 1 if emulated."""

    status: GripperCode
    width: float | None = None  # [m]; None: not known
    wanted: float | None = None  # [m]; None: nothing was asked for yet
    detected: bool = False  # the fingers have met something before they were there
    emulated: bool = False
    kind = 20
    codes = len(GripperCode)
    reals = 4

    def __post_init__(self) -> None:
        check_choice("status of a gripper", self.status, len(GripperCode), GripperCode)
        for width in (self.width, self.wanted):
            if width is not None:
                check_range("width of a gripper", width, 0.0, MOST_WIDTH)

    @property
    def code(self) -> int:
        """The status."""
        return int(self.status)

    @property
    def numbers(self) -> tuple[float, ...]:
        """Widths, below 0 if there are none; whether something was met; whether it is emulated."""
        width, wanted = (-1.0 if width is None else width for width in (self.width, self.wanted))
        return width, wanted, float(self.detected), float(self.emulated)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From a number of GripperCode and four numbers."""
        width, wanted = (None if number < 0.0 else number for number in numbers[:2])
        return cls(GripperCode(code), width, wanted, numbers[2] != 0.0, numbers[3] != 0.0)


@dataclass(frozen=True)
class Play(Command):
    """Let a replay go on or pause, from another place of it [s since its beginning]; below 0: from where it is."""

    paused: bool
    position: float = -1.0  # [s]
    kind = 21
    codes = 2
    reals = 1

    def __post_init__(self) -> None:
        check_range("position", self.position, -1.0, 1e9)

    @property
    def code(self) -> int:
        """1 is paused."""
        return int(self.paused)

    @property
    def numbers(self) -> tuple[float, ...]:
        """The position [s]."""
        return (self.position,)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From 0 or 1, and the position [s]."""
        return cls(bool(code), numbers[0])


@dataclass(frozen=True)
class Episode(ChoiceCommand):
    """Begin an episode, or say how it ended; what is discarded is marked, never deleted."""

    step: EpisodeStep
    kind = 18
    what = "episode"
    choices = EpisodeStep
    codes = len(EpisodeStep)


@dataclass(frozen=True)
class SetTask(Command):
    """What the episodes that begin from now on are about, in words: UTF-8, six bytes in each number."""

    text: str
    kind = 19
    reals = TASK_NUMBERS

    def __post_init__(self) -> None:
        size = len(self.text.encode("utf8", "replace"))
        if size > TASK_BYTES or not (self.text.isprintable() or not self.text):
            raise CommandError(f"a task of {size} bytes: one line of at most {TASK_BYTES} bytes is allowed")

    @property
    def numbers(self) -> tuple[float, ...]:
        """The text, in pieces."""
        packed = self.text.encode("utf8", "replace").ljust(TASK_BYTES, b"\0")
        pieces = (packed[at : at + PER_NUMBER] for at in range(0, TASK_BYTES, PER_NUMBER))
        return tuple(float(int.from_bytes(piece, "little")) for piece in pieces)

    @classmethod
    def decoded(cls, code: int, numbers: Sequence[float]) -> Self:
        """From its pieces."""
        del code
        if any(not 0.0 <= number < 2.0 ** (8 * PER_NUMBER) or number != int(number) for number in numbers):
            raise CommandError("a task that is no text")
        packed = b"".join(int(number).to_bytes(PER_NUMBER, "little") for number in numbers)
        return cls(packed.rstrip(b"\0").decode("utf8", "replace"))


def _check_pose(pose: Sequence[float]) -> None:
    if len(pose) != POSE_NUMBERS:
        raise CommandError(f"{len(pose)} numbers: a pose has {POSE_NUMBERS}, its upper three rows")
    for value in pose:
        check_range("number of a pose", value, -1e6, 1e6)


COMMANDS: dict[int, type[Command]] = {
    command.kind: command
    for command in (
        Engage,
        Hold,
        Reset,
        Clutch,
        SetMode,
        SetGain,
        SetScale,
        SetReference,
        Follow,
        JointTargets,
        PanelInput,
        EmergencyStop,
        SetView,
        LayGuide,
        RemoveGuide,
        SetReflection,
        Tare,
        Episode,
        SetTask,
        ShowGripper,
        Play,
        Lead,
        MoveObstacle,
        LockJoint,
        SetGeometry,
        SwitchConstraint,
        AddConstraint,
    )
}
