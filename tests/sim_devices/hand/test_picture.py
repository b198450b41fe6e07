"""The picture of docs/emulators.md can be drawn."""

from __future__ import annotations

import xml.etree.ElementTree as Tree

from sim_devices.hand.picture import drawing


def test_the_picture_shows_every_curve_and_move() -> None:
    root = Tree.fromstring(drawing())
    words = {element.text for element in root.iter() if element.tag.endswith("text")}
    assert {"reach", "circle", "push", "tremor", "twist", "let go"} <= words
    curves = [element for element in root.iter() if element.tag.endswith("polyline")]
    assert len(curves) == 11
    assert all("nan" not in element.attrib["points"] for element in curves)
