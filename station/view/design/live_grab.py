"""`LiveGrab`: a part of a running station's robot, dragged by the mouse as by any other device.

Only a station that is led by the on-screen device (`--device panel:`) can be led so: the drag becomes deflections of
that device, and the held mouse button is its dead-man. Mapping, solver, limits and supervisor are the station's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from station.devices.software.panel import BUTTONS
from station.mad.scene import ReferenceFrame
from station.servo.shared import Follow, PanelInput, ServoState, SetView
from station.view.design.leading import axes_of, of_device, view_pose
from station.view.hand_line import HandLine
from station.view.moment import Moment
from station.view.picking import Hit

if TYPE_CHECKING:
    from station.view.window import ViewWindow

RESTING = 2  # frames at rest after engaging
FULL = 0.04  # way from the mouse at which a deflection is full [m]
DEAD_MAN = 1 << BUTTONS.index("dead-man")
REFERENCES = tuple(ReferenceFrame)  # in the order of the numbers in shared state
PANEL = "panel"


class LiveGrab:
    """A grabbed point of the robot of a station, and the place where it is wanted.

    Args:
        window: that follows the station.
        hit: what was grabbed.
    """

    def __init__(self, window: ViewWindow, hit: Hit) -> None:
        self._window, self.robot, self.part = window, hit.robot, hit.id
        pose = window.scene.robots[hit.robot].pose(hit.id)
        self.offset: NDArray[np.float64] = (np.linalg.inv(pose) @ [*hit.point, 1.0])[:3]  # in its frame [m]
        self.wanted: NDArray[np.float64] = np.array(hit.point, np.float64)  # in the world [m]
        self._line = HandLine(window.follower)
        self._engaged = 0  # frames for which the station has been engaged
        self._asked = False  # whether the station was asked to let this part follow
        self.words = ""

    @property
    def place(self) -> NDArray[np.float64]:
        """Where the grabbed point is drawn [m]."""
        return np.asarray((self._window.scene.robots[self.robot].pose(self.part) @ [*self.offset, 1.0])[:3])

    def send(self, moment: Moment) -> None:
        """Hold the device for another frame; raises a StationError if the station cannot be told."""
        snapshot = moment.snapshot
        if snapshot is None:
            return
        if int(snapshot.followed_frame[0]) != self.part:
            # It changes what follows only while nothing moves: the dead-man comes after.
            self._line.send(PanelInput((0.0,) * 6))
            if not self._asked:
                self._asked = True
                self._line.send(Follow(self.part))
            self.words = f"waiting for the station to let part {self.part} follow"
            return
        engaged = int(snapshot.state[0]) == ServoState.ENGAGED
        self._engaged = self._engaged + 1 if engaged else 0
        if self._engaged <= RESTING:  # a device that engages deflected would not be heard
            self._line.send(PanelInput((0.0,) * 6, DEAD_MAN))
            self.words = "the dead-man is held; waiting for the station to engage"
            return
        view = view_pose(self._window.scene.camera)
        reference = REFERENCES[int(snapshot.reference_frame[0])]
        if reference is ReferenceFrame.VIEW:
            self._line.send(SetView(tuple(float(value) for value in view[:3].ravel())))
        axes = axes_of(reference, self._window.scene.robots[self.robot].pose(self.part), view)
        way = np.clip(axes.T @ (self.wanted - self.place) / FULL, -1.0, 1.0)
        self._line.send(PanelInput(of_device([*map(float, way), 0.0, 0.0, 0.0]), DEAD_MAN))
        self.words = f"dragging part {self.part} of the station's robot"

    def let_go(self) -> None:
        """Everything springs back, and the dead-man is up."""
        try:
            self._line.send(PanelInput((0.0,) * 6))
        finally:
            self._line.close()


def may_be_led(moment: Moment) -> bool:
    """Whether the station is led by the device on the screen."""
    return str(moment.text.get("device", "")).split(":")[0] == PANEL
