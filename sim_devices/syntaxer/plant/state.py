"""The memory of a plant: what it remembers from one step to the next, and what one step works with.

Joint coordinates are three arm angles [rad] and three string lengths [m]. Efforts are along them [N·m, N].
"""

from __future__ import annotations

from station.devices.syntaxer.state import Vector
from station.kernel import Bools1, Floats1, Floats2, Record, field, kernel
from station.kernel.so3 import applied
from station.kernel.vectors import column


class Ledger(Record):
    """Energy that went through."""

    dissipated: float = field("J", "friction, dampers, stops, strings that were caught")
    motor_work: float = field("J", "of the currents on the mechanics")
    hand_work: float = field("J")
    heat: float = field("J", "of the currents in the windings")


class PlantState(Record):
    """What the plant remembers from one step to the next."""

    joints: Floats1 = field("rad, m", "arm angles, string paid out by each drum", shape=6)
    rates: Floats1 = field("rad/s, m/s", "of these", shape=6)
    pose: Floats2 = field("m", "of the handle", shape=(4, 4))
    spin: Floats1 = field("rad/s", "angular velocity of the handle", shape=3)
    slack: Bools1 = field("", "the string hangs through", shape=3)
    safe_angles: Floats1 = field("rad", "of the arms, the last at which all fitted together", shape=3)
    safe_rotation: Floats2 = field("", "of the handle there", shape=(3, 3))
    velocity: Floats1 = field("m/s, rad/s", "twist of the handle", shape=6)
    currents: Floats1 = field("A", shape=6)
    temperatures: Floats1 = field("°C", shape=6)
    supply: float = field("V")
    ledger: Ledger


class Work(Record):
    """What follows from the place, and what one kick needs."""

    arms: Floats2 = field("m/rad", "handle per arm", shape=(3, 3))
    strings: Floats2 = field("m/rad", "string per rotation", shape=(3, 3))
    turns: Floats2 = field("rad/m", "rotation per string, its inverse", shape=(3, 3))
    mass: Floats2 = field("", "mass matrix along the joints, with no drums in it", shape=(6, 6))
    system: Floats2 = field("", "mass, drums of taut strings, and dampers", shape=(6, 6))
    factor: Floats2 = field("", "its Cholesky factor", shape=(6, 6))
    lengths: Floats1 = field("m", "of the strings", shape=3)
    before: Floats1 = field("rad/s, m/s", "rates of arms and strings before a kick", shape=6)
    after: Floats1 = field("rad/s, m/s", "and after it", shape=6)
    right: Floats1 = field("", "right side of the system: momentum", shape=6)
    limits: Floats1 = field("", "impulses of dry friction", shape=6)
    effort: Floats1 = field("N·m, N", "of all but motors, hand and friction", shape=6)
    stops: Floats1 = field("N·m, N", "the part of the stops' efforts that dissipates", shape=6)
    hand: Floats1 = field("N·m, N", "efforts of the hand", shape=6)
    motor: Floats1 = field("N·m, N", "efforts of the currents", shape=6)
    scratch: Floats1 = field("", "weights, rotation vectors, trial solutions", shape=6)
    slope: Floats1 = field("", "how a stop's excess grows with the joints", shape=6)
    caught: Bools1 = field("", "the string became taut in this kick", shape=3)


class Inputs(Record):
    """What acts on a plant."""

    commanded: Floats1 = field("A", shape=6)
    wrench: Floats1 = field("N, N·m", "of the hand on the handle, at the ball", shape=6)
    brake: bool = field("", "windings are shorted")
    source: float = field("V", "supply without load")


@kernel
def handle_place(state: PlantState) -> Vector:
    """Where the handle is [m]."""
    return column(state.pose, 3)


@kernel
def turned_by_handle(state: PlantState, a: Vector) -> Vector:
    """A vector of the plate in the axes of the device."""
    return applied(state.pose, a)
