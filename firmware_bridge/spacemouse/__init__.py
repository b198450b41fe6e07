"""Caps that a hand deflects: Magellan and Spaceball on a serial line, SpaceMouse on USB, all of them by spacenavd."""

from firmware_bridge.spacemouse.hid import find_spacemice, open_spacemouse
from firmware_bridge.spacemouse.magellan import open_magellan
from firmware_bridge.spacemouse.spaceball import open_spaceball

__all__ = ["find_spacemice", "open_magellan", "open_spaceball", "open_spacemouse"]
