"""Lines between the panes of a window."""

from __future__ import annotations

from collections.abc import Sequence

from station.view.drawing.library import gloo
from station.view.geometry.mesh import Colour


def draw_borders(boxes: Sequence[tuple[float, float, float, float]], height: int, thick: int, colour: Colour) -> None:
    """At the left and the top of boxes (left, top, width, height) of a picture so high, all [device px]."""
    if not boxes:
        return
    gloo.set_state(scissor_test=True)
    for left, top, wide, high in boxes:
        x, y = round(left), height - round(top)
        for area in ((x, y - round(high), thick, round(high)), (x, y - thick, round(wide), thick)):
            gloo.set_scissor(*area)
            gloo.clear(color=colour, depth=False)
    gloo.set_state(scissor_test=False)
