"""`AxisRow`: one axis of the on-screen device: step buttons, and a slider that sets a speed and springs back."""

from __future__ import annotations

from PySide6 import QtCore, QtWidgets

NOTCHES = 100  # of a slider to either side


class AxisRow(QtCore.QObject):
    """Widgets of one axis. `pushed` tells the sign of a step.

    Args:
        name: of the axis.
        step: how far one push of a button goes, in words.
        parent: what it lives as long as.
    """

    pushed = QtCore.Signal(int)

    def __init__(self, name: str, step: str, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.label = QtWidgets.QLabel(name)
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(-NOTCHES, NOTCHES)
        self.slider.setMinimumWidth(120)
        self.slider.setToolTip("part of the full speed, for as long as it is held")
        self.slider.sliderReleased.connect(self.let_go)
        self.held = QtWidgets.QLabel("0 %")
        self.slider.valueChanged.connect(lambda value: self.held.setText(f"{100 * value // NOTCHES} %"))
        self.held.setMinimumWidth(self.held.fontMetrics().horizontalAdvance("-100 %"))
        self.held.setAlignment(QtCore.Qt.AlignmentFlag.AlignRight | QtCore.Qt.AlignmentFlag.AlignVCenter)
        self.less, self.more = (self._button(text, sign, step) for text, sign in (("−", -1), ("+", 1)))

    @property
    def share(self) -> float:
        """How far the slider is held, -1 to 1; one that nobody holds is at rest."""
        return self.slider.value() / NOTCHES if self.slider.isSliderDown() else 0.0

    @property
    def step(self) -> int:
        """Sign of the step button that is held; 0: none is."""
        return int(self.more.isDown()) - int(self.less.isDown())

    @property
    def touched(self) -> bool:
        """Whether the mouse holds anything of it."""
        return self.slider.isSliderDown() or self.less.isDown() or self.more.isDown()

    def let_go(self) -> None:
        """It springs back, also under a mouse that still holds it."""
        self.slider.setSliderDown(False)
        self.slider.setValue(0)
        self.less.setDown(False)
        self.more.setDown(False)

    def add_to(self, grid: QtWidgets.QGridLayout, row: int) -> None:
        """Put the widgets into a row of a grid."""
        for column, widget in enumerate((self.label, self.less, self.slider, self.more, self.held)):
            grid.addWidget(widget, row, column)

    def _button(self, text: str, sign: int, step: str) -> QtWidgets.QToolButton:
        button = QtWidgets.QToolButton()
        button.setText(text)
        button.setAutoRepeat(True)
        button.setToolTip(f"one step: {step} times the sensitivity")
        button.clicked.connect(lambda _=False: self.pushed.emit(sign))
        return button
