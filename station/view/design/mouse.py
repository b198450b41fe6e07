"""`Grabber`: the mouse takes hold of parts of a robot. Elsewhere, and with Ctrl or Shift, it moves the view as ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtCore, QtGui

from station.errors import StationError
from station.mad.scene import BASE_ID
from station.servo.shared import Follow
from station.view.design.errors import one_line
from station.view.design.grab import Grab
from station.view.design.live_grab import LiveGrab
from station.view.hand import NOTHING, Held
from station.view.moment import Moment
from station.view.picking import Hit

if TYPE_CHECKING:
    from station.view.design.studio import Studio
    from station.view.window import ViewWindow

CLICK = 4  # way of the mouse up to which it is a click [px]
VIEW_KEYS = QtCore.Qt.KeyboardModifier.ControlModifier | QtCore.Qt.KeyboardModifier.ShiftModifier
KEEP_TURN = QtCore.Qt.KeyboardModifier.AltModifier


class Grabber(QtCore.QObject):
    """Sees the events of a canvas first, and keeps those of a grab.

    Args:
        window: whose canvas it works on.
        studio: whose robots it moves.
    """

    def __init__(self, window: ViewWindow, studio: Studio) -> None:
        super().__init__(window)
        self._window, self._studio = window, studio
        self._hit: Hit | None = None  # what the button went down on
        self._from = QtCore.QPointF()
        self.grab: Grab | None = None  # while something is dragged
        self._before: int | None = None  # frame that followed the hand before a drag
        self.keeps_turn = False  # whether parts keep their orientation, as with Alt
        window.hand.sources.append(self._from_mouse)
        window.hand.letting_go.append(self.cancel)

    def eventFilter(self, _watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Whether an event is ours alone."""
        if not isinstance(event, QtGui.QMouseEvent):
            return False
        match event.type():
            case QtCore.QEvent.Type.MouseButtonPress:
                return self._press(event)
            case QtCore.QEvent.Type.MouseMove if self._hit is not None:
                self._move(event)
                return True
            case QtCore.QEvent.Type.MouseButtonRelease if self._hit is not None:
                self._release(event)
                return True
        return self._hit is not None  # a second button while something is held

    def cancel(self) -> None:
        """Let go of everything."""
        self._hit = self.grab = None

    def lead_station(self) -> str:
        """What to say of a part of a station's robot that is led."""
        if isinstance(self.grab, LiveGrab):
            return self.grab.words
        if self.grab is not None:  # the station has come while a part was dragged here
            self.cancel()
        return ""

    def _from_mouse(self, moment: Moment) -> Held:
        """What the mouse holds of a station's robot: the dragged part follows, and afterwards what did before."""
        grab = self.grab if isinstance(self.grab, LiveGrab) else None
        if moment.snapshot is not None:
            follows = int(moment.snapshot.followed_frame[0])
            self._before = follows if self._before is None and grab is not None else self._before
            wanted = grab.part if grab is not None else self._before
            if wanted is not None and wanted != follows and not self._window.hand.engaged(moment):
                self._window.hand.send(Follow(wanted))
            elif grab is None and wanted == follows:
                self._before = None
        return grab.held(moment) if grab is not None else NOTHING

    def _press(self, event: QtGui.QMouseEvent) -> bool:
        if self._hit is not None:
            return True
        if event.button() is not QtCore.Qt.MouseButton.LeftButton or event.modifiers() & VIEW_KEYS:
            return False
        hit = self._hit_at(event.position())
        if hit is None or hit.id == BASE_ID or not self._may_drag(hit):
            return False
        self._hit, self._from = hit, event.position()
        return True

    def _may_drag(self, hit: Hit) -> bool:
        """Whether a part can be led: of any robot here; of that of a station only where the screen is its device."""
        if not self._studio.live:
            return True
        hand = self._window.hand
        robot = hand.part.robot
        return hand.leads(hand.moment) and robot is not None and robot.name == hit.robot

    def _take_hold(self, hit: Hit) -> Grab:
        if self._studio.live:
            return LiveGrab(self._window, hit)
        return Grab(self._studio.design, hit.robot, hit.id, hit.point)

    def _move(self, event: QtGui.QMouseEvent) -> None:
        assert self._hit is not None
        if self.grab is None:
            way = event.position() - self._from
            if abs(way.x()) + abs(way.y()) <= CLICK:
                return
            try:
                self.grab = self._take_hold(self._hit)
            except StationError as error:
                self._window.say(one_line(error))
                self.cancel()
                return
        if self.grab is not None:
            self.grab.keep_turn(self.keeps_turn or bool(event.modifiers() & KEEP_TURN))
        wanted = self._in_plane(event.position(), self._hit.point)
        if wanted is not None:
            self.grab.wanted = wanted

    def _release(self, event: QtGui.QMouseEvent) -> None:
        if event.button() is not QtCore.Qt.MouseButton.LeftButton:
            return
        hit, dragged = self._hit, self.grab is not None
        if dragged:
            self._move(event)
            if not self._studio.live:
                self._studio.update()
        self.cancel()
        self._window.hand.tell()
        if dragged:
            self._window.say("")
        else:
            self._window.picked(hit)

    def _hit_at(self, place: QtCore.QPointF) -> Hit | None:
        native = self._window.canvas.native
        return self._window.panes.hit((place.x(), place.y()), (native.width(), native.height()))

    def _in_plane(self, place: QtCore.QPointF, point: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Where the line of sight meets the plane through a point, square to the view [m]."""
        native = self._window.canvas.native
        # In the pane where it was taken hold of, also where the mouse has left it.
        part = self._window.panes.part_at((self._from.x(), self._from.y()), (native.width(), native.height()))
        ray, forward = part.ray((place.x(), place.y())), -part.camera.axes()[:, 2]
        across = float(ray.direction @ forward)
        if across < 1e-6:
            return None
        return np.asarray(ray.origin + ray.direction * float((point - ray.origin) @ forward) / across)
