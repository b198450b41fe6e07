"""The part of a window that shows a scene, in two kinds with the same face.

`CardCanvas` lets the graphics card draw straight into the window. `ImageCanvas` draws without a screen and shows the
image: where OpenGL is software, this costs half of what Qt takes to put OpenGL into a window, and it needs no OpenGL of
the screen at all.
"""

from __future__ import annotations

from typing import Any, Protocol

from PySide6 import QtCore, QtGui, QtWidgets

from station.view.drawing.backend import LARGEST, Rows, Target, check_card, offscreen_canvas
from station.view.drawing.library import app, gl
from station.view.panes import Panes, Place, Size

BUTTONS = {
    QtCore.Qt.MouseButton.LeftButton: 1,
    QtCore.Qt.MouseButton.RightButton: 2,
    QtCore.Qt.MouseButton.MiddleButton: 3,
}
NOTCH = 120.0  # of a wheel, in Qt's numbers
CALM = 300  # without a new picture, until the last one is drawn anew with smooth edges [ms]
FINE = 2  # pixels drawn for one of the window then, each way
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")


class Canvas(Protocol):
    """What a window needs of a canvas."""

    panes: Panes
    always_fine: bool  # whether every picture has smooth edges, for pictures of the window

    @property
    def native(self) -> QtWidgets.QWidget:
        """The Qt widget."""

    def update(self) -> None:
        """Draw soon."""


class ImageCanvas(QtWidgets.QWidget):
    """A scene drawn without a screen and shown as an image; with smooth edges once nothing moves any more."""

    def __init__(self, panes: Panes, size: tuple[int, int]) -> None:
        super().__init__()
        self.panes = panes
        self._canvas = offscreen_canvas()
        self._targets, self._rows = (Target(), Target()), (Rows(), Rows())  # for quick and for fine pictures
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Expanding)
        self.resize(*size)
        self.always_fine = False
        self._fine = False  # whether the next picture has smooth edges
        self._calm = QtCore.QTimer(self)
        self._calm.setSingleShot(True)
        self._calm.timeout.connect(self._refine)

    @property
    def native(self) -> QtWidgets.QWidget:
        """The Qt widget: itself."""
        return self

    def _refine(self) -> None:
        self._fine = True
        self.update()

    def paintEvent(self, _event: QtGui.QPaintEvent) -> None:  # noqa: N802 (Qt's names)
        """Draw, and show what was drawn."""
        fine, self._fine = self._fine or self.always_fine, False
        scale = self.devicePixelRatioF() * (FINE if fine else 1)
        width, height = max(round(self.width() * scale), 1), max(round(self.height() * scale), 1)
        self._canvas.set_current()
        painter = QtGui.QPainter(self)
        painter.setRenderHint(QtGui.QPainter.RenderHint.SmoothPixmapTransform, fine)
        try:
            with self._targets[fine].drawing(width, height):
                self.panes.draw(width, height, scale, own_buffer=not fine)
                pixels = self._rows[fine].read(width, height)
            image = QtGui.QImage(pixels.data, width, height, 4 * width, QtGui.QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(scale)
            painter.drawImage(0, 0, image)
            if not fine and max(width, height) * FINE <= LARGEST:
                self._calm.start(CALM)
        except Exception as error:  # the window stays, whatever the graphics do
            painter.eraseRect(self.rect())
            painter.drawText(self.rect(), f"not drawn: {error}")
        finally:
            painter.end()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Remember where."""
        self.panes.press(BUTTONS.get(event.button(), 0), _place(event), self._extent())

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Turn or move the camera."""
        shift = bool(event.modifiers() & QtCore.Qt.KeyboardModifier.ShiftModifier)
        if self.panes.move(_place(event), shift, self._extent()):
            self.update()

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """End of a drag, or a click."""
        self.mouseMoveEvent(event)
        self.panes.release(_place(event), self._extent())

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Nearer or away."""
        self.panes.wheel(event.angleDelta().y() / NOTCH, _place(event), self._extent())
        self.update()

    def _extent(self) -> Size:
        return self.width(), self.height()


class CardCanvas(app.Canvas):  # type: ignore[misc]
    """A scene drawn by the graphics card straight into a Qt widget (`native`)."""

    def __init__(self, panes: Panes, size: tuple[int, int]) -> None:
        self.panes, self.always_fine = panes, True  # the card sees to it
        super().__init__(
            app=app.Application("pyside6"), size=size, show=False, dpi=96, config={"depth_size": 24, "samples": 4}
        )
        check_card(self)

    def on_draw(self, _event: Any) -> None:
        """Draw all panes."""
        width, height = self.physical_size
        self.panes.draw(int(width), int(height), self.pixel_scale)

    def on_mouse_press(self, event: Any) -> None:
        """Remember where."""
        self.panes.press(event.button, (event.pos[0], event.pos[1]), self.size)

    def on_mouse_move(self, event: Any) -> None:
        """Turn or move the camera."""
        shift = any(key.name == "Shift" for key in event.modifiers)
        if self.panes.move((event.pos[0], event.pos[1]), shift, self.size):
            self.update()

    def on_mouse_release(self, event: Any) -> None:
        """End of a drag, or a click."""
        self.on_mouse_move(event)  # vispy leaves out moves that come fast, the last one too
        self.panes.release((event.pos[0], event.pos[1]), self.size)

    def on_mouse_wheel(self, event: Any) -> None:
        """Nearer or away."""
        self.panes.wheel(float(event.delta[1]), (event.pos[0], event.pos[1]), self.size)
        self.update()


def _place(event: QtGui.QSinglePointEvent) -> Place:
    return event.position().x(), event.position().y()


def canvas_for(panes: Panes, size: tuple[int, int], kind: str = "auto") -> Canvas:
    """A canvas of a kind: `card`, `image`, or what suits the screen."""
    if kind == "auto":
        kind = "image" if screen_is_software() else "card"
    return CardCanvas(panes, size) if kind == "card" else ImageCanvas(panes, size)


def screen_is_software() -> bool:
    """Whether the OpenGL of the screen is a program, or there is none at all."""
    surface, context = QtGui.QOffscreenSurface(), QtGui.QOpenGLContext()
    surface.create()
    if not (surface.isValid() and context.create() and context.makeCurrent(surface)):
        return True
    try:
        name = str(gl.glGetParameter(gl.GL_RENDERER)).lower()
    finally:
        context.doneCurrent()
    return any(word in name for word in SOFTWARE)
