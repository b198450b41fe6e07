"""Names of a URDF made to fit MAD, each used once."""

from __future__ import annotations

import re

from station.mad.writer import NAME


def quotable(text: str) -> str:
    """A text that MAD can put in quotes."""
    return re.sub(r'["\r\n]', "_", text)


def plain(text: str) -> str:
    """A text as a MAD name: letters, digits and `. + - _`."""
    name = re.sub(r"[^\w.+-]+", "_", text)
    return name if NAME.fullmatch(name) else f"_{name}"


class Names:
    """Hands out names; a name that is taken gets an ending."""

    def __init__(self) -> None:
        self.taken: set[str] = set()

    def take(self, wanted: str, ending: str) -> str:
        """The wanted name; if it is taken the name with the ending, or with the ending and a number."""
        name, count = quotable(wanted), 1
        while name in self.taken:
            name = f"{quotable(wanted)}{ending}{count if count > 1 else ''}"
            count += 1
        self.taken.add(name)
        return name
