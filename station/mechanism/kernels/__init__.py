"""Compiled inner loops: plain functions on arrays, no Python objects inside, no allocation while running.

memory.py    the one block of numbers that a mechanism is; at.py: its parts, inside kernels
cache.py     compile once, keep on disk
tree.py      forward kinematics, poses, Jacobians
closures.py  loops and couplings: residuals, rows, elimination
dense.py     small dense linear algebra
qp.py        the active-set solver
bounds.py    how far a joint may move in one step
tasks.py     what is wanted, as rows
level.py     one level of tasks
step.py      one step of motion
newton.py    back onto the closures, within bounds
assemble.py  first closing of all loops
reach.py     far targets
"""
