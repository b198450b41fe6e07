"""Which 3Dconnexion devices there are on USB, what their buttons are called, and which are no caps at all."""

from __future__ import annotations

from typing import NamedTuple

LOGITECH, CONNEXION = 0x046D, 0x256F


class Model(NamedTuple):
    """A cap on USB."""

    name: str
    buttons: tuple[tuple[int, str], ...]  # (bit in the report, what is printed on it), in the order of our bits

    @property
    def dead_man(self) -> int | None:
        """The button that is held to lead: the first, or where there is one the key ctrl, beside the thumb."""
        names = [name for _, name in self.buttons]
        return names.index("ctrl") if "ctrl" in names else 0 if names else None


def _numbered(count: int) -> tuple[tuple[int, str], ...]:
    return tuple((bit, str(bit + 1)) for bit in range(count))


TWO = ((0, "left"), (1, "right"))
# The bits of a Pro have gaps: 15 buttons on bits 0 to 26.
PRO = (
    (0, "menu"),
    (1, "fit"),
    (2, "top"),
    (4, "right"),
    (5, "front"),
    (8, "roll"),
    (12, "1"),
    (13, "2"),
    (14, "3"),
    (15, "4"),
    (22, "esc"),
    (23, "alt"),
    (24, "shift"),
    (25, "ctrl"),
    (26, "lock"),
)

MODELS: dict[tuple[int, int], Model] = {
    (LOGITECH, 0xC603): Model("SpaceMouse Plus XT", _numbered(10)),
    (LOGITECH, 0xC605): Model("CadMan", _numbered(4)),
    (LOGITECH, 0xC606): Model("SpaceMouse Classic", _numbered(11)),
    (LOGITECH, 0xC621): Model("Spaceball 5000", _numbered(12)),
    (LOGITECH, 0xC623): Model("SpaceTraveler", _numbered(8)),
    (LOGITECH, 0xC625): Model("SpacePilot", _numbered(21)),
    (LOGITECH, 0xC626): Model("SpaceNavigator", TWO),
    (LOGITECH, 0xC627): Model("SpaceExplorer", _numbered(15)),
    (LOGITECH, 0xC628): Model("SpaceNavigator for Notebooks", TWO),
    (LOGITECH, 0xC629): Model("SpacePilot Pro", _numbered(31)),
    (LOGITECH, 0xC62B): Model("SpaceMouse Pro", PRO),
    (LOGITECH, 0xC640): Model("NuLOOQ", _numbered(5)),
    (CONNEXION, 0xC62E): Model("SpaceMouse Wireless (cable)", TWO),
    (CONNEXION, 0xC62F): Model("SpaceMouse Wireless (receiver)", TWO),
    (CONNEXION, 0xC631): Model("SpaceMouse Pro Wireless (cable)", PRO),
    (CONNEXION, 0xC632): Model("SpaceMouse Pro Wireless (receiver)", PRO),
    (CONNEXION, 0xC633): Model("SpaceMouse Enterprise", _numbered(32)),
    (CONNEXION, 0xC635): Model("SpaceMouse Compact", TWO),
    (CONNEXION, 0xC636): Model("SpaceMouse Module", TWO),
    (CONNEXION, 0xC638): Model("SpaceMouse Pro Wireless Bluetooth (cable)", PRO),
    (CONNEXION, 0xC63A): Model("SpaceMouse Wireless Bluetooth (cable)", TWO),
    (CONNEXION, 0xC652): Model("3Dconnexion Universal Receiver", _numbered(32)),
}

# Made by 3Dconnexion, but without a cap of six axes. About c641 sources differ, and nobody has said what it is.
NO_CAP: dict[tuple[int, int], str] = {
    (CONNEXION, product): reason
    for reason, products in {
        "a mouse or its receiver": (0xC650, 0xC651, 0xC654, 0xC655, 0xC656, 0xC657, 0xC658, 0xC62C),
        "a keypad or a hub": (0xC664, 0xC665, 0xC668),
        "not known to have six axes": (0xC641,),
    }.items()
    for product in products
}


def buttons_of(model: Model, bits: int) -> int:
    """Bits of a report → bits in the order of the model's buttons, without gaps."""
    return sum(1 << place for place, (bit, _) in enumerate(model.buttons) if bits >> bit & 1)
