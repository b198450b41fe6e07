"""`Panel`: what every dockable panel of the window is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from PySide6 import QtCore, QtGui, QtWidgets

if TYPE_CHECKING:
    from station.view.follow import Moment
    from station.view.window import ViewWindow


class Panel(QtWidgets.QDockWidget):
    """One panel, hidden at first; the window refreshes it while it is seen.

    Args:
        window: the window it belongs to.
    """

    title: ClassVar[str]
    key: ClassVar[str] = ""  # keyboard shortcut that shows and hides it
    area: ClassVar[QtCore.Qt.DockWidgetArea] = QtCore.Qt.DockWidgetArea.RightDockWidgetArea

    def __init__(self, window: ViewWindow) -> None:
        super().__init__(self.title, window)
        self.setObjectName(type(self).__name__)  # by which Qt keeps where it was docked
        self.window_of = window

    def moveEvent(self, event: QtGui.QMoveEvent) -> None:  # noqa: N802 (Qt's name)
        """One that floats never covers the bar with state and stop."""
        super().moveEvent(event)
        bar = self.window_of.bar
        if self.isFloating() and bar.isVisible():
            covered = QtCore.QRect(bar.mapToGlobal(QtCore.QPoint()), bar.size())
            if covered.intersects(self.frameGeometry()):
                self.move(self.x(), covered.bottom() + 1)

    def put(self, widget: QtWidgets.QWidget) -> None:
        """Show a widget; where there is too little room for it, it can be scrolled."""
        area = QtWidgets.QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        area.setWidget(widget)
        area.setMinimumWidth(widget.sizeHint().width() + area.verticalScrollBar().sizeHint().width() + 8)
        self.setWidget(area)

    def refresh(self, moment: Moment) -> None:
        """Show a newer moment of the station; called while the panel is visible."""

    def leave(self) -> None:
        """The window closes: let go of what is held."""
