"""`JointKeys`: keys that lead joints one by one: mode JOINTS on and off, a joint by its number, a step up or down.

And `c`, then a number from 1 on: a constraint of the robot on or off, in the order of the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from station.servo.shared import Command, JointTargets, Mode, SetMode, Snapshot
from station.servo.shared.commands import SwitchConstraint

CONSTRAINT = "c"
SWITCH, UP, DOWN = "j", ("+", "="), ("-", "_")  # with and without Shift, which keyboards have differently
TURN, WAY = math.radians(1.0), 0.002  # a step of a joint that turns [rad], that slides [m]
HELP = "1 to 9: which joint   + -: a step of 1° or 2 mm   j: the hand leads again"


class Asked(NamedTuple):
    """A command for the servo, by a name that people know, and what is told once it is done."""

    command: Command
    name: str
    done: str = ""


class JointKeys:
    """Knows which joint is meant, and where it was asked to be."""

    def __init__(self) -> None:
        self._joint = 0
        self._targets: list[float] = []  # of the robot that is led so [rad | m]
        self._robot = ""
        self._constraint = False  # the next number is of a constraint

    def hear(self, key: str, snapshot: Snapshot | None, text: Mapping[str, Any]) -> Iterator[Asked]:
        """What a key asks of the part with this snapshot, which says this of itself."""
        if snapshot is None:
            return
        joints, led = list(text.get("joints", ())), int(snapshot.mode[0]) == Mode.JOINTS
        robot = str(text.get("robot", ""))
        switches, self._constraint = self._constraint and key.isdecimal(), key == CONSTRAINT
        if switches and int(key) > 0:
            on = not int(snapshot.constraints_on[0]) >> int(key) - 1 & 1
            name = f"constraint {key} {'on' if on else 'off'}"
            yield Asked(SwitchConstraint(int(key) - 1, on), name, f"{name}, {robot}")
        elif key == SWITCH:
            self._robot, self._targets = robot, [float(value) for value in snapshot.predicted_q]
            self._joint = 0
            done = f"the hand leads {robot}" if led else f"joints of {robot} are led by keys; {HELP}"
            yield Asked(SetMode(Mode.POSITION if led else Mode.JOINTS), "hand" if led else "joints", done)
        elif led and key.isdecimal() and 1 <= int(key) <= len(joints):
            self._joint = int(key) - 1
        elif led and key in (*UP, *DOWN) and self._joint < len(joints):
            if robot != self._robot or len(self._targets) != len(joints):  # another client has switched it
                self._robot, self._targets = robot, [float(value) for value in snapshot.predicted_q]
            yield self._step(joints[self._joint], 1.0 if key in UP else -1.0)

    def _step(self, joint: Mapping[str, Any], sign: float) -> Asked:
        turns = joint.get("type") == "revolute"
        low, high = (joint.get(end) for end in ("low", "high"))
        wanted = self._targets[self._joint] + sign * (TURN if turns else WAY)
        wanted = max(wanted, low) if low is not None else wanted
        wanted = min(wanted, high) if high is not None else wanted
        self._targets[self._joint] = wanted
        shown = f"{math.degrees(wanted):.1f}°" if turns else f"{1e3 * wanted:.1f} mm"
        name = f"joint {joint.get('name') or joint.get('id', self._joint + 1)}"
        return Asked(JointTargets(tuple(self._targets)), name, f"{name} to {shown}")
