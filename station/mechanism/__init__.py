"""Scene → mechanism: compiled kinematics and the constraint solver; see docs/solver.md.

    Robot ─ compiling ─▶ memory ─ assembly ─▶ Mechanism ─ step, reach, set_joint ─▶ Step, Reach

mechanism.py   a robot that moves: what everybody uses; preference.py: what it does with freedom that is left
results.py     what it answers, and what can go wrong
memory.py      the one record that kernels and Python share
compiling.py   from a robot of a scene to that record; assembly.py: first closing of all loops
geometry.py    the numbers that place links and frames, changed in place
tree.py        forward kinematics, poses, Jacobians
closures.py    loops and couplings: residuals, rows, elimination, back onto them
tasks.py       what is wanted, as rows; how far a joint may move in one step
algebra.py     small dense linear algebra and the quadratic programme
level.py       one level of tasks; step.py: one step of motion; reach.py: far targets
classic/       the methods of the books
"""

from station.mechanism.mechanism import Along, Contact, Mechanism
from station.mechanism.preference import Preference
from station.mechanism.results import (
    AssemblyError,
    Joint,
    MechanismError,
    OpenLoop,
    Reach,
    Report,
    Status,
    Step,
    TrackingError,
)

__all__ = [
    "Along",
    "AssemblyError",
    "Contact",
    "Joint",
    "Mechanism",
    "MechanismError",
    "OpenLoop",
    "Preference",
    "Reach",
    "Report",
    "Status",
    "Step",
    "TrackingError",
]
