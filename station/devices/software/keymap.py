"""Which key does what: `w=-x s=x a=-y d=y … shift=dead-man`, axes of the station's frame with a sign, or buttons."""

from __future__ import annotations

from typing import NamedTuple

from station.devices.errors import AddressError
from station.devices.software.deflection import AXES

# Away, back, left, right, down, up; then turns about the axes to the operator, to the right and up.
# The dead-man is a modifier: with it held, these are other keys than those of the window, which are without.
USUAL = "w=-x s=x a=-y d=y q=-z e=z l=-rx j=rx i=-ry k=ry o=-rz u=rz shift=dead-man c=clutch g=grip x=slow"
STOP_KEY = "space"  # is the emergency stop in every window, whatever else is wished
SLOW = "slow"  # a key of this name makes deflections a fifth
MOST_KEYS = 64


class Push(NamedTuple):
    """A key that deflects an axis."""

    axis: int
    sign: int


class KeyMap(NamedTuple):
    """What keys do; keys are named in lower case, as a person would: `w`, `shift`, `page up` as page-up."""

    pushes: dict[str, Push]
    buttons: dict[str, str]

    @property
    def button_names(self) -> tuple[str, ...]:
        """Buttons in the order of their bits."""
        return tuple(dict.fromkeys(name for name in self.buttons.values() if name != SLOW))


def parse_keys(text: str, url: str = "keyboard:") -> KeyMap:
    """A map from text; raises an AddressError that says what is wrong."""
    pushes: dict[str, Push] = {}
    buttons: dict[str, str] = {}
    words = text.lower().split()
    if len(words) > MOST_KEYS:
        raise AddressError(f"{url}: {len(words)} keys; there may be {MOST_KEYS}")
    for word in words:
        key, equals, what = word.partition("=")
        if not (key and equals and what):
            raise AddressError(f"{url}: cannot read {word!r}; keys are written w=-x s=x shift=dead-man")
        if key == STOP_KEY:
            raise AddressError(f"{url}: {key} is the emergency stop; give {what!r} another key, as shift={what}")
        if key in pushes or key in buttons:
            raise AddressError(f"{url}: key {key!r} is given twice")
        axis = what.removeprefix("-").removeprefix("+")
        if axis in AXES:  # without a sign: +, which in an address would mean a space
            pushes[key] = Push(AXES.index(axis), -1 if what[0] == "-" else 1)
        elif what[0] in "+-":
            raise AddressError(f"{url}: no axis {axis!r}; there are: {', '.join(AXES)}")
        else:
            buttons[key] = what
    return KeyMap(pushes, buttons)
