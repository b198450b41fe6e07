"""An emulated syntaxer: the device's own firmware before a plant that obeys physics, in a hand that obeys a script."""

from sim_devices.syntaxer.emulator import SyntaxerEmulator

__all__ = ["SyntaxerEmulator"]
