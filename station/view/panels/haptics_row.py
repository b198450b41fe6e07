"""`EffectRow`: one effect of the haptics panel: a switch, a slider, a number, and the force that it makes."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6 import QtCore, QtWidgets

from station.servo.shared import Cause

MOST = 200  # gain that can be asked for [%]
SETTLE = 0.5  # how long a value that was just asked for is not replaced by what the station has [s]
MEANING = {
    Cause.COUPLING: "what the robot cannot do: stops, speed, reach",
    Cause.STOPS: "before a joint stop",
    Cause.SINGULARITY: "near a singularity",
    Cause.OBSTACLES: "before an obstacle",
    Cause.GUIDES: "guides: lines, planes, axes, curves",
    Cause.ZONES: "zones of the world",
    Cause.CONTACT: "contact that the arm measures",
    Cause.COMPENSATION: "the device's own inertia and friction, taken off",
    Cause.CUES: "clicks and buzzes",
    Cause.DEVICE: "the edge of the device's workspace",
}


class EffectRow:
    """Four widgets.

    Args:
        cause: the effect.
        wanted: called with the gain that a person asks for, 1 as designed.
    """

    def __init__(self, cause: Cause, wanted: Callable[[Cause, float], object]) -> None:
        self.cause, self._wanted = cause, wanted
        self.switch = QtWidgets.QCheckBox(cause.name.lower())
        self.switch.setToolTip(MEANING.get(cause, ""))
        self.slider = QtWidgets.QSlider(QtCore.Qt.Orientation.Horizontal)
        self.slider.setRange(0, MOST)
        self.slider.setPageStep(10)
        self.slider.setMinimumWidth(80)
        self.percent = QtWidgets.QSpinBox()
        self.percent.setRange(0, MOST)
        self.percent.setSuffix(" %")
        self.percent.setKeyboardTracking(False)
        self.force = QtWidgets.QLabel("0.00 N")
        self.force.setMinimumWidth(60)
        self._on = 100  # to return to when it is switched on again [%]
        self._asked = float("-inf")
        self.switch.clicked.connect(self._switch)
        self.slider.valueChanged.connect(self._ask)
        self.percent.valueChanged.connect(self._ask)

    def show(self, gain: float, force: float, waiting: bool) -> None:
        """What the station has, unless a person is at it."""
        self.force.setText(f"{force:.2f} N")
        busy = waiting or self.slider.isSliderDown() or self.percent.hasFocus()
        if not busy and time.monotonic() - self._asked > SETTLE:
            self._put(round(100.0 * gain))

    def _put(self, percent: int) -> None:
        self._on = percent or self._on
        for widget in (self.switch, self.slider, self.percent):
            widget.blockSignals(True)
        self.switch.setChecked(percent > 0)
        self.slider.setValue(percent)
        self.percent.setValue(percent)
        for widget in (self.switch, self.slider, self.percent):
            widget.blockSignals(False)

    def _switch(self, on: bool) -> None:
        self._ask(self._on if on else 0)

    def _ask(self, percent: int) -> None:
        self._asked = time.monotonic()
        self._put(percent)
        self._wanted(self.cause, percent / 100.0)
