"""`Reading`: all that is known of one robot when a picture is made of it, and what is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from station.mad.scene import BASE_ID, Link
from station.mad.units import JointType
from station.mechanism import Mechanism
from station.view.robot import DrawnRobot, followed
from station.view.theme import Theme

if TYPE_CHECKING:
    from station.collision import Surroundings
    from station.servo.shared import Snapshot

Floats = NDArray[np.float64]
NEVER = 1e6  # age from which on something was never there [s]; as the servo writes it
NO_CONTROLLER = 0  # `ControllerCode.NONE` of shared state, which takes long to load


@dataclass(frozen=True)
class Reading:
    """One robot at one moment; `snapshot` is None where no station moves it."""

    robot: DrawnRobot
    mechanism: Mechanism
    theme: Theme
    snapshot: Snapshot | None = None
    text: Mapping[str, Any] = field(default_factory=dict)  # what the station told of itself
    told: Mapping[str, Floats] = field(default_factory=dict)  # quantities that somebody else knows, one per joint
    seat: Floats = field(default_factory=lambda: np.eye(3))  # from the axes of the device to those of the seat
    surroundings: Callable[[], Surroundings | str] | None = None  # obstacles around it, or why they are not known

    @cached_property
    def joints(self) -> tuple[Link, ...]:
        """Links that move, in the order of joint values."""
        return tuple(link for link in self.robot.robot.links if link.joint is not JointType.FIXED)

    @cached_property
    def turning(self) -> NDArray[np.bool_]:
        """Which joints turn; the others slide."""
        return np.array([link.joint is JointType.REVOLUTE for link in self.joints], bool)

    @cached_property
    def unmeasured(self) -> str:
        """Why nothing measured is known of this robot; empty if it is."""
        if self.snapshot is None:
            return "no station moves this robot"
        if int(self.snapshot.controller_status[0]) == NO_CONTROLLER:
            return "there is no controller"
        age = float(self.snapshot.measured_age[0])
        if not (age < NEVER and np.isfinite(self.snapshot.measured_q).all()):
            return "nothing has been measured yet"
        if self.robot.measured.stale:
            return "the measurement is too old"
        return ""

    @cached_property
    def on_measured(self) -> bool:
        """Whether marks of measured quantities stand at the ghost."""
        return not self.unmeasured and self.robot.measured.shown

    @cached_property
    def frame(self) -> int:
        """The frame that the hand leads, else the first tool, else the base."""
        named = int(self.snapshot.followed_frame[0]) if self.snapshot is not None else BASE_ID
        if named != BASE_ID and named in self.robot.body.ids:
            return named
        return (followed(self.robot.robot) or [BASE_ID])[0]

    @property
    def pushes(self) -> bool:
        """Whether the hand can feel anything; if not, what would be felt is shown."""
        return self.text.get("pushes", True) is not False

    @property
    def tool(self) -> Floats:
        """Pose of that frame as it is drawn [m]."""
        return self.robot.pose(self.frame)

    def pose_in(self, name: str) -> Floats | None:
        """A 4×4 pose of the snapshot [m]; None if it was never filled or is no number."""
        if self.snapshot is None:
            return None
        pose = np.asarray(getattr(self.snapshot, name), np.float64)
        return pose if np.isfinite(pose).all() and pose[3, 3] == 1.0 else None


def joint_name(link: Link) -> str:
    """`joint 3`, with its name if it has one."""
    return f"joint {link.id} ({link.name})" if link.name else f"joint {link.id}"
