"""The physics of an emulated syntaxer; see docs/emulators.md, 'The plant'.

numbers.py    masses, friction, stops, heat: what the model of the device does not know
memory.py     state and scratch, flat arrays seen through names
place.py      handle and Jacobians at the present joints
inertia.py    mass matrix, centrifugal and Coriolis forces
stops.py      ends of travel of arms, bars and joystick
friction.py   dry friction that sticks
strings.py    strings that hang through
electric.py   current loops, supply, heat
kick.py       all efforts together: rates after a short time
energy.py     the books of energy
advance.py    one step of the plant, and the counters
plant.py      `Plant`
"""

from sim_devices.syntaxer.plant.numbers import PlantNumbers
from sim_devices.syntaxer.plant.plant import Energy, Plant

__all__ = ["Energy", "Plant", "PlantNumbers"]
