"""Compiled forces: plain functions on arrays, no Python objects inside, no allocation while running.

layout.py        what the numbers of inputs, settings, guides and state are
vectors.py       three numbers at a time
wells.py         one-sided springs and compact wells: forces with their potentials
coupling.py      spring and damper between hand and proxy
approach.py      resistance before stops, singularities and obstacles; slow-down
nearest.py       nearest points of guides
guides.py        guides and attraction zones
sources.py       measured contact, compensation of the device, its own walls
cues.py          the haptic grammar
ramps.py         switches, engagement and loss, without a jump
ledger.py        energy at the hand and per cause, from positions
passivity.py     passivity observer and controller
bounding.py      energy bounding
limits.py        saturation that keeps direction, heat, slew, power
checks.py        which inputs are refused, and why
tick.py          `haptics_tick`: to be called from other kernels too
"""
