"""The physics of an emulated syntaxer; see docs/emulators.md, 'The plant'.

numbers.py    masses, friction, stops, heat: what the model of the device does not know
state.py      state and scratch
place.py      handle and Jacobians at the present joints, and what counters show
energy.py     mass matrix, centrifugal and Coriolis forces, where the energy is
stops.py      ends of travel of arms, bars and joystick
friction.py   dry friction that sticks, strings that hang through
step.py       windings, kick, drift: one step of the plant
plant.py      `Plant`
"""

from sim_devices.syntaxer.plant.numbers import PlantNumbers
from sim_devices.syntaxer.plant.plant import Energy, Plant

__all__ = ["Energy", "Plant", "PlantNumbers"]
