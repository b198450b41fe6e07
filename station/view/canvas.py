"""The part of a window that shows a scene, in two kinds with the same face.

`CardCanvas` lets the graphics card draw straight into the window. `ImageCanvas` draws without a screen and shows the
image: where OpenGL is software, this costs half of what Qt takes to put OpenGL into a window, and it needs no OpenGL of
the screen at all.
"""

from __future__ import annotations

from typing import Any, Protocol

from PySide6 import QtCore, QtGui, QtWidgets

from station.view.drawing.backend import Rows, Target, check_card, offscreen_canvas
from station.view.drawing.library import app, gl
from station.view.panes import Panes

BUTTONS = {
    QtCore.Qt.MouseButton.LeftButton: 1,
    QtCore.Qt.MouseButton.RightButton: 2,
    QtCore.Qt.MouseButton.MiddleButton: 3,
}
NOTCH = 120.0  # of a wheel, in Qt's numbers
SOFTWARE = ("llvmpipe", "softpipe", "swrast", "software")


class Canvas(Protocol):
    """What a window needs of a canvas."""

    panes: Panes

    @property
    def native(self) -> QtWidgets.QWidget:
        """The Qt widget."""

    def update(self) -> None:
        """Draw soon."""


class ImageCanvas(QtWidgets.QWidget):
    """A scene drawn without a screen and shown as an image."""

    def __init__(self, panes: Panes, size: tuple[int, int]) -> None:
        super().__init__()
        self.panes = panes
        self._canvas, self._target, self._rows = offscreen_canvas(), Target(), Rows()
        self.setAttribute(QtCore.Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QtWidgets.QSizePolicy.Policy.Expanding, QtWidgets.QSizePolicy.Policy.Expanding)
        self.resize(*size)

    @property
    def native(self) -> QtWidgets.QWidget:
        """The Qt widget: itself."""
        return self

    def paintEvent(self, _event: QtGui.QPaintEvent) -> None:  # noqa: N802 (Qt's names)
        """Draw, and show what was drawn."""
        scale = self.devicePixelRatioF()
        width, height = max(round(self.width() * scale), 1), max(round(self.height() * scale), 1)
        self._canvas.set_current()
        painter = QtGui.QPainter(self)
        try:
            with self._target.drawing(width, height):
                self.panes.draw(width, height, scale, own_buffer=True)
                pixels = self._rows.read(width, height)
            image = QtGui.QImage(pixels.data, width, height, 4 * width, QtGui.QImage.Format.Format_RGB32)
            image.setDevicePixelRatio(scale)
            painter.drawImage(0, 0, image)
        except Exception as error:  # the window stays, whatever the graphics do
            painter.eraseRect(self.rect())
            painter.drawText(self.rect(), f"not drawn: {error}")
        finally:
            painter.end()

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Remember where."""
        self.panes.press(BUTTONS.get(event.button(), 0), (event.position().x(), event.position().y()))

    def mouseMoveEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """Turn or move the camera."""
        shift = bool(event.modifiers() & QtCore.Qt.KeyboardModifier.ShiftModifier)
        if self.panes.move((event.position().x(), event.position().y()), shift, self.height()):
            self.update()

    def mouseReleaseEvent(self, event: QtGui.QMouseEvent) -> None:  # noqa: N802
        """End of a drag, or a click."""
        self.mouseMoveEvent(event)
        self.panes.release((event.position().x(), event.position().y()), (self.width(), self.height()))

    def wheelEvent(self, event: QtGui.QWheelEvent) -> None:  # noqa: N802
        """Nearer or away."""
        self.panes.wheel(event.angleDelta().y() / NOTCH)
        self.update()


class CardCanvas(app.Canvas):  # type: ignore[misc]
    """A scene drawn by the graphics card straight into a Qt widget (`native`)."""

    def __init__(self, panes: Panes, size: tuple[int, int]) -> None:
        self.panes = panes
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
        self.panes.press(event.button, (event.pos[0], event.pos[1]))

    def on_mouse_move(self, event: Any) -> None:
        """Turn or move the camera."""
        shift = any(key.name == "Shift" for key in event.modifiers)
        if self.panes.move((event.pos[0], event.pos[1]), shift, self.size[1]):
            self.update()

    def on_mouse_release(self, event: Any) -> None:
        """End of a drag, or a click."""
        self.on_mouse_move(event)  # vispy leaves out moves that come fast, the last one too
        self.panes.release((event.pos[0], event.pos[1]), self.size)

    def on_mouse_wheel(self, event: Any) -> None:
        """Nearer or away."""
        self.panes.wheel(float(event.delta[1]))
        self.update()


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
