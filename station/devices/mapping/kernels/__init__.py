"""Compiled mapping of a hand: plain functions on arrays, no Python objects inside, no allocation while running.

layout.py    what the numbers of state and settings are
rotation.py  quaternions and rotation vectors
samples.py   which samples are believed
engage.py    dead-man, clutch and what else decides whether the hand moves the robot
frames.py    device → seat → reference → world, with scale and locks: the Jacobians of the mapping
response.py  dead zone and response curve
motion.py    what the target moves in a tick
walls.py     the edge of the device, the bubble, the pull towards the start
tick.py      `mapping_tick` and `mapping_wrench`: to be called from other kernels too
"""
