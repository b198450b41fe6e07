"""Menus and tool bar of the window, and the list of all keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets

from station.view.camera import TOOL_VIEW, VIEWPOINTS
from station.view.panels.supervisor import ORDERS
from station.view.theme import DARK

if TYPE_CHECKING:
    from station.view.window import ViewWindow

MOUSE = (
    ("click a part", "select it and open its panel"),
    ("drag a part", "move it: the robot follows as well as joints, loops and stops allow"),
    ("Alt and drag a part", "the same, keeping its orientation; key K, where Alt moves windows"),
    ("drag beside the robot, or with Ctrl", "turn the view"),
    ("drag with Shift, right or middle button", "move the view"),
    ("wheel", "nearer or away"),
)
STATION = (
    *((key, f"{name}, of a running station") for name, key, _, _ in ORDERS),
    ("N", "choose the next hand of a running station with several"),
    ("L", "let the chosen hand lead its frame, if its device leads another now"),
    ("J", "lead the joints of a running station by sliders, or by the hand again"),
    ("Space", "emergency stop of a running station, wherever the focus is"),
    ("Shift with W A S D Q E, I J K L U O", "lead a station that runs with --device panel: or keyboard:, while held"),
)


class Menus:
    """Makes all menus of a window.

    Args:
        window: the window.
    """

    def __init__(self, window: ViewWindow) -> None:
        self._window = window
        bar = window.menuBar()
        self.file, self.edit = bar.addMenu("&File"), bar.addMenu("&Edit")
        self.view, self.panels = bar.addMenu("&View"), bar.addMenu("&Panels")
        self.help = bar.addMenu("&Help")
        self._fill_file()
        self._fill_edit()
        self._fill_view()
        self.action(self.help, "Keys and mouse…", "F1", lambda: show_help(window)).setShortcuts(_keys("F1", "?"))

    def action(
        self, menu: QtWidgets.QMenu, text: str, key: str, act: Callable[..., object], checkable: bool = False
    ) -> QtGui.QAction:
        """One more entry of a menu."""
        action = QtGui.QAction(text, self._window)
        action.setShortcut(key)
        action.setToolTip(f"{text} ({key})")
        action.setCheckable(checkable)
        if checkable:
            action.toggled.connect(act)
        else:
            action.triggered.connect(lambda _=False: act())
        menu.addAction(action)
        return action

    def _fill_file(self) -> None:
        window, studio = self._window, self._window.studio
        self.action(self.file, "Save", "Ctrl+S", studio.save)
        self.action(self.file, "Save as…", "Ctrl+Shift+S", lambda: save_as(window))
        self.action(self.file, "Read again", "Ctrl+R", studio.reload)
        self.file.addSeparator()
        self.action(self.file, "Close", "Ctrl+Q", window.close)

    def _fill_edit(self) -> None:
        studio = self._window.studio
        self.action(self.edit, "Undo", "Ctrl+Z", studio.undo)
        self.action(self.edit, "Redo", "Ctrl+Y", studio.redo).setShortcuts(_keys("Ctrl+Y", "Ctrl+Shift+Z"))
        self.edit.addSeparator()
        self.action(self.edit, "Keep orientation while dragging", "K", self._keep_turn, checkable=True)
        self.action(self.edit, "Close all link panels", "Esc", self._close_links)

    def _keep_turn(self, on: bool) -> None:
        self._window.studio.grabber.keeps_turn = on

    def _close_links(self) -> None:
        self._window.docks.close_links()  # which are made after the menus

    def _fill_view(self) -> None:
        window = self._window
        self.bar = bar = QtWidgets.QToolBar("Viewpoints")
        bar.setObjectName("viewpoints")
        window.addToolBar(bar)
        keys = iter("12345")
        for name in (*VIEWPOINTS, TOOL_VIEW):
            bar.addAction(self.action(self.view, name.capitalize(), next(keys), lambda name=name: window.look(name)))
        bar.addSeparator()
        self.view.addSeparator()
        bar.addAction(self.action(self.view, "Fit", "F", window.fit))
        bar.addAction(self.action(self.view, "Several views", "V", window.use_split, checkable=True))
        bar.addAction(self.action(self.view, "Wire ghosts", "W", window.use_wire, checkable=True))
        bar.addAction(self.action(self.view, "Commanded robot", "C", window.use_commanded, checkable=True))
        bar.addAction(self.action(self.view, "Stereo", "S", window.next_stereo))
        dark = self.action(self.view, "Dark", "D", window.use_dark, checkable=True)
        dark.setChecked(window.scene.theme is DARK)
        bar.addAction(dark)


def _keys(*names: str) -> list[QtGui.QKeySequence]:
    return [QtGui.QKeySequence(name) for name in names]


def keys_of(window: QtWidgets.QMainWindow) -> Iterator[tuple[str, str]]:
    """Every key of a window and what it does, in the order of the menus, then what panels have."""
    seen: set[str] = set()
    for action in window.findChildren(QtGui.QAction):
        keys = [key.toString(QtGui.QKeySequence.SequenceFormat.NativeText) for key in action.shortcuts()]
        text = action.text().replace("&", "").rstrip("…")
        if keys and text not in seen:
            seen.add(text)
            yield ", ".join(keys), f"{text} (panel)" if isinstance(action.parent(), QtWidgets.QDockWidget) else text
    for shortcut in window.findChildren(QtGui.QShortcut):
        key = shortcut.key().toString(QtGui.QKeySequence.SequenceFormat.NativeText)
        words = shortcut.whatsThis() or shortcut.objectName()
        if key and words:
            yield key, words


def help_dialog(window: QtWidgets.QMainWindow) -> QtWidgets.QDialog:
    """What keys and mouse do."""
    dialog = QtWidgets.QDialog(window)
    dialog.setObjectName("help")
    dialog.setWindowTitle("Keys and mouse")
    column = QtWidgets.QVBoxLayout(dialog)
    rows = [*MOUSE, *keys_of(window), *STATION]
    table = QtWidgets.QTableWidget(len(rows), 2)
    table.setHorizontalHeaderLabels(["Key or mouse", "does"])
    table.verticalHeader().hide()
    table.setEditTriggers(QtWidgets.QAbstractItemView.EditTrigger.NoEditTriggers)
    for row, texts in enumerate(rows):
        for place, text in enumerate(texts):
            table.setItem(row, place, QtWidgets.QTableWidgetItem(text))
    table.resizeColumnToContents(0)
    table.horizontalHeader().setStretchLastSection(True)
    table.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    table.setSelectionMode(QtWidgets.QAbstractItemView.SelectionMode.NoSelection)
    table.resizeRowsToContents()
    column.addWidget(table)
    close = QtWidgets.QDialogButtonBox(QtWidgets.QDialogButtonBox.StandardButton.Close)
    close.rejected.connect(dialog.close)
    column.addWidget(close)
    dialog.resize(720, 640)
    return dialog


def show_help(window: QtWidgets.QMainWindow) -> None:
    """Show what keys and mouse do; the window goes on meanwhile."""
    dialog = help_dialog(window)
    dialog.setAttribute(QtCore.Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.show()


def save_as(window: ViewWindow) -> None:
    """Ask for a name and save there."""
    start = str(Path(window.studio.design.name).with_suffix(".mad"))
    name, _ = QtWidgets.QFileDialog.getSaveFileName(window, "Save as", start, "MAD files (*.mad)")
    if name:
        window.studio.save(Path(name))


def may_go(window: ViewWindow) -> bool:
    """Whether edits that are not saved may go with the window: asks, and saves them if so wished."""
    choice = QtWidgets.QMessageBox.StandardButton
    answer = QtWidgets.QMessageBox.question(
        window,
        "Edits are not saved",
        f"Save the edits of {window.design.name}?",
        choice.Save | choice.Discard | choice.Cancel,
    )
    if answer is choice.Save and window.design.file is None:
        save_as(window)
        return not window.design.dirty
    return window.studio.save() if answer is choice.Save else answer is choice.Discard
