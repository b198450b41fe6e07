"""`FeltBars`: what a hand would feel at a device that cannot push, and how near a singularity is, as bars."""

from __future__ import annotations

import numpy as np
from PySide6 import QtWidgets

from station.servo.shared import Cause, ServoState
from station.view.moment import Moment
from station.view.panels.supervisor_words import AMBER, GREEN, RED

FULL_FORCE = 8.0  # of the bar [N]: what a strong device gives
FULL_DEXTERITY = 0.2  # of the bar: far from any singularity
NEAR, AT = 0.04, 0.01  # dexterity from which on a singularity is felt, and where it is
EFFECTS = tuple(cause for cause in Cause if cause not in (Cause.LIMITS, Cause.PASSIVITY))
NOTCHES = 100


class FeltBars(QtWidgets.QWidget):
    """Force and dexterity; hidden while there is no station."""

    def __init__(self) -> None:
        super().__init__()
        self.force, self.dexterity = QtWidgets.QProgressBar(), QtWidgets.QProgressBar()
        form = QtWidgets.QFormLayout(self)
        form.setContentsMargins(0, 4, 0, 4)
        self.force_label = QtWidgets.QLabel("Felt")
        form.addRow(self.force_label, self.force)
        form.addRow("Dexterity", self.dexterity)
        for bar in (self.force, self.dexterity):
            bar.setRange(0, NOTCHES)
        self._styles: dict[QtWidgets.QProgressBar, str] = {}
        self.hide()

    def refresh(self, moment: Moment) -> None:
        """Show the forces of a moment, and how far from a singularity the robot is."""
        snapshot = moment.snapshot
        self.setVisible(snapshot is not None)
        if snapshot is None:
            return
        parts = np.linalg.norm(np.nan_to_num(snapshot.wrench_parts[:, :3]), axis=1)
        force = float(np.linalg.norm(np.nan_to_num(snapshot.wrench_wanted[:3])))
        strongest = max(EFFECTS, key=lambda cause: parts[cause])
        self.force_label.setText("Felt" if moment.text.get("pushes", True) else "Would be felt")
        why = f", {strongest.name.lower()}" if force >= 0.05 else ""
        self._show(self.force, force / FULL_FORCE, f"{force:.1f} N{why}", AMBER)
        if int(snapshot.state[0]) != ServoState.ENGAGED:  # nobody has looked
            self._show(self.dexterity, 0.0, "known while the robot is led", GREEN)
            return
        dexterity = float(np.nan_to_num(snapshot.singularity[0]))
        words = " at a singularity" if dexterity < AT else " near a singularity" if dexterity < NEAR else ""
        colour = RED if dexterity < AT else AMBER if dexterity < NEAR else GREEN
        self._show(self.dexterity, dexterity / FULL_DEXTERITY, f"{dexterity:.3f}{words}", colour)

    def _show(self, bar: QtWidgets.QProgressBar, part: float, text: str, colour: str) -> None:
        bar.setValue(round(NOTCHES * min(max(part, 0.0), 1.0)))
        bar.setFormat(text)
        if self._styles.get(bar) != colour:  # a style sheet costs a new layout
            self._styles[bar] = colour
            bar.setStyleSheet(
                "QProgressBar { border: 1px solid #5c6370; border-radius: 4px; text-align: center; "
                "background: #3a3f47; color: white; font-weight: 600; } "
                f"QProgressBar::chunk {{ background: {colour}; border-radius: 3px; }}"
            )
