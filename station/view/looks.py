"""How the parts of the window around the picture look: their arrangement and their colours, light and dark."""

from __future__ import annotations

from PySide6 import QtGui, QtWidgets

Role = QtGui.QPalette.ColorRole
DARK = {
    Role.Window: "#23262b",
    Role.WindowText: "#e4e7eb",
    Role.Base: "#1a1c20",
    Role.AlternateBase: "#23262b",
    Role.Text: "#e4e7eb",
    Role.PlaceholderText: "#8b929c",
    Role.Button: "#31353c",
    Role.ButtonText: "#e4e7eb",
    Role.ToolTipBase: "#31353c",
    Role.ToolTipText: "#e4e7eb",
    Role.Highlight: "#2f7fc4",
    Role.HighlightedText: "#ffffff",
    Role.Link: "#6fb3ee",
    Role.BrightText: "#ff7a66",
}
FAINT = "#6c737d"  # of what cannot be used now


def panel_palette(dark: bool) -> QtGui.QPalette:
    """Colours of menus and panels."""
    if not dark:
        style = QtWidgets.QApplication.style()
        return style.standardPalette()
    palette = QtGui.QPalette()
    for role, colour in DARK.items():
        palette.setColor(role, QtGui.QColor(colour))
    for role in (Role.WindowText, Role.Text, Role.ButtonText):
        palette.setColor(QtGui.QPalette.ColorGroup.Disabled, role, QtGui.QColor(FAINT))
    return palette


def stacked(*widgets: QtWidgets.QWidget) -> QtWidgets.QWidget:
    """One above the other, without gaps; the last one takes the room."""
    whole = QtWidgets.QWidget()
    column = QtWidgets.QVBoxLayout(whole)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(0)
    for widget in widgets:
        column.addWidget(widget, 1 if widget is widgets[-1] else 0)
    return whole
