"""Commands are checked when they are made, and survive the way."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from station.haptics import CurveGuide, LineGuide
from station.haptics.guides import LaidGuide
from station.servo.shared import (
    Cause,
    Clutch,
    Command,
    CommandError,
    EmergencyStop,
    Engage,
    Episode,
    EpisodeStep,
    Follow,
    GripperCode,
    Hold,
    JointTargets,
    LayGuide,
    LinkMethod,
    Mode,
    PanelInput,
    Play,
    ReferenceFrame,
    RemoveGuide,
    Reset,
    SetGain,
    SetMode,
    SetReference,
    SetReflection,
    SetScale,
    SetTask,
    SetView,
    ShowGripper,
    Tare,
)
from station.servo.shared.commands import (
    COMMANDS,
    AddConstraint,
    Lead,
    LockJoint,
    MoveObstacle,
    SetGeometry,
    SwitchConstraint,
)
from station.servo.shared.guide_commands import GUIDE_NUMBERS

EXAMPLES: tuple[Command, ...] = (
    Engage(),
    Hold(),
    Reset(),
    Clutch(True),
    Clutch(False),
    SetMode(Mode.RATE),
    SetGain(Cause.LIMITS, 0.25),
    SetScale(2.0),
    SetReference(ReferenceFrame.TOOL),
    Follow(6),
    JointTargets((0.1, -0.2, 0.3)),
    PanelInput((0.0, 1.0, -1.0, 0.5, 0.0, 0.0), 0b101),
    Play(True, 2.5),
    EmergencyStop(),
    SetView(tuple(map(float, range(12)))),
    LayGuide(3, tuple(LineGuide(point=(0.1, 0.2, 0.3)).row()[:GUIDE_NUMBERS])),
    LayGuide(4, tuple(CurveGuide(points=((0.1, 0.2, 0.3), (0.2, 0.2, 0.3), (0.2, 0.4, 0.3))).row().tolist())),
    RemoveGuide(3),
    SetReflection(LinkMethod.DIRECT),
    Tare(),
    Episode(EpisodeStep.DISCARD),
    SetTask("put the cube – the red one – into the box"),
    SetTask(""),
    ShowGripper(GripperCode.READY, 0.0425, 0.04, True, True),
    ShowGripper(GripperCode.OPENING),
    Lead(True),
    MoveObstacle(2, tuple(map(float, range(12)))),
    LockJoint(5, True),
    LockJoint(4, False),
    SetGeometry(7, (0.1, -0.2, 0.3, 0.0, 0.0, 1.5)),
    SwitchConstraint(3, True),
    SwitchConstraint(0, False),
    AddConstraint((0, 4, 1, 17), 0b100111),
)


@pytest.mark.parametrize("command", EXAMPLES, ids=repr)
def test_a_command_survives_being_made_into_numbers(command: Command) -> None:
    assert type(command).decoded(command.code, command.numbers) == command
    assert 0 <= command.code < command.codes
    assert len(command.numbers) == (3 if command.reals == "n" else command.reals)


def test_there_is_an_example_of_every_command_and_every_kind_is_its_own() -> None:
    assert {type(command) for command in EXAMPLES} == set(COMMANDS.values())
    assert all(command.kind == kind for kind, command in COMMANDS.items())


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SetGain(Cause.STOPS, math.nan), "gain nan"),
        (lambda: SetGain(Cause.STOPS, -0.1), "from 0 to 10"),
        (lambda: SetGain(Cause.STOPS, 1e9), "from 0 to 10"),
        (lambda: SetGain(77, 1.0), "COUPLING, STOP"),  # type: ignore[arg-type]
        (lambda: SetMode("rate"), "POSITION, RATE, JOINTS"),  # type: ignore[arg-type]
        (lambda: SetReference(-1), "WORLD, VIEW, TOOL"),  # type: ignore[arg-type]
        (lambda: SetScale(0.0), "scale 0"),
        (lambda: SetScale(math.inf), "scale inf"),
        (lambda: Follow(-1), "0 to 4095"),
        (lambda: Follow(True), "0 to 4095"),
        (lambda: JointTargets((0.0, math.inf)), "joint 2"),
        (lambda: PanelInput((0.0,) * 5), "a panel has 6"),
        (lambda: PanelInput((0.0,) * 5 + (1.5,)), "from -1 to 1"),
        (lambda: PanelInput((0.0,) * 6, 1 << 32), "bits 0 to 31"),
        (lambda: Episode(9), "START, SUCCESS, FAILURE, DISCARD"),  # type: ignore[arg-type]
        (lambda: SetTask("x" * 193), "at most 192 bytes"),
        (lambda: SetTask.decoded(0, [0.5] * 32), "no text"),
        (lambda: SetTask.decoded(0, [-1.0] * 32), "no text"),
        (lambda: SetTask.decoded(0, [2.0**48 - 1.0] * 32), "at most 192 bytes"),  # no UTF-8
        (lambda: ShowGripper(GripperCode.READY, math.nan), "width of a gripper nan"),
        (lambda: ShowGripper(GripperCode.READY, 0.1, 99.0), "from 0 to 10"),
    ],
)
def test_nonsense_is_refused_with_what_is_allowed(make: Callable[[], Command], words: str) -> None:
    with pytest.raises(CommandError, match=words):
        make()


@pytest.mark.parametrize("points", [1.0, 33.0, 1000.0, 2.5, -3.0])
def test_a_guide_with_points_that_are_not_there_is_refused(points: float) -> None:
    for guide in (LineGuide(), CurveGuide()):
        row = guide.row().tolist()
        row[LaidGuide.place_of("count")] = points
        with pytest.raises(CommandError, match="points of a guide"):
            LayGuide(0, tuple(row))


def test_a_curve_without_its_points_is_refused() -> None:
    with pytest.raises(CommandError, match="points of a guide"):
        LayGuide(0, tuple(CurveGuide().row().tolist()[:GUIDE_NUMBERS]))
