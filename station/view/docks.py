"""`Docks`: all panels of a window, those that are always there and those of parts that were clicked on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6 import QtCore

from station.view.moment import Moment
from station.view.panels.link import LinkPanel
from station.view.panels.panel import Panel

if TYPE_CHECKING:
    from station.view.window import ViewWindow

MOST_BESIDE = 2  # panels of links under each other; further ones become tabs


class Docks(QtCore.QObject):
    """Makes panels, shows them, keeps them fresh.

    Args:
        window: the window they are docked in.
        kinds: those that are always there.
    """

    def __init__(self, window: ViewWindow, kinds: tuple[type[Panel], ...]) -> None:
        super().__init__(window)
        self._window = window
        self.panels: dict[str, Panel] = {}  # by title
        self.links: dict[tuple[str, int], LinkPanel] = {}  # by robot and part
        for kind in kinds:
            self.add(kind)

    def add(self, kind: type[Panel]) -> None:
        """One panel, hidden; one that cannot be made costs a line."""
        try:
            panel = kind(self._window)
        except Exception as error:  # the window stays, whatever a panel does
            self._window.say(f"panel {kind.title}: {error}")
            return
        self._window.addDockWidget(kind.area, panel)
        panel.hide()
        self.panels[kind.title] = panel
        toggle = panel.toggleViewAction()
        toggle.triggered.connect(lambda on: self.show(kind.title) if on else None)
        if kind.key:
            toggle.setShortcut(kind.key)
        self._window.menus.panels.addAction(toggle)

    def show(self, title: str) -> Panel:
        """Show a panel, in front of those at the same side: small screens have no room for two."""
        panel, window = self.panels[title], self._window
        area = window.dockWidgetArea(panel)
        beside = [
            other
            for other in self.panels.values()
            if other is not panel
            and not other.isHidden()
            and not other.isFloating()
            and window.dockWidgetArea(other) is area
        ]
        panel.show()
        if beside and not panel.isFloating() and not window.tabifiedDockWidgets(panel):
            window.tabifyDockWidget(beside[-1], panel)
        panel.raise_()
        return panel

    def refresh(self, moment: Moment) -> None:
        """Let all panels that are seen show a moment."""
        for panel in [*self.panels.values(), *self.links.values()]:
            if panel.isVisible():
                try:
                    panel.refresh(moment)
                except Exception as error:  # the window stays, whatever a panel does
                    self._window.say(f"panel {panel.windowTitle()}: {error}")

    def open_link(self, robot: str, part: int) -> LinkPanel:
        """The panel of a link, frame, tool, camera or base; opened beside those that are there."""
        panel = self.links.get((robot, part))
        if panel is None:
            panel = self.links[robot, part] = LinkPanel(self._window, robot, part)
            panel.closed.connect(self._forget)
            docked = [other for other in self.links.values() if other is not panel and not other.isFloating()]
            self._window.addDockWidget(panel.area, panel)
            if len(docked) >= MOST_BESIDE:
                self._window.tabifyDockWidget(docked[-1], panel)
        panel.show()
        panel.raise_()
        return panel

    def close_links(self) -> None:
        """Close all panels of parts."""
        for panel in list(self.links.values()):
            panel.close()

    def _forget(self, robot: str, part: int) -> None:
        panel = self.links.pop((robot, part), None)
        if panel is not None:
            self._window.removeDockWidget(panel)
            panel.deleteLater()

    def leave(self) -> None:
        """The window closes."""
        self.close_links()
        for panel in self.panels.values():
            panel.leave()
