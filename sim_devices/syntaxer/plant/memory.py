"""The memory of a plant: two tables with six columns, `state` and `work`; here is what their rows mean.

Tables and not objects: compiled code counts references to every array that it takes out of an object, and that took
longer than the physics. Joint coordinates are three arm angles [rad] and three string lengths [m].
"""

from __future__ import annotations

from sim_devices.syntaxer.plant.cache import kernel
from station.devices.syntaxer.kernels.layout import Floats, Vector

COLUMNS = 6

# `state`: what the plant remembers from one step to the next.
JOINTS = 0  # arm angles [rad], string paid out by each drum [m]
RATES = 1  # of these [rad/s, m/s]
POSE = 2  # four rows: pose of the handle, 4×4 [m]
SPIN = 6  # angular velocity of the handle, three columns [rad/s]
SLACK = 7  # 1: the string hangs through, 0: it is taut; three columns
SAFE = 8  # four rows: last joints at which all fitted together, and the rotation there
VELOCITY = 12  # twist of the handle [m/s, rad/s]
CURRENTS = 13  # [A]
TEMPERATURES = 14  # [°C]
SUPPLY = 15  # first column [V]
LEDGER = 16  # energy that went through, see energy.py [J]
STATE_ROWS = 17

# `work`: what follows from the place, and what one kick needs.
ARMS = 0  # three rows: handle per arm, 3×3 [m/rad]
STRINGS = 3  # three rows: string per rotation, 3×3 [m/rad]
TURNS = 6  # three rows: rotation per string, its inverse [rad/m]
MASS = 9  # six rows: mass matrix along the joints, with no drums in it
SYSTEM = 15  # six rows: mass, drums of taut strings, and dampers
FACTOR = 21  # six rows: its Cholesky factor
LENGTHS = 27  # of the strings, three columns [m]
BEFORE = 28  # rates of arms and strings before a kick
AFTER = 29  # and after it
RIGHT = 30  # right side of the system: momentum
LIMITS = 31  # impulses of dry friction
EFFORT = 32  # along the joints, of all but motors, hand and friction [N·m, N]
STOPS = 33  # the part of the stops' efforts that dissipates
HAND = 34  # of the hand
MOTOR = 35  # of the currents
SCRATCH = 36  # weights, rotation vectors, trial solutions
SLOPE = 37  # how a stop's excess grows with the joints
CAUGHT = 38  # 1: the string became taut in this kick, three columns
WORK_ROWS = 39


@kernel
def column_of(table: Floats, rows: int, i: int) -> Vector:
    """A column of the 3×3 matrix that begins in row `rows` of a table."""
    return table[rows, i], table[rows + 1, i], table[rows + 2, i]


@kernel
def row_of(table: Floats, i: int) -> Vector:
    """The first half of a row of a table."""
    return table[i, 0], table[i, 1], table[i, 2]


@kernel
def handle_place(state: Floats) -> Vector:
    """Where the handle is [m]."""
    return state[POSE, 3], state[POSE + 1, 3], state[POSE + 2, 3]


@kernel
def turned_by_handle(state: Floats, a: Vector) -> Vector:
    """A vector of the plate in the axes of the device."""
    x = state[POSE, 0] * a[0] + state[POSE, 1] * a[1] + state[POSE, 2] * a[2]
    y = state[POSE + 1, 0] * a[0] + state[POSE + 1, 1] * a[1] + state[POSE + 1, 2] * a[2]
    return x, y, state[POSE + 2, 0] * a[0] + state[POSE + 2, 1] * a[1] + state[POSE + 2, 2] * a[2]
