"""`EngageKey`: key E and the button Engage are a dead-man: the robot is led only as long as one of them is held down.

While it is, the order is given again and again, and the servo holds by itself if that ends: with the window killed,
stopped or busy with something else the robot is led no longer. Where the device has a dead-man button of its own, that
one counts: the button Engage then gives the order once, and the key is none.
"""

from __future__ import annotations

from PySide6 import QtCore, QtGui, QtWidgets

from station.servo.shared import Engage, Hold
from station.servo.shared.commands import SAID_EVERY
from station.view.desk import OrderDesk

NAME = "engage"
_KEYS = (QtCore.QEvent.Type.ShortcutOverride, QtCore.QEvent.Type.KeyPress, QtCore.QEvent.Type.KeyRelease)
_SHOWN = (QtCore.QEvent.Type.Show, QtCore.QEvent.Type.Hide, QtCore.QEvent.Type.WindowDeactivate)
_TYPED_INTO = (QtWidgets.QLineEdit, QtWidgets.QTextEdit, QtWidgets.QPlainTextEdit, QtWidgets.QAbstractSpinBox)


class EngageKey(QtCore.QObject):
    """One for each window.

    Args:
        desk: where orders are given.
        button: to be held down by the mouse.
        window: whose key E it is.
    """

    def __init__(self, desk: OrderDesk, button: QtWidgets.QAbstractButton, window: QtWidgets.QWidget) -> None:
        super().__init__(window)
        self._desk, self._window = desk, window
        self._press: Engage | None = None  # None: nothing is held down
        self._beat = QtCore.QTimer(self)
        self._beat.setTimerType(QtCore.Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._say_again)
        button.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)  # else Return would click it
        button.pressed.connect(self.press)
        button.released.connect(self.let_go)
        desk.refused.connect(self._refused)
        desk.before_choosing(self.let_go)  # the robot that was led is the one that is let go
        window.installEventFilter(self)
        if window.isVisible():
            self._listen(True)

    def press(self) -> None:
        """It is held down from now on."""
        if self._press is not None:
            return
        press = Engage.pressed()
        if self._desk.order(press, NAME) and not self._desk.has_dead_man:
            self._press = press
            self._beat.start(round(1000.0 * SAID_EVERY))

    def let_go(self) -> None:
        """It is held down no longer; may be called twice."""
        if self._press is not None:
            self._stop()
            self._desk.order(Hold(), "hold")

    def eventFilter(self, watched: QtCore.QObject, event: QtCore.QEvent) -> bool:  # noqa: N802 (Qt's name)
        """Key E of this window, down and up; letting go is heard wherever the focus has gone."""
        kind = event.type()
        if watched is self._window and kind in _SHOWN:
            if kind != QtCore.QEvent.Type.Show:
                self.let_go()
            self._listen(kind != QtCore.QEvent.Type.Hide)
        if kind not in _KEYS or not isinstance(event, QtGui.QKeyEvent) or event.key() != QtCore.Qt.Key.Key_E:
            return False
        if kind == QtCore.QEvent.Type.KeyRelease:
            if not event.isAutoRepeat():
                self.let_go()
            return False
        if not self._is_ours(watched) or event.modifiers() != QtCore.Qt.KeyboardModifier.NoModifier:
            return False
        if self._desk.has_dead_man:  # nothing to be held here: the key may mean something else
            return False
        event.accept()  # of an override: no other shortcut has it
        if kind == QtCore.QEvent.Type.KeyPress and not event.isAutoRepeat():
            self.press()
        return True

    def _listen(self, to_all: bool) -> None:
        """Hear the events of all widgets, or of the window alone: a hidden one has no use for thousands of calls."""
        application = QtCore.QCoreApplication.instance()
        assert application is not None
        if to_all:
            application.installEventFilter(self)
        else:
            application.removeEventFilter(self)

    def _is_ours(self, widget: QtCore.QObject) -> bool:
        """Whether a key that goes there is an order: not what is typed into a field."""
        if not isinstance(widget, QtWidgets.QWidget) or isinstance(widget, _TYPED_INTO):
            return False
        return widget.window() is self._window or widget.window().parent() is self._window

    def _say_again(self) -> None:
        if self._press is not None and not self._desk.order(self._press, NAME, again=True):
            self._stop()

    def _refused(self, name: str) -> None:
        if name == NAME:
            self._stop()

    def _stop(self) -> None:
        self._press = None
        self._beat.stop()
