"""`Studio`: the design study of a window. Edits and motion come in here, and the picture follows once per frame."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore

from station.bench import Bench, loads
from station.errors import StationError
from station.mechanism.results import Step
from station.servo.shared import ControllerCode
from station.servo.shared.command import Command
from station.servo.shared.commands import SetGeometry
from station.view.banner import Tone
from station.view.design.errors import DesignError, one_line
from station.view.design.grab import Grab
from station.view.design.held import show_grab
from station.view.design.leading import led_frame, view_pose
from station.view.design.live_edit import orders_of
from station.view.design.model import Design, Rewrite
from station.view.design.mouse import Grabber
from station.view.design.redraw import Redraw
from station.view.design.words import BUSY, REAL, progress
from station.view.desk import desk_of
from station.view.moment import Link

if TYPE_CHECKING:
    from station.view.design.steering import Steering
    from station.view.window import ViewWindow

WATCH = 0.5  # between two looks at the file [s]
SETTLE = 0.25  # pause after which bodies are made anew [s]
LIVE = (Link.FOLLOWING, Link.WAITING, Link.SILENT)


class Studio(QtCore.QObject):
    """What is edited in a window, and what moves it.

    Args:
        window: the window.
        bench: its scene.
    """

    changed = QtCore.Signal()  # the scene is another one
    moved = QtCore.Signal()  # robots stand elsewhere

    def __init__(self, window: ViewWindow, bench: Bench) -> None:
        super().__init__(window)
        self._window = window
        self.design = Design(bench)
        window.say(self.design.trouble)
        self.redraw = Redraw(window.scene, self.design)
        self.grabber = Grabber(window, self)
        self._steering: Steering | None = None
        self._wanted: dict[str, tuple[Rewrite, str]] = {}  # edits of this frame, by gesture
        self._last = self._watched = self._edited = time.monotonic()
        self._was_live = False

    @property
    def steering(self) -> Steering | None:
        """The on-screen device, made when it is first asked for: that takes a moment. None: there is no robot."""
        if self._steering is None and self.design.bench.robots:
            from station.view.design.steering import Steering

            self._steering = Steering(self.design)
        return self._steering

    @property
    def steered(self) -> tuple[str, int] | None:
        """Robot and part that the on-screen device leads, or would."""
        if self._steering is not None:
            return self._steering.robot, self._steering.frame
        first = next(iter(self.design.bench.robots), None)
        return None if first is None else (first.name, led_frame(first)[0])

    # Edits -------------------------------------------------------------------------------------------------

    @property
    def live(self) -> bool:
        """Whether a station moves the robot."""
        return self._window.follower.link in LIVE

    def may_move(self) -> bool:
        """Whether the robot may be changed and moved here; says why not."""
        if self.live:
            self._window.say(BUSY)
        return not self.live

    def want(self, gesture: str, rewrite: Rewrite, label: str) -> None:
        """An edit with the next frame; one of the same gesture takes the place of the one before."""
        self._wanted[gesture] = (rewrite, label)

    def edit(self, rewrite: Rewrite, label: str, gesture: str | None = None) -> bool:
        """An edit at once; returns whether it was possible, and says why not."""
        try:
            orders = self._orders(rewrite)
            changed = self.design.edit(rewrite, label, gesture)
        except StationError as error:
            self._window.say(f"{label}: {one_line(error)}")
            self.changed.emit()  # fields show again what holds
            return False
        if changed:
            self._took(label)
        self._send(orders, label)
        return True

    def _orders(self, rewrite: Rewrite) -> list[Command]:
        """What a running station is to be told of an edit; raises StationError if it cannot do that."""
        if not self.live:
            return []
        follower, design = self._window.follower, self.design
        robot, snapshot = follower.robot, follower.moment.snapshot
        text = rewrite(design.source())
        if robot is None or snapshot is None or text == design.text:
            raise DesignError(BUSY)
        orders = orders_of(design.bench, loads(text, design.name), robot.name)
        if not orders:
            raise DesignError(BUSY)
        if any(isinstance(order, SetGeometry) for order in orders):
            if int(snapshot.controller_status[0]) != ControllerCode.NONE:
                raise DesignError(REAL)
            design.put(robot.name, snapshot.predicted_q)  # so that the picture stays
        return orders

    def _send(self, orders: list[Command], label: str) -> None:
        for order in orders:
            desk_of(self._window, self._window.follower).order(order, label)

    def end_gesture(self) -> None:
        """The hand let go of a slider."""
        self._apply_wanted()
        self.design.history.end_gesture()

    def undo(self) -> None:
        """Take the last edit back."""
        self._again(self.design.undo, -1, "undone", "nothing to undo")

    def redo(self) -> None:
        """Do again what was undone."""
        self._again(self.design.redo, 1, "done again", "nothing to do again")

    def _again(self, act: Callable[[], str | None], step: int, done: str, nothing: str) -> None:
        self._apply_wanted()
        text = self.design.history.peek(step)
        try:
            orders = self._orders(lambda _source: text) if text is not None else []
            label = act()
        except StationError as error:
            self._window.say(one_line(error))
            return
        if label is None:
            self._window.say(nothing)
        else:
            self._took(f"{done}: {label}")
            self._send(orders, f"{done}: {label}")

    def _took(self, text: str) -> None:
        self._edited = time.monotonic()
        self._window.say(text)
        self._window.setWindowModified(self.design.dirty)
        self.update()
        self.changed.emit()

    def _apply_wanted(self) -> None:
        wanted, self._wanted = self._wanted, {}
        for gesture, (rewrite, label) in wanted.items():
            self.edit(rewrite, label, gesture)

    # The file ----------------------------------------------------------------------------------------------

    def save(self, path: Path | None = None) -> bool:
        """Write edits to the file or another one; returns whether it went well."""
        self._apply_wanted()
        try:
            saved = self.design.save(path)
        except StationError as error:
            self._window.banner.tell(one_line(error), topic="file")
            return False
        self._window.banner.tell("", topic="file")
        self._window.setWindowModified(False)
        self._window.say(f"saved {saved}")
        return True

    def reload(self) -> None:
        """Read the file again, whatever was edited; `undo` brings edits back. A running station goes along."""
        file = self.design.file
        try:
            orders = self._orders(lambda _source: file.read()) if self.live and file is not None else []
            changed = self.design.reload()
        except StationError as error:
            self._window.banner.tell(f"{one_line(error)}; the robot is as it was", topic="file")
            return
        self._window.banner.tell("", topic="file")
        if changed:
            before = set(self._window.scene.robots)
            self._took(f"read again: {self.design.name}")
            self._send(orders, "read again")
            self.settle()
            if before != set(self._window.scene.robots):
                self._window.fit()
        self._window.setWindowModified(self.design.dirty)

    def _watch(self) -> None:
        """Take what others write to the file, unless there is something to lose."""
        if not self.design.outdated:
            return
        if self.live:
            note = "the file has changed; the running station still has the old one: Ctrl+R lets it go along"
            self._window.banner.tell(note, Tone.NOTE, "file")
        elif self.design.dirty:
            note = "was changed by another program; Ctrl+R takes that, and undo brings the edits made here back"
            self._window.banner.tell(f"{self.design.name} {note}", Tone.NOTE, "file")
        else:
            self.reload()

    # Every frame -------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Let everything that moves the robot act for the time since the last frame."""
        now, before = time.monotonic(), self._last
        self._last, elapsed = now, now - before
        if now - self._watched >= WATCH:
            self._watched = now
            self._watch()
        if self.live:
            self._was_live = True
            self._window.say(self.grabber.lead_station() or self._window.message)
            self._show_grab()
            self._apply_wanted()
            self._settle_later(now)
            return
        if self._was_live:
            self._was_live = False
            self.grabber.cancel()
            self.redraw.take_over()
        self._apply_wanted()
        self.lead_on(elapsed)
        self.update()
        self._settle_later(now)

    def _settle_later(self, now: float) -> None:
        """Make bodies anew when nobody edits any more; `now` [s]."""
        if self.redraw.unsettled and now - self._edited >= SETTLE:
            self.settle()

    def lead_on(self, elapsed: float) -> None:
        """Let mouse and on-screen device lead the robot for some time [s]."""
        try:
            if isinstance(self.grabber.grab, Grab):
                self._tell(self.grabber.grab.follow(elapsed), f"dragging part {self.grabber.grab.part}")
            elif self._steering is not None and self._steering.in_use:
                self._tell(
                    self._steering.follow(elapsed, view_pose(self._window.scene.camera)),
                    f"leading part {self._steering.frame}",
                )
        except (StationError, KeyError) as error:  # what was led may have gone with an edit
            self.grabber.cancel()
            self._window.say(one_line(error))
        self._show_grab()

    def _show_grab(self) -> None:
        if show_grab(self._window.scene, self.grabber.grab):
            self._window.canvas.update()

    def _tell(self, step: Step | None, doing: str) -> None:
        if step is not None:
            self._window.say(progress(doing, step))

    def update(self) -> None:
        """Show what has moved."""
        if self.redraw.update():
            self._window.canvas.update()
            self.moved.emit()

    def settle(self) -> None:
        """Make bodies anew that do not fit their geometry any more."""
        if self.redraw.settle():
            self._window.canvas.update()
