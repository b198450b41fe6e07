"""A scripted hand for emulated devices; see docs/emulators.md, 'The hand'."""

from sim_devices.hand.hand import Hand
from sim_devices.hand.script import ScriptError, default_script

__all__ = ["Hand", "ScriptError", "default_script"]
