"""Compiled inner loops of the surroundings: plain functions on one table of numbers.

table.py    the table, and its fields inside kernels
cache.py    compile once, keep on disk
support.py  how far a solid reaches along a direction; how far a point is outside a solid
survey.py   a distance for every pair that is never more than the true one
picking.py  which pairs are worth an exact distance
stops.py    stops of joints, against what moves with the robot
corners.py  corners that are near, and where edges cross
contacts.py half-spaces for the solver
tell.py     one tick: survey, rows for the forces, half-spaces for the solver
"""
