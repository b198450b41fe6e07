"""What a window remembers from one time to the next: its size, and where which panels are."""

from __future__ import annotations

import os
from pathlib import Path

from PySide6 import QtCore, QtWidgets

VERSION = 1  # of the arrangement; one of another version is not taken
FOLDER = "STATION_VIEW_SETTINGS"  # environment variable with another folder
FILE = "view.ini"


def settings_folder() -> Path:
    """Folder of what the view remembers."""
    given = os.environ.get(FOLDER)
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "haptic-station"


def open_settings(folder: Path | None = None) -> QtCore.QSettings:
    """Settings in a folder; it is made when something is kept. One that cannot be written forgets, silently."""
    return QtCore.QSettings(str((folder or settings_folder()) / FILE), QtCore.QSettings.Format.IniFormat)


def keep(window: QtWidgets.QMainWindow, settings: QtCore.QSettings) -> None:
    """Remember size and panels."""
    settings.setValue("window/geometry", window.saveGeometry())
    settings.setValue("window/panels", window.saveState(VERSION))
    settings.sync()


def restore(window: QtWidgets.QMainWindow, settings: QtCore.QSettings) -> bool:
    """Put panels where they were; returns whether anything was remembered."""
    state = settings.value("window/panels")
    if not isinstance(state, QtCore.QByteArray):
        return False
    geometry = settings.value("window/geometry")
    if isinstance(geometry, QtCore.QByteArray):
        window.restoreGeometry(geometry)
    return window.restoreState(state, VERSION)
