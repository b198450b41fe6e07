"""The physics of an emulated syntaxer; see docs/emulators.md, 'The plant'."""

from sim_devices.syntaxer.plant.plant import Energy, Plant

__all__ = ["Energy", "Plant"]
