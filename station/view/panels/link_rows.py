"""`NumberRow`: one number with a field, minus and plus, and a slider; redundant on purpose."""

from __future__ import annotations

from PySide6 import QtCore, QtGui, QtWidgets

NOTCHES = 2000  # of a slider
FINE, COARSE = 0.1, 10.0  # factors of a step with Ctrl and with Shift
HIGHLIGHT = "#f08a24"


class NumberField(QtWidgets.QDoubleSpinBox):
    """A field for a number, without zeros that say nothing; what is typed counts when it is finished."""

    def __init__(self, step: float = 1.0) -> None:
        super().__init__()
        self.setButtonSymbols(QtWidgets.QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setDecimals(4)
        self.setRange(-1e6, 1e6)
        self.setSingleStep(step)
        self.setKeyboardTracking(False)

    def textFromValue(self, value: float) -> str:  # noqa: N802 (Qt's name)
        """`12.5` instead of `12.5000`."""
        text = f"{value:.{self.decimals()}f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text


class NumberRow(QtCore.QObject):
    """Widgets of one number, to be put into a grid by `add_to`.

    `changed` tells a new number and whether the hand is still at it.

    Args:
        name: of the number.
        unit: behind the name, such as ° or mm.
        step: of minus and plus, in that unit.
        parent: what it lives as long as.
    """

    changed = QtCore.Signal(float, bool)

    def __init__(self, name: str, unit: str, step: float, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.name, self.unit, self.step = name, unit, step
        self.label = QtWidgets.QLabel(f"{name} [{unit}]" if unit else name)
        self.field = NumberField(step)
        self.field.setFixedWidth(86)
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(0, NOTCHES)
        self.slider.setSingleStep(NOTCHES // 200)
        self.slider.setPageStep(NOTCHES // 20)
        self.slider.setMinimumWidth(80)
        self.less, self.more = self._button("−", -1), self._button("+", 1)
        self._low, self._high = -1.0, 1.0
        self._quiet = False
        self.field.valueChanged.connect(lambda value: self._told(value, False))
        self.slider.valueChanged.connect(self._slid)
        self.slider.sliderReleased.connect(lambda: self._told(self.field.value(), False))

    def add_to(self, grid: QtWidgets.QGridLayout, row: int) -> None:
        """Put the widgets into a row of a grid."""
        for column, widget in enumerate((self.label, self.field, self.less, self.slider, self.more)):
            grid.addWidget(widget, row, column)

    def show_value(self, value: float, low: float, high: float) -> None:
        """Show a number and what the slider spans; tells nobody. A hand at field or slider is not disturbed."""
        if self.slider.isSliderDown() or (self.field.hasFocus() and self.field.lineEdit().isModified()):
            return
        self._low, self._high = min(low, value), max(high, value)
        self._quiet = True
        self.field.setValue(value)
        span = self._high - self._low
        self.slider.setValue(round(NOTCHES * (value - self._low) / span) if span > 0.0 else 0)
        self._quiet = False

    def highlight(self, on: bool) -> None:
        """Let it stand out: this number is the joint's."""
        self.label.setStyleSheet(
            f"background: {HIGHLIGHT}; color: black; font-weight: 700; padding: 2px 4px; border-radius: 3px;"
            if on
            else ""
        )

    def enable(self, on: bool) -> None:
        """Whether the number may be changed."""
        for widget in (self.field, self.slider, self.less, self.more):
            widget.setEnabled(on)

    def _button(self, text: str, sign: int) -> QtWidgets.QToolButton:
        button = QtWidgets.QToolButton()
        button.setText(text)
        button.setAutoRepeat(True)
        button.setToolTip("Shift: ten times as much; Ctrl: a tenth")
        button.clicked.connect(lambda _=False: self._stepped(sign))
        return button

    def _stepped(self, sign: int) -> None:
        keys = QtGui.QGuiApplication.keyboardModifiers()
        factor = COARSE if keys & QtCore.Qt.KeyboardModifier.ShiftModifier else 1.0
        factor *= FINE if keys & QtCore.Qt.KeyboardModifier.ControlModifier else 1.0
        self._told(round(self.field.value() + sign * factor * self.step, self.field.decimals()), True)

    def _slid(self, notch: int) -> None:
        if self._quiet:
            return
        value = self._low + (self._high - self._low) * notch / NOTCHES
        grain = self.step * FINE
        self._told(round(round(value / grain) * grain, self.field.decimals()), self.slider.isSliderDown())

    def _told(self, value: float, going_on: bool) -> None:
        if self._quiet:
            return
        self._quiet = True
        self.field.setValue(value)
        self._quiet = False
        self.changed.emit(value, going_on)
