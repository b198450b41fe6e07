"""`Hand`: keys, panel and mouse of a window as the device of a station that runs with `panel:` or `keyboard:`.

Of a station with several hands it is the one whose device it is, whichever part the panels show; of several such hands
the chosen one, while the others are told that nothing is held.

All of it goes to the station again with every frame, as one `PanelInput`. Mapping, solver, limits and supervisor are
the station's. What is not held any more is let go at once, also when the window loses the focus; what a window does not
tell any more springs back at the station by itself.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6 import QtCore, QtGui, QtWidgets

from station.clock import WALL, Clock
from station.devices.address import parse_address
from station.devices.software.held import DEAD_MAN
from station.devices.software.keyboard import KeyboardDevice, keyboards
from station.errors import StationError
from station.servo.shared import (
    Command,
    CommandClient,
    PanelInput,
    ReferenceFrame,
    ServoState,
    SetView,
    Snapshot,
)
from station.view.design.errors import one_line
from station.view.design.leading import view_pose
from station.view.follow import FollowedPart
from station.view.moment import Link, Moment

if TYPE_CHECKING:
    from station.view.window import ViewWindow

SCHEMES = ("panel", "keyboard")  # of devices that a window holds
RESTING = 2  # frames at rest after engaging: a device that engages deflected would not be heard
KEY_NAMES = {
    QtCore.Qt.Key.Key_Shift: "shift",
    QtCore.Qt.Key.Key_Up: "up",
    QtCore.Qt.Key.Key_Down: "down",
    QtCore.Qt.Key.Key_Left: "left",
    QtCore.Qt.Key.Key_Right: "right",
    QtCore.Qt.Key.Key_PageUp: "page-up",
    QtCore.Qt.Key.Key_PageDown: "page-down",
    QtCore.Qt.Key.Key_Home: "home",
    QtCore.Qt.Key.Key_End: "end",
    QtCore.Qt.Key.Key_Insert: "insert",
    QtCore.Qt.Key.Key_Delete: "delete",
    QtCore.Qt.Key.Key_Tab: "tab",
    QtCore.Qt.Key.Key_Backtab: "tab",  # with Shift
    QtCore.Qt.Key.Key_Return: "enter",
    QtCore.Qt.Key.Key_Backspace: "backspace",
}
OTHER_KEYS = (
    QtCore.Qt.KeyboardModifier.ControlModifier
    | QtCore.Qt.KeyboardModifier.AltModifier
    | QtCore.Qt.KeyboardModifier.MetaModifier
)  # with these, a key is the window's
KINDS = (QtCore.QEvent.Type.ShortcutOverride, QtCore.QEvent.Type.KeyPress, QtCore.QEvent.Type.KeyRelease)


class Held(NamedTuple):
    """What one of keys, panel and mouse holds."""

    shares: NDArray[np.float64]  # six deflections in the axes of the device, -1 to 1
    pressed: frozenset[str] = frozenset()  # buttons by name


NOTHING = Held(np.zeros(6))


class Hand(QtCore.QObject):
    """One for each window.

    Args:
        window: the window.
    """

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        self._window = window
        self._clients: dict[Path, CommandClient] = {}
        self._url = ""  # of the station's device
        self.clock: Clock = WALL  # by whose time keys are held; of a test, before a station is found
        self.keys = self._keyboard("keyboard:")
        self._taken: set[str] = set()  # keys that went down as the device's
        self.sources: list[Callable[[Moment], Held]] = [self._from_keys]
        self.letting_go: list[Callable[[], object]] = []  # called when the window loses the focus
        self._engaged = 0  # frames for which the station has been engaged
        self._held = False  # whether anything was, when it was last told
        self.words = ""  # what it does, for people
        application = QtWidgets.QApplication.instance()
        assert isinstance(application, QtWidgets.QApplication)
        application.installEventFilter(self)
        application.applicationStateChanged.connect(self._focus)
        application.focusWindowChanged.connect(self._focus_window)
        window.follower.choosing.append(self.let_go)

    @property
    def part(self) -> FollowedPart:
        """The part of the station that is led from here; if none is, the chosen one."""
        return next(iter(self._held_parts()), self._window.follower.chosen)

    @property
    def moment(self) -> Moment:
        """Its newest."""
        return self.part.moment

    def _held_parts(self) -> list[FollowedPart]:
        """Those whose devices are here and lead, the chosen one first."""
        follower = self._window.follower
        parts = sorted(follower.parts, key=lambda part: part is not follower.chosen)
        return [part for part in parts if may_be_led(part.moment.text) and (not part.who or part.moment.leads)]

    def leads(self, moment: Moment) -> bool:
        """Whether the station is led from here."""
        there = self.part.source.commands is not None and moment.link is Link.FOLLOWING
        return there and may_be_led(moment.text)

    def engaged(self, moment: Moment) -> bool:
        """Whether the station follows what is held."""
        return moment.snapshot is not None and int(moment.snapshot.state[0]) == ServoState.ENGAGED

    # Every frame -------------------------------------------------------------------------------------------

    def tick(self, moment: Moment) -> None:
        """Hold what is held for another frame."""
        if not self.leads(moment) or moment.snapshot is None:
            self.close()
            return
        self._use_keys(moment.text)
        self._engaged = self._engaged + 1 if self.engaged(moment) else 0
        self.keys.refresh()
        if self._taken and QtWidgets.QApplication.activeModalWidget() is not None:  # which may keep a release to itself
            self.let_go()
        self._tell(moment, moment.snapshot)
        for other in self._held_parts()[1:]:
            if other.moment.snapshot is not None and not int(other.moment.snapshot.dead_man[0]):
                with contextlib.suppress(StationError):  # told when it is chosen
                    self.send(PanelInput((0.0,) * 6, 0), other)

    def send(self, command: Command, part: FollowedPart | None = None) -> None:
        """Hand a command over to the part that is led from here, or another; raises a StationError if it cannot be."""
        path = (part or self.part).source.commands
        if path is None:
            return
        if path in self._clients and not self._clients[path].alive:
            self._clients.pop(path).close()
        if path not in self._clients:
            self._clients[path] = CommandClient(path)
        self._clients[path].send(command)

    def tell(self) -> None:
        """What is held has changed: the station hears so at once."""
        moment = self.moment
        if self.leads(moment) and moment.snapshot is not None:
            self._tell(moment, moment.snapshot)

    def _tell(self, moment: Moment, snapshot: Snapshot) -> None:
        """What is held, to the station."""
        try:
            parts = [source(moment) for source in self.sources]
        except StationError as error:
            self.words = one_line(error)
            return
        pressed = frozenset().union(*(part.pressed for part in parts))
        shares = np.clip(np.sum([part.shares for part in parts], axis=0), -1.0, 1.0)
        bits = button_bits(pressed, moment.text)
        was, self._held = self._held, bool(bits) or bool(shares.any())
        if not (self._held or was) and int(snapshot.dead_man[0]):
            self.words = "led from another window"  # which must not hear that nothing is held here
            return
        if self._engaged <= RESTING:
            shares = np.zeros(6)
            self.keys.restart()
        try:
            if int(snapshot.reference_frame[0]) == ReferenceFrame.VIEW and self._held:
                pose = view_pose(self._window.scene.camera)[:3].ravel()
                self.send(SetView(tuple(float(value) for value in pose)))
            self.send(PanelInput(tuple(map(float, shares)), bits))
        except StationError as error:
            self.words = one_line(error)
            return
        self.words = "leads the robot of the running station" if self._engaged else self._waiting(moment, bits)

    def _waiting(self, moment: Moment, bits: int) -> str:
        return "the dead-man is held; waiting for the station to engage" if bits & dead_man_bit(moment.text) else ""

    def let_go(self) -> None:
        """Nothing is held any more, and the station hears so at once."""
        self.keys.focus_lost()
        self._taken.clear()
        for let_go in self.letting_go:
            let_go()
        self.tell()

    def close(self) -> None:
        """Give the place at the station back; may be called twice."""
        for client in self._clients.values():
            client.close()
        self._clients.clear()
        self._engaged, self._held, self.words = 0, False, ""

    def leave(self) -> None:
        """The window closes."""
        self.let_go()
        self.close()
        application = QtWidgets.QApplication.instance()
        if isinstance(application, QtWidgets.QApplication):
            application.removeEventFilter(self)
            application.applicationStateChanged.disconnect(self._focus)
            application.focusWindowChanged.disconnect(self._focus_window)

    # Keys --------------------------------------------------------------------------------------------------

    def _from_keys(self, _moment: Moment) -> Held:
        return Held(*self.keys.held())

    def _use_keys(self, text: Mapping[str, Any]) -> None:
        """The keys that the address of the device asks for; the usual ones for a panel."""
        url = str(text.get("device", ""))
        if url != self._url:
            self._url = url
            self.keys = self._keyboard(url if url.startswith("keyboard:") else "keyboard:")

    def _keyboard(self, url: str) -> KeyboardDevice:
        """Keys of this window, by an address that a station has already taken."""
        return keyboards.made(parse_address(url), self.clock)

    def _focus(self, state: QtCore.Qt.ApplicationState) -> None:
        """A window without the focus gets no releases."""
        if state is not QtCore.Qt.ApplicationState.ApplicationActive:
            self.let_go()

    def _focus_window(self, window: QtGui.QWindow | None) -> None:
        """Nor does one from which the focus went to a window that is not ours: a dialog of the desktop."""
        if window is None:
            self.let_go()

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Whether a key is the device's: then nobody else gets it."""
        if event.type() not in KINDS or not isinstance(event, QtGui.QKeyEvent):
            return False
        if not isinstance(watched, QtWidgets.QWidget) or not self._window.owns(watched):
            return False
        name = key_name(event.key())
        moment = self.moment
        if not name or not self.leads(moment) or not self._is_taken(name, watched, event):
            return False
        if event.type() == QtCore.QEvent.Type.KeyPress and not event.isAutoRepeat():
            self._taken.add(name)
            self.keys.key_down(name)
            self.tell()
        elif event.type() == QtCore.QEvent.Type.KeyRelease and not event.isAutoRepeat():
            self._taken.discard(name)
            self.keys.key_up(name)
            self.tell()
        event.accept()
        return True

    def _is_taken(self, name: str, widget: QtWidgets.QWidget, event: QtGui.QKeyEvent) -> bool:
        """Keys of the device, while its dead-man is held; what went down as such stays so until it is up."""
        if name in self._taken:
            return True
        if (
            event.type() == QtCore.QEvent.Type.KeyRelease
            or takes_text(widget)
            or takes_text(self._window.focusWidget())
        ):
            return False
        if QtWidgets.QApplication.activeModalWidget() is not None or event.modifiers() & OTHER_KEYS:
            return False
        keys = self.keys.keys
        if keys.buttons.get(name) == DEAD_MAN:
            return True
        there = name in keys.pushes or name in keys.buttons
        return there and (DEAD_MAN not in keys.button_names or DEAD_MAN in self.keys.held()[1])


def may_be_led(text: Mapping[str, Any]) -> bool:
    """Whether a station, by what it tells of itself, is led by a device that windows hold."""
    return str(text.get("device", "")).split(":")[0] in SCHEMES and not text.get("replay")


def dead_man_bit(text: Mapping[str, Any]) -> int:
    """Of the button that is the dead-man of a station; 0: it has none."""
    button = text.get("dead_man_button", 0)
    return 1 << button if isinstance(button, int) and button >= 0 else 0


def button_bits(pressed: frozenset[str], text: Mapping[str, Any]) -> int:
    """Buttons by name as bits, in the order of the station's device; the dead-man is the one that it watches."""
    names, dead_man = [str(name) for name in text.get("buttons", ())], dead_man_bit(text)
    bits = sum(1 << bit for bit, name in enumerate(names) if name in pressed and name != DEAD_MAN)
    return bits | dead_man if DEAD_MAN in pressed else bits


def key_name(key: int) -> str:
    """Of a key, as key maps name it; empty: it has none."""
    named = KEY_NAMES.get(QtCore.Qt.Key(key)) if key in QtCore.Qt.Key._value2member_map_ else None
    return named or (chr(key).lower() if 0x21 <= key < 0x7F else "")


def takes_text(widget: QtCore.QObject | None) -> bool:
    """Whether somebody writes there."""
    if isinstance(widget, QtWidgets.QLineEdit | QtWidgets.QPlainTextEdit | QtWidgets.QTextEdit):
        return not widget.isReadOnly()
    return isinstance(widget, QtWidgets.QComboBox) and widget.isEditable()
