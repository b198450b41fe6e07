"""Scene → mechanism: compiled kinematics and the constraint solver.

    Robot ─ compiling ─▶ Model ─ assembly ─▶ Mechanism ─ step, reach, set_joint ─▶ Step, Reach

The inner loops are in kernels/, the methods of the books in classic/; see docs/solver.md.
"""

from station.mechanism.errors import AssemblyError, MechanismError
from station.mechanism.mechanism import Along, Contact, Mechanism
from station.mechanism.preference import Preference
from station.mechanism.results import Joint, Reach, Report, Status, Step, TrackingError

__all__ = [
    "Along",
    "AssemblyError",
    "Contact",
    "Joint",
    "Mechanism",
    "MechanismError",
    "Preference",
    "Reach",
    "Report",
    "Status",
    "Step",
    "TrackingError",
]
