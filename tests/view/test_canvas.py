"""The canvas of a window: as fine as its screen, and finer once nothing moves."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6 import QtWidgets

from station.view import canvas as canvas_module
from station.view.canvas import FINE, ImageCanvas
from station.view.panes import Panes
from station.view.window import application
from tests.view.pictures import scene

SIZE = (160, 120)


class Counted(Panes):
    """Notes in which size each picture is drawn."""

    def draw(self, width: int, height: int, scale: float, own_buffer: bool = False) -> None:
        super().draw(width, height, scale, own_buffer)
        self.sizes = [*getattr(self, "sizes", []), (width, height, scale)]


@pytest.fixture
def canvas(monkeypatch: pytest.MonkeyPatch) -> Iterator[ImageCanvas]:
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    monkeypatch.setattr(canvas_module, "CALM", 0)
    application()
    found = ImageCanvas(Counted(scene("scara"), lambda _hit: None), SIZE)
    yield found
    found.close()


def sizes(canvas: ImageCanvas) -> list[tuple[int, int, float]]:
    assert isinstance(canvas.panes, Counted)
    return canvas.panes.sizes


def test_a_fine_screen_gets_a_fine_picture(canvas: ImageCanvas, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ImageCanvas, "devicePixelRatioF", lambda _self: 1.5)
    canvas.grab()
    assert sizes(canvas)[0] == (240, 180, 1.5)  # lines and letters as large as ever, of more pixels


def test_edges_are_drawn_smoothly_once_and_only_when_nothing_moves(canvas: ImageCanvas) -> None:
    canvas.show()
    QtWidgets.QApplication.processEvents()
    while len(sizes(canvas)) < 2:
        QtWidgets.QApplication.processEvents()
    assert sizes(canvas)[-1] == (FINE * SIZE[0], FINE * SIZE[1], float(FINE))
    count = len(sizes(canvas))
    for _ in range(20):
        QtWidgets.QApplication.processEvents()
    assert len(sizes(canvas)) == count
    canvas.update()
    QtWidgets.QApplication.processEvents()
    assert sizes(canvas)[count] == (*SIZE, 1.0)  # something moves again: quickly first


def test_a_picture_that_would_be_too_large_is_not_drawn_twice(
    canvas: ImageCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(canvas_module, "LARGEST", SIZE[0])
    canvas.show()
    for _ in range(30):
        QtWidgets.QApplication.processEvents()
    assert (FINE * SIZE[0], FINE * SIZE[1], float(FINE)) not in sizes(canvas)
