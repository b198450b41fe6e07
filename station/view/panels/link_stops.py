"""`StopsRow`: the stops of a joint, as joint values or relative to where it starts."""

from __future__ import annotations

from PySide6 import QtCore, QtWidgets

from station.mad.scene import Interval, Link
from station.view.panels.link_rows import NumberField

ABSOLUTE, RELATIVE = "absolute", "relative"
USUAL = {True: (-180.0, 180.0), False: (-100.0, 100.0)}  # of a joint that turns [°] or slides [mm], if it had none


class StopsRow(QtWidgets.QGroupBox):
    """Two fields, and how they are meant. `changed` tells lower stop, upper stop and whether they are relative."""

    changed = QtCore.Signal(float, float, bool)
    removed = QtCore.Signal()

    def __init__(self) -> None:
        super().__init__("Stops")
        self.setCheckable(True)
        self.low, self.high = NumberField(), NumberField()
        self.kind = QtWidgets.QComboBox()
        self.kind.addItems([ABSOLUTE, RELATIVE])
        row = QtWidgets.QHBoxLayout(self)
        for widget in (self.low, self.high):
            widget.valueChanged.connect(self._tell)
            row.addWidget(widget)
        row.addWidget(self.kind)
        self.kind.currentTextChanged.connect(self._switch)
        self.toggled.connect(self._toggle)
        self._quiet = False
        self._start = 0.0  # joint value in the file, in the unit shown
        self._turns = True

    @property
    def relative(self) -> bool:
        """Whether the stops count from the initial joint value on."""
        return self.kind.currentText() == RELATIVE

    def show_link(self, link: Link, scale: float, turns: bool) -> None:
        """Show the stops of a link; `scale`: one unit shown in SI."""
        self._quiet = True
        self._start, self._turns = link.initial / scale, turns
        given = link.range or link.limits
        self.setChecked(given is not None)
        if given is not None and not (self.low.hasFocus() or self.high.hasFocus()):
            self.kind.setCurrentText(RELATIVE if link.range is not None else ABSOLUTE)
            self.low.setValue(given.lo / scale)
            self.high.setValue(given.hi / scale)
        self._quiet = False

    def interval(self) -> Interval:
        """As it is written, in the unit shown."""
        return Interval(self.low.value(), self.high.value())

    def _tell(self) -> None:
        if not self._quiet:
            self.changed.emit(self.low.value(), self.high.value(), self.relative)

    def _switch(self) -> None:
        """The same stops, written the other way."""
        if self._quiet:
            return
        shift = -self._start if self.relative else self._start
        self._quiet = True
        for widget in (self.low, self.high):
            widget.setValue(widget.value() + shift)
        self._quiet = False
        self._tell()

    def _toggle(self, on: bool) -> None:
        if self._quiet:
            return
        if not on:
            self.removed.emit()
            return
        low, high = USUAL[self._turns]
        self._quiet = True
        shift = 0.0 if self.relative else self._start
        self.low.setValue(low + shift)
        self.high.setValue(high + shift)
        self._quiet = False
        self._tell()
