"""`History`: what was there before and after each edit; texts are whole, so nothing can be undone in part."""

from __future__ import annotations

from typing import NamedTuple

MOST = 500  # edits that are remembered


class Edition(NamedTuple):
    """One state of the text and the edit that led to it."""

    text: str
    label: str  # what was done, for people
    gesture: str | None  # edits of the same gesture count as one


class History:
    """Texts one after the other, and the place of the one that holds now."""

    def __init__(self, text: str) -> None:
        self._editions = [Edition(text, "", None)]
        self._at = 0

    @property
    def text(self) -> str:
        """The one that holds."""
        return self._editions[self._at].text

    def add(self, text: str, label: str, gesture: str | None = None) -> None:
        """A newer text; what was undone before is forgotten. One more of the same gesture replaces the last."""
        last = self._editions[self._at]
        del self._editions[self._at + 1 :]
        if gesture is not None and gesture == last.gesture and self._at > 0:
            self._editions[self._at] = Edition(text, label, gesture)
            return
        self._editions.append(Edition(text, label, gesture))
        del self._editions[: max(0, len(self._editions) - MOST)]
        self._at = len(self._editions) - 1

    def end_gesture(self) -> None:
        """The hand let go: the next edit is one of its own."""
        self._editions[self._at] = self._editions[self._at]._replace(gesture=None)

    @property
    def undoes(self) -> str | None:
        """What the next undo would undo; None: there is nothing."""
        return self._editions[self._at].label if self._at else None

    @property
    def redoes(self) -> str | None:
        """What the next redo would do again; None: there is nothing."""
        return self._editions[self._at + 1].label if self._at + 1 < len(self._editions) else None

    def peek(self, step: int) -> str | None:
        """The text one step back (-1) or ahead (1), if there is one."""
        at = self._at + step
        return self._editions[at].text if 0 <= at < len(self._editions) else None

    def go(self, step: int) -> None:
        """Go back (-1) or ahead (1)."""
        if self.peek(step) is not None:
            self._at += step
