"""`LiveGrab`: a point of a running station's robot, dragged by the mouse as in the design study.

Only a station that is led from a window (`--device panel:` or `keyboard:`) can be led so. How the part has to move for
the grabbed point to come to the mouse is found as in the design study, on the virtual robot put where the station's is;
it becomes deflections of the device, and the held mouse button is its dead-man. Mapping, solver, limits and supervisor
are the station's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from station.clock import WALL
from station.devices.software.held import DEAD_MAN
from station.devices.software.panel import PanelDevice
from station.mad.scene import ReferenceFrame
from station.servo.shared import DeviceCode, Snapshot, Waiting
from station.view.design.grab import Grab
from station.view.design.leading import axes_of, of_device, turn_between, view_pose
from station.view.hand import NOTHING, Held
from station.view.moment import Moment
from station.view.picking import Hit

if TYPE_CHECKING:
    from station.view.window import ViewWindow

Floats = NDArray[np.float64]
AHEAD = 0.2  # the grabbed point is to be at the mouse after so long [s]
READY_FOR = 3  # frames
AGAIN = "the station has let go; let go of the part as well, and take hold of it again"
REST = 2e-3  # part of a full rate that is not worth a motion
REFERENCES = tuple(ReferenceFrame)  # in the order of the numbers in shared state
HOLDS = frozenset({DEAD_MAN})


class LiveGrab(Grab):
    """A grabbed point of the robot of a station, and the place where it is wanted.

    Args:
        window: that follows the station.
        hit: what was grabbed.
    """

    def __init__(self, window: ViewWindow, hit: Hit) -> None:
        from station.devices.mapping import settings_from_device  # takes a moment to load
        from station.mad.leading import leads_of, name_of

        self._window = window
        snapshot = window.hand.moment.snapshot
        if snapshot is not None:
            window.design.bench[hit.robot].q = snapshot.predicted_q.copy()
        super().__init__(window.design, hit.robot, hit.id, hit.point)
        bench = window.design.bench
        leads = leads_of(bench, [window.design.robot(hit.robot).name])[0]
        own = [lead for lead in leads if name_of(lead.device) == window.hand.moment.name]
        described = (own or leads)[0].device
        self._mapping = settings_from_device(described, PanelDevice("panel:", WALL).capabilities)
        self._ready = 0  # frames for which the station has heard from this window
        self._pressed = self._lost = False  # whether the dead-man was, and whether the station has let go since
        if snapshot is not None:
            self._motion(snapshot.predicted_q)  # what is done for the first time takes a moment: not with the dead-man
        self.words = ""

    def held(self, moment: Moment) -> Held:
        """What the mouse holds of the device in this frame."""
        snapshot = moment.snapshot
        if snapshot is None:
            return NOTHING
        if int(snapshot.followed_frame[0]) != self.part:
            # It changes what follows only while nothing moves: the dead-man comes after.
            self.words = f"waiting for the station to let part {self.part} follow"
            return NOTHING
        ready = int(snapshot.device_status[0]) == DeviceCode.READY
        self._ready = self._ready + 1 if ready else 0
        if self._lost or (self._pressed and not ready):  # nothing engages by itself: only a new press counts
            self._lost, self.words = True, AGAIN
            return NOTHING
        if not self._pressed and self._ready <= READY_FOR:  # a press before the device is there would not count
            self.words = "waiting for the station to hear from this window"
            return NOTHING
        self._pressed = True
        if not self._window.hand.engaged(moment):
            pressed_before = int(snapshot.waiting[0]) == Waiting.RELEASE
            self.words = AGAIN if pressed_before else "the dead-man is held; waiting for the station to engage"
            return Held(NOTHING.shares, HOLDS)
        self.words = f"dragging part {self.part} of the station's robot"
        return Held(self._deflections(snapshot), HOLDS)

    def _deflections(self, snapshot: Snapshot) -> Floats:
        """Of the device, for the grabbed point to go to where the mouse is."""
        way, turn = self._motion(snapshot.predicted_q)
        pose, view = self._design.bench[self.robot].pose(self.part), view_pose(self._window.scene.camera)
        axes = axes_of(REFERENCES[int(snapshot.reference_frame[0])], pose, view)
        response, scale = self._mapping.response, self._mapping.scale
        full = np.array([response.straight_rate * float(snapshot.scale[0])] * 3 + [response.turning_rate] * 3) * scale
        rates = np.concatenate([axes.T @ way, axes.T @ turn]) / (AHEAD * np.maximum(full, 1e-9))
        rates /= max(1.0, float(np.abs(rates).max()))  # its direction stays
        # What the station makes of a deflection, backwards.
        curved = np.abs(rates) ** (1.0 / response.exponent)
        shares = np.where(np.abs(rates) < REST, 0.0, response.dead_zone + (1.0 - response.dead_zone) * curved)
        return np.array(of_device(list(np.sign(rates) * shares)))

    def _motion(self, q: Floats) -> tuple[Floats, Floats]:
        """Way [m] and turn [rad] of the part until the grabbed point is where it is wanted, world axes."""
        mechanism = self._design.bench[self.robot]
        mechanism.q = q.copy()
        before = mechanism.pose(self.part)
        self.follow(AHEAD)
        after = mechanism.pose(self.part)
        way, turn = after[:3, 3] - before[:3, 3], turn_between(before, after)
        mechanism.q = self._hand.q = q.copy()  # shown is where the point is
        return np.asarray(way), turn
