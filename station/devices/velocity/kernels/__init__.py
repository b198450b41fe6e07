"""Compiled velocity estimation: plain functions on arrays, no Python objects inside, no allocation while running.

layout.py  what the numbers of state and settings are
history.py the ring of past samples, and which samples may enter it
fits.py    from past samples to a slope, one axis at a time
tick.py    `velocity_tick`: one sample in, six speeds out; to be called from other kernels too
"""
