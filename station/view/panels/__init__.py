"""Dockable panels of the window."""

from station.view.panels.panel import Panel

PANELS: tuple[type[Panel], ...] = ()

__all__ = ["PANELS", "Panel"]
