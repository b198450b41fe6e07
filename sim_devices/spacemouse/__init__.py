"""Emulated caps: Magellan and Spaceball on a serial line, SpaceMice on USB, and spacenavd's socket."""

from sim_devices.spacemouse.hand import AtRest, CapHand, ScriptedHand
from sim_devices.spacemouse.hid import SpaceMouseEmulator
from sim_devices.spacemouse.magellan import MagellanEmulator
from sim_devices.spacemouse.spaceball import SpaceballEmulator
from sim_devices.spacemouse.spacenavd import SpacenavdEmulator

__all__ = [
    "AtRest",
    "CapHand",
    "MagellanEmulator",
    "ScriptedHand",
    "SpaceMouseEmulator",
    "SpaceballEmulator",
    "SpacenavdEmulator",
]
