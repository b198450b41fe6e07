"""Compiled ends of a delayed two-port: plain functions on arrays, no Python objects inside, no allocation.

layout.py    what the numbers of packets, settings, inputs and state are
packets.py   which packets are taken, and how old the newest is
port.py      way, time and energy of a port since the last tick
waves.py     wave variables: what goes out, what may be used of what came in
hand.py      `hand_tick`: the end at the hand, from packets of the arm to the force on the hand
station.py   `station_tick`: the same inside a station, beside its other forces
arm.py       `arm_tick`: the end at the arm, from packets of the hand to where the arm is to be
arm_waves.py its part for waves
"""
