"""The panel of marks and viewpoints in a window; run by test_marks_panel in a process of its own."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from PySide6 import QtWidgets

import robots
import station
from station.view.panels.marks import MarksPanel
from station.view.window import ViewWindow, application


def choose(box: QtWidgets.QComboBox, text: str) -> None:
    box.setCurrentText(text)
    box.activated.emit(box.currentIndex())


def main() -> None:
    folder = Path(sys.argv[1])
    qt = application()
    window = ViewWindow(station.load(robots.path("panda")), (700, 600), folder=folder, canvas="image")
    window.show()
    panel = window.docks.show(MarksPanel.title)
    assert isinstance(panel, MarksPanel)
    augment, seen = window.scene.augment, dict[str, Any]()
    choose(panel.choices["nearness"], "colour")
    choose(panel.choices["temperature"], "sphere")
    choose(panel.stops, "all")
    panel.switches["ellipsoid"].setChecked(True)
    qt.processEvents()
    window.canvas.native.repaint()
    panel.refresh(window.follower.moment)
    seen["shown"] = [[item.quantity, item.mark.value] for item in augment.shown]
    seen["layers"] = [str(augment.layers.stops), augment.layers.ellipsoid]
    seen["notes"] = panel.notes.text()
    choose(panel.choices["nearness"], "not shown")
    seen["left"] = [item.quantity for item in augment.shown]
    panel.hide()
    augment.hide()
    augment.show("speed", "arrow")
    augment.layers.stops, augment.layers.ellipsoid = "off", False
    panel.show()
    seen["others"] = [panel.stops.currentText(), panel.switches["ellipsoid"].isChecked()]
    seen["choices"] = {name: box.currentText() for name, box in panel.choices.items() if box.currentIndex()}
    window.scene.camera.turn(0.4, 0.1)
    azimuth = window.scene.camera.azimuth
    panel.name.setText("my corner")
    panel.keep()
    window.look("top")
    panel.views.itemActivated.emit(panel.views.item(0))
    seen["back"] = abs(window.scene.camera.azimuth - azimuth) < 1e-9
    panel.name.setText("top")
    panel.keep()
    seen["refused"] = window.message
    panel.forget()
    seen["nothing_chosen"] = window.message
    panel.views.setCurrentRow(0)
    panel.forget()
    seen["forgotten"] = panel.views.count()
    window.scene.viewpoints.path.write_text("nonsense")
    panel.list_views()
    seen["broken"] = window.message
    window.asks = False
    window.close()
    sys.stdout.write(json.dumps(seen))


main()
