"""Compiled inner loops: plain functions on arrays, no Python objects inside, no allocation while running.

model.py     what a mechanism is: constant arrays, and the arrays it works in
tree.py      forward kinematics, poses, Jacobians
closures.py  loops and couplings: residuals, rows, elimination
dense.py     small dense linear algebra
qp.py        the active-set solver
step.py      one step of motion
newton.py    back onto the closures, within bounds
reach.py     far targets
"""
