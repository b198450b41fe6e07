"""`MarksPanel`: which quantities are shown by which marks, what else is drawn, and viewpoints with a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtGui, QtWidgets

from station.errors import StationError
from station.view.augment.marks import Mark
from station.view.augment.quantities import QUANTITIES
from station.view.augment.stops import Stops
from station.view.moment import Moment
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

LAYERS = {
    "limits": "links that are held back in colour",
    "tool_force": "force at the tool",
    "hand_forces": "forces on the hand, by cause",
    "cursor": "where the hand is",
    "device_workspace": "workspace of the device",
    "ellipsoid": "manipulability at the tool",
    "guides": "guides",
    "words": "state in words",
}


class MarksPanel(Panel):
    """Everything that `view.augment` can show, and the saved viewpoints."""

    title = "Marks and viewpoints"
    key = "Ctrl+M"

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(window)
        whole = QtWidgets.QWidget()
        column = QtWidgets.QVBoxLayout(whole)
        column.addWidget(self._quantities())
        column.addWidget(self._layers())
        column.addWidget(self._viewpoints())
        column.addStretch(1)
        self.notes = QtWidgets.QLabel()
        self.notes.setWordWrap(True)
        column.addWidget(self.notes)
        self.setWidget(whole)

    # Quantities -----------------------------------------------------------------------------------------

    def _quantities(self) -> QtWidgets.QWidget:
        group = QtWidgets.QGroupBox("Quantities")
        grid = QtWidgets.QGridLayout(group)
        self.choices: dict[str, QtWidgets.QComboBox] = {}
        for row, (name, quantity) in enumerate(QUANTITIES.items()):
            choice = QtWidgets.QComboBox()
            choice.addItem("not shown", None)
            for mark in Mark:
                choice.addItem(mark.value, mark.value)
            choice.setToolTip(quantity.words)
            choice.activated.connect(lambda _=0, name=name: self._show(name))
            grid.addWidget(QtWidgets.QLabel(name.capitalize()), row, 0)
            grid.addWidget(choice, row, 1)
            self.choices[name] = choice
        return group

    def _show(self, name: str) -> None:
        augment, mark = self.window_of.scene.augment, self.choices[name].currentData()
        augment.hide(name)
        if mark is not None:
            augment.show(name, mark)
        self.window_of.canvas.update()

    # What else is drawn ---------------------------------------------------------------------------------

    def _layers(self) -> QtWidgets.QWidget:
        group = QtWidgets.QGroupBox("Also")
        column = QtWidgets.QFormLayout(group)
        self.stops = QtWidgets.QComboBox()
        self.stops.addItems([which.value for which in Stops])
        self.stops.setCurrentText(str(self.window_of.scene.augment.layers.stops))
        self.stops.activated.connect(lambda _=0: self._layer("stops", Stops(self.stops.currentText())))
        column.addRow("joint stops", self.stops)
        self.switches: dict[str, QtWidgets.QCheckBox] = {}
        for name, words in LAYERS.items():
            switch = QtWidgets.QCheckBox(words)
            switch.setChecked(bool(getattr(self.window_of.scene.augment.layers, name)))
            switch.toggled.connect(lambda on, name=name: self._layer(name, on))
            column.addRow(switch)
            self.switches[name] = switch
        return group

    def _layer(self, name: str, value: object) -> None:
        setattr(self.window_of.scene.augment.layers, name, value)
        self.window_of.canvas.update()

    # Viewpoints -----------------------------------------------------------------------------------------

    def _viewpoints(self) -> QtWidgets.QWidget:
        group = QtWidgets.QGroupBox("Viewpoints")
        grid = QtWidgets.QGridLayout(group)
        self.views = QtWidgets.QListWidget()
        self.views.setMaximumHeight(110)
        self.views.itemActivated.connect(lambda item: self.window_of.look(item.text()))
        self.name = QtWidgets.QLineEdit()
        self.name.setPlaceholderText("name of this viewpoint")
        self.name.returnPressed.connect(self.keep)
        save, forget = QtWidgets.QPushButton("Save"), QtWidgets.QPushButton("Forget")
        save.clicked.connect(lambda _=False: self.keep())
        forget.clicked.connect(lambda _=False: self.forget())
        grid.addWidget(self.views, 0, 0, 1, 3)
        grid.addWidget(self.name, 1, 0)
        grid.addWidget(save, 1, 1)
        grid.addWidget(forget, 1, 2)
        self.list_views()
        return group

    def list_views(self) -> None:
        """Read the names anew."""
        try:
            names = self.window_of.scene.viewpoints.names()
        except StationError as error:
            self.window_of.say(str(error))
            return
        self.views.clear()
        self.views.addItems(list(names))

    def keep(self) -> None:
        """Save where the camera is, under the name that was typed."""
        try:
            self.window_of.scene.save_viewpoint(self.name.text())
        except StationError as error:
            self.window_of.say(str(error))
            return
        self.name.clear()
        self.list_views()

    def forget(self) -> None:
        """Remove the viewpoint that is chosen in the list."""
        chosen = self.views.selectedItems()
        if not chosen:
            self.window_of.say("choose a viewpoint in the list first")
            return
        try:
            self.window_of.scene.viewpoints.remove(chosen[0].text())
        except StationError as error:
            self.window_of.say(str(error))
            return
        self.list_views()

    def refresh(self, moment: Moment) -> None:
        """Say what was asked for and cannot be known."""
        del moment  # the scene has heard of it already
        text = "\n".join(self.window_of.scene.augment.notes)
        if text != self.notes.text():
            self.notes.setText(text)

    def showEvent(self, event: QtGui.QShowEvent) -> None:  # noqa: N802 (Qt's name)
        """Show what is set now, also by others."""
        shown = {item.quantity: item.mark.value for item in self.window_of.scene.augment.shown}
        for name, choice in self.choices.items():
            choice.setCurrentIndex(max(choice.findData(shown.get(name)), 0))
        layers = self.window_of.scene.augment.layers
        self.stops.setCurrentText(str(layers.stops))
        for name, switch in self.switches.items():
            switch.setChecked(bool(getattr(layers, name)))
        self.list_views()
        super().showEvent(event)
