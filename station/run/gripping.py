"""`Gripping`: a tool that opens and closes as the hand does. A process of its own beside the servo.

A gripper answers within milliseconds at best, so it has no place in a tick. It is led by what the servo shows: the grip
of the device (0 open to 1 closed) while the hand moves the robot. When the hand ceases to, for whatever reason, the
fingers stand where they are, and what is held stays held. What the gripper says goes back to the servo, which shows it
to everybody: windows, the dashboard, recordings.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from station.controllers.tool import GripperMeasurement, GrippingTool, ToolStatus
from station.controllers.tools import open_tool
from station.errors import StationError
from station.mad.scene import Robot
from station.servo.gripper import told_of
from station.servo.shared import CommandClient, ServoState, ShowGripper, Snapshot, StateReader
from station.servo.shared.runtime import COMMANDS

PERIOD = 0.01  # between two looks at the hand [s]
ACTIVATE_AGAIN = 300  # looks
TELL_AGAIN = 10  # looks, after which the servo is told again what has not changed
FRESH = 0.2  # age of what the servo shows, up to which it counts [s]
GRIP_BUTTONS = ("grip", "right")  # that open and close, on a device without a grip: the first that it has
STEP = 0.005  # least change of the grip that the fingers follow, 0 to 1


class NoGripError(StationError, ValueError):
    """A device that cannot lead a gripper."""


class Grasp(NamedTuple):
    """What the fingers may do."""

    closed: float  # width when the grip is closed [m]
    opened: float  # and when it is open [m]
    force: float | None = None  # largest [N]; None: the least that the tool can

    def width(self, grip: float) -> float:
        """For a grip from 0 open to 1 closed [m]."""
        return self.opened + min(max(grip, 0.0), 1.0) * (self.closed - self.opened)


class Gripping:
    """Leads a tool after the hand; `look` is called again and again, and neither waits nor raises."""

    def __init__(self, tool: GrippingTool, grasp: Grasp, button: int = -1, emulated: bool = False) -> None:
        self.tool, self.grasp, self._button, self._emulated = tool, grasp, button, emulated
        self._asked: float | None = None  # grip that the tool was last told
        self._closed = self._was_down = False  # by the button
        self._patience = 0  # looks until an activation that had no effect is asked for again
        self._wanted: float | None = None  # width that the tool was last told [m]
        self._last: GripperMeasurement | None = None

    def look(self, shown: Snapshot | None, silence: float) -> None:
        """Act on what the servo shows, and on how long it has been silent [s]."""
        self._last = self.tool.newest() or self._last
        if not self._leads(shown, silence):
            if self._asked is not None:
                self.tool.stop()
            self._asked = None
            return
        assert shown is not None
        grip = self._grip(shown)
        self._patience -= 1
        if self.tool.status is ToolStatus.IDLE:
            if self._patience < 0:
                self._patience = ACTIVATE_AGAIN
                self.tool.activate()  # fingers move to find their range: only now, as the dead-man is held
        elif self._is_news(grip) and self.tool.move(self.grasp.width(grip), self.grasp.force):
            self._asked, self._wanted = grip, min(self.grasp.width(grip), self.tool.largest_width)

    @property
    def told(self) -> ShowGripper:
        """How the gripper is doing, for everybody who watches or records the servo."""
        return told_of(self.tool, self._last, self._wanted, self._emulated)

    def _is_news(self, grip: float) -> bool:
        """Whether it differs enough from what was asked; the ends are always reached."""
        if self._asked is None or abs(grip - self._asked) >= STEP:
            return True
        return grip in (0.0, 1.0) and grip != self._asked

    def _leads(self, shown: Snapshot | None, silence: float) -> bool:
        return shown is not None and silence < FRESH and int(shown.state[0]) == ServoState.ENGAGED

    def _grip(self, shown: Snapshot) -> float:
        """How far it is to be closed: as far as the grip of the device, or turn about with each press of a button."""
        if self._button < 0:
            grip = float(shown.hand_grip[0])
            return grip if grip == grip else (self._asked or 0.0)
        down = bool(int(shown.hand_buttons[0]) >> self._button & 1)
        self._closed ^= down and not self._was_down
        self._was_down = down
        return float(self._closed)


class Report:
    """Tells the servo how the gripper is doing: at once when something changes, and now and then otherwise.

    Args:
        client: of the servo; None: there is nobody to tell.
    """

    def __init__(self, client: CommandClient | None) -> None:
        self._client = client
        self._told: ShowGripper | None = None
        self._looks = 0  # since it was told

    def tell(self, now: ShowGripper) -> None:
        """Never waits, never raises: a servo that does not listen is not the gripper's trouble."""
        self._looks += 1
        if self._client is None or (now == self._told and self._looks < TELL_AGAIN):
            return
        with contextlib.suppress(StationError):
            self._client.send(now)
            self._told, self._looks = now, 0


class Gripper(NamedTuple):
    """A gripper that a run is to lead."""

    url: str
    grasp: Grasp
    name: str = ""  # as it is told to people, if not by its address
    emulated: bool = False

    @property
    def arguments(self) -> list[str]:
        """For the process, after the shared state."""
        force = self.grasp.force
        arguments = [self.url, str(self.grasp.closed), str(self.grasp.opened)]
        arguments += ["--force", str(force)] if force else []
        return [*arguments, *(["--emulated"] if self.emulated else [])]


def gripper_of(robot: Robot, asked: str | None) -> Gripper | None:
    """The gripper of a robot's first tool that has one, at the address asked for or that of the file; None: no address.

    Without a word of it in the file, it opens as far as it goes.
    """
    described = next((tool.gripper for tool in robot.tools if tool.gripper is not None), None)
    url = asked if asked is not None else (described.address if described else None)
    if not url or url == "none":
        return None
    if described is None:
        return Gripper(url, Grasp(0.0, math.inf))
    closed, opened = described.stroke
    return Gripper(url, Grasp(closed, opened, described.force))


def button_of(about: dict[str, Any]) -> int:
    """The button that opens and closes, by what the servo tells of its device: -1 if the device has a grip."""
    if about.get("grip"):
        return -1
    names = [str(name).lower() for name in about.get("buttons", ())]
    for name in GRIP_BUTTONS:
        if name in names:
            return names.index(name)
    raise NoGripError(
        f"this device has neither a grip nor a button {' or '.join(GRIP_BUTTONS)}: nothing can lead a gripper"
    )


def follow(
    tool: GrippingTool,
    grasp: Grasp,
    state: Path,
    over: Callable[[], bool],
    wait: Callable[[float], object],
    emulated: bool = False,
) -> None:
    """Lead the tool until told to end, or until the servo is gone."""
    with StateReader(state) as reader, contextlib.ExitStack() as stack:
        gripping = Gripping(tool, grasp, button_of(reader.text), emulated)
        client = None
        with contextlib.suppress(StationError):  # not of a servo: a replay, a test
            client = stack.enter_context(CommandClient(state.with_suffix(COMMANDS)))
        report = Report(client)
        while not over() and reader.alive:
            shown = None
            with contextlib.suppress(StationError):  # it stopped while it was publishing
                shown = reader.read()
            gripping.look(shown, reader.heartbeat_age)
            report.tell(gripping.told)
            wait(PERIOD)
    gripping.look(None, float("inf"))
    for _ in range(5):  # lets the last order go out
        tool.newest()
        wait(PERIOD)


def main() -> int:
    """`python -m station.run.gripping STATE URL CLOSED OPENED [--force N] [--emulated]`."""
    parser = argparse.ArgumentParser(prog="python -m station.run.gripping", description=__doc__)
    parser.add_argument("state", type=Path, help="shared state of the servo")
    parser.add_argument("url", help="of the tool")
    parser.add_argument("closed", type=float, help="width [m]")
    parser.add_argument("opened", type=float, help="width [m]")
    parser.add_argument("--force", type=float, help="largest [N]")
    parser.add_argument("--emulated", action="store_true", help="it is not real")
    given = parser.parse_args()
    ended = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        with open_tool(given.url) as tool:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            grasp = Grasp(given.closed, min(given.opened, tool.largest_width), given.force)
            follow(tool, grasp, given.state, ended.is_set, ended.wait, given.emulated)
    except StationError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
