"""Checking a task before it is executed. See docs/tasks.md.

settings.py   what it is held to
results.py    findings and margins
motion.py     the path of all joints
joints.py     position, speed, acceleration, jerk, effort
masses.py     of the bodies, and the efforts they ask for
shape.py      loops and singularities
clearance.py  distances along a path, between samples too
touching.py   collisions
checks.py     `verify`: all together, and the way to where a task begins
between.py    the same of several robots: distances between them, and what ties them
variants.py   how things may be wrong
trials.py     the same checks in variants
robust.py     many variants, in parallel processes
noting.py     what a check leaves in the task's file
text.py       for people; command.py: `station verify`
"""

from station.tasks.verify.between import Between, make_between, verify_between
from station.tasks.verify.checks import Workbench, ease_in, make_workbench, verify
from station.tasks.verify.results import Check, Finding, Margin, Verdict, Where
from station.tasks.verify.settings import RobustSettings, VerifySettings

__all__ = [
    "Between",
    "Check",
    "Finding",
    "Margin",
    "RobustSettings",
    "Verdict",
    "VerifySettings",
    "Where",
    "Workbench",
    "ease_in",
    "make_between",
    "make_workbench",
    "verify",
    "verify_between",
]
