"""Compiled shaping: plain functions on arrays, no Python objects inside, no allocation while running.

layout.py  what the numbers of inputs, settings and state are
motion.py  one joint: constant jerk, the shortest stop, and whether one can still stop within limits
law.py     which jerk brings a joint to a moving target
follow.py  the law within limits
park.py    a move that was planned beforehand
press.py   how hard the tool presses on something
tube.py    how far the arm is from where it was sent
gate.py    the last check before bytes
start.py   beginning at the measured pose
tick.py    `shaping_tick`: to be called from other kernels too
"""
