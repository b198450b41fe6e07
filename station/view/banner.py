"""`Banner`: lines across the top of the window that stay until they are no longer true."""

from __future__ import annotations

from enum import StrEnum

from PySide6 import QtCore, QtWidgets


class Tone(StrEnum):
    """How bad it is; the value is the colour of the ground."""

    TROUBLE = "#9b1c1c"
    NOTE = "#1d4f7c"


class Banner(QtWidgets.QLabel):
    """A line for each topic, white on a colour, hidden while there is nothing to say. A click hides it."""

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextFormat(QtCore.Qt.TextFormat.PlainText)
        self._lines: dict[str, tuple[str, Tone]] = {}
        self.hide()

    def tell(self, text: str, tone: Tone = Tone.TROUBLE, topic: str = "") -> None:
        """Show a line about a topic in place of the one before; an empty one takes it away."""
        if self._lines.pop(topic, ("", tone)) == (text, tone) and text:
            self._lines[topic] = (text, tone)
            return
        if text:
            self._lines[topic] = (text, tone)
        self._show()

    def _show(self) -> None:
        self.setText("\n".join(text for text, _ in self._lines.values()))
        worst = Tone.TROUBLE if any(tone is Tone.TROUBLE for _, tone in self._lines.values()) else Tone.NOTE
        self.setStyleSheet(f"background: {worst}; color: white; padding: 6px 10px; font-weight: 600;")
        self.setVisible(bool(self._lines))

    def mousePressEvent(self, _event: object) -> None:  # noqa: N802 (Qt's name)
        """Read: it may go."""
        self._lines.clear()
        self._show()
