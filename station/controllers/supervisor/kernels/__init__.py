"""Compiled supervisor: plain functions on arrays, no Python objects inside, no allocation while running.

layout.py      what the numbers of inputs, settings, state and outputs are
conditions.py  what is true in this tick, as bits of events
press.py       dead-man, fresh press, and the wait for the arm
orders.py      what device, mapping, shaping and arm are told
tick.py        `supervisor_tick`: to be called from other kernels too
"""
