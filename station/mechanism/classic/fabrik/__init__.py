"""FABRIK, forward and backward reaching (sheet 7): on bare points, on trees, with cones, and on arms made of rods.

points.py     the method itself, on a chain of points or a tree with several end effectors
cones.py      ball joints with limits
planar.py, turntable.py, universal.py      the mechanisms it can treat, each with the reason why
domain.py     which of them a chain is, or why none
"""

from station.mechanism.classic.fabrik.cones import clamp_twist, fabrik_cones
from station.mechanism.classic.fabrik.domain import Arm, fabrik, rods
from station.mechanism.classic.fabrik.points import PointSolution, TreeSolution, fabrik_points, fabrik_tree

__all__ = [
    "Arm",
    "PointSolution",
    "TreeSolution",
    "clamp_twist",
    "fabrik",
    "fabrik_cones",
    "fabrik_points",
    "fabrik_tree",
    "rods",
]
