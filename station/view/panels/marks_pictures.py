"""Picture of the panel that chooses marks, in a window: `python -m station.view.pictures docs/pictures marks`."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import numpy as np

SIZE = (1180, 760)  # [px]
NAMES = ("over the bench", "gripper, close")


def draw(folder: Path) -> None:
    """The window with its panel of marks; needs no screen."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    import robots
    from station.bench import load
    from station.view.panels.marks import MarksPanel
    from station.view.viewpoints import Viewpoints
    from station.view.window import ViewWindow, application

    qt = application()
    with tempfile.TemporaryDirectory() as place:
        window = ViewWindow(load(robots.path("panda")), SIZE, folder=Path(place), settings=Path(place), canvas="image")
        window.canvas.always_fine = True
        window.scene.viewpoints = Viewpoints("panda", Path(place))  # the user's are nobody's business
        for name in NAMES:
            window.scene.save_viewpoint(name)
        window.scene.augment.show("nearness", "colour")
        window.scene.augment.show("temperature", "sphere")
        window.scene.augment.tell("temperature", [38.0, 61.0, 47.0, 74.0, 40.0, np.nan, np.nan])
        window.scene.augment.show("effort", "arrow")
        window.scene.augment.layers.stops = "all"
        panel = window.docks.show(MarksPanel.title)
        window.show()
        qt.processEvents()
        window.fit()
        window.canvas.native.repaint()
        panel.refresh(window.follower.moment)
        qt.processEvents()
        window.grab().save(str(folder / "view-panel.png"))
        window.asks = False
        window.close()
        qt.processEvents()
