"""Records that Python and kernels share: the parts of a syntaxer as numbers, and the place where it is. SI units."""

from __future__ import annotations

import math
from enum import IntEnum

from station.devices.syntaxer.geometry import Syntaxer
from station.kernel import Floats1, Floats2, Ints1, Record, field

Vector = tuple[float, float, float]


class PlaceStatus(IntEnum):
    """Whether counts could be understood."""

    OK = 0
    NO_SOLUTION = 1  # no place of the handle fits these arm angles; or the place is out of reach
    BEYOND_SINGULARITY = 2  # fits, but where the device cannot have got
    NO_ROTATION = 3  # no rotation fits these string lengths: a string hangs through or broke
    UNKNOWN = 4  # there were no counts yet

    def __str__(self) -> str:
        return _WORDS[self.value]

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


_WORDS = ("ok", "no solution", "beyond a singularity", "no rotation", "no counts yet")


class Chains(Record):
    """Three arms, each with its pair of bars."""

    cosine: Floats1 = field("", "of the azimuth on the plate", shape=3)
    sine: Floats1 = field("", "of the azimuth on the plate", shape=3)
    reach: Floats1 = field("m", "motor axis from the centre, less bar joint from that of the platform", shape=3)
    arm: Floats1 = field("m", "length", shape=3)
    bar: Floats1 = field("m", "length", shape=3)
    moment: Floats1 = field("kg·m", "mass times distance that turns with the arm, its share of the bars too", shape=3)
    zero: Floats1 = field("rad", "arm angle at the home count", shape=3)
    angle_per_count: Floats1 = field("rad", shape=3)
    torque_per_ampere: Floats1 = field("N·m/A", "at the arm", shape=3)
    motor_low: Floats1 = field("rad", "stop of the arm", shape=3)
    motor_high: Floats1 = field("rad", "stop of the arm", shape=3)
    bar_low: Floats1 = field("rad", "stop of the bars against the arm, in the plane of the arm", shape=3)
    bar_high: Floats1 = field("rad", "stop of the bars against the arm, in the plane of the arm", shape=3)
    sideways: Floats1 = field("rad", "how far the bars lean out of that plane", shape=3)


class Struts(Record):
    """Three strings, each with its coil spring around it."""

    anchor: Floats2 = field("m", "on the platform, from the ball; one row per strut", shape=(3, 3))
    point: Floats2 = field("m", "on the moving plate, from the ball; one row per strut", shape=(3, 3))
    neutral: Floats1 = field("m", "length when the plate is not turned", shape=3)
    spring: Floats1 = field("N/m", "rate", shape=3)
    pretension: Floats1 = field("N", "of the string without current, and push of the spring when neutral", shape=3)
    least: Floats1 = field("N", "tension allowed", shape=3)
    most: Floats1 = field("N", "tension allowed", shape=3)
    length_per_count: Floats1 = field("m", shape=3)
    pull_per_ampere: Floats1 = field("N/A", shape=3)


class Loads(Record):
    """What hangs on the platform."""

    carried: float = field("kg", "moves with the platform, its share of the bars included")
    handle: float = field("kg", "turns with the plate")
    centre: Floats1 = field("m", "where the mass of the handle is, from the ball, on the plate", shape=3)
    gravity: Floats1 = field("m/s²", "device frame", shape=3)
    balancer: Floats1 = field("N", "steady force of a balancer on the platform, device frame", shape=3)


class Parts(Record):
    """A geometry as the kernels take it."""

    chains: Chains
    struts: Struts
    loads: Loads
    home: Ints1 = field("", "counts at the zero of the arms and the neutral length of the strings", shape=6)
    continuous: Floats1 = field("A", "of the six motors, for long", shape=6)
    peak: Floats1 = field("A", "of the six motors, for a moment", shape=6)


class Place(Record):
    """Where the device is, by six counts, and what follows from that."""

    counts: Ints1 = field("", "three arms, three strings", shape=6)
    joints: Floats1 = field("rad, m", "three arm angles, three string lengths", shape=6)
    pose: Floats2 = field("m", "of the handle, device frame", shape=(4, 4))
    arms: Floats2 = field("m/rad", "handle per arm, one column per arm", shape=(3, 3))
    strings: Floats2 = field("m/rad", "string per rotation about fixed axes, one row per string", shape=(3, 3))
    weights: Floats1 = field("N·m, N", "3 torques of the arms, 3 tensions that carry the weight", shape=6)
    status: PlaceStatus
    margin: float = field("", "smallest sine to a singularity")


def parts_of(geometry: Syntaxer) -> Parts:
    """Numbers of the kernels from a geometry."""
    arm, string = geometry.motor, geometry.paramat.motor
    parts = Parts(
        home=geometry.home,
        continuous=[arm.continuous] * 3 + [string.continuous] * 3,
        peak=[arm.peak] * 3 + [string.peak] * 3,
    )
    _fill_chains(parts.chains, geometry)
    _fill_struts(parts.struts, geometry)
    _fill_loads(parts.loads, geometry)
    return parts


def _fill_chains(chains: Chains, geometry: Syntaxer) -> None:
    motor, stops = geometry.motor, geometry.stops
    for i, chain in enumerate(geometry.chains):
        chains.cosine[i], chains.sine[i] = math.cos(chain.azimuth), math.sin(chain.azimuth)
        chains.reach[i] = chain.base_radius - chain.platform_radius
        chains.arm[i], chains.bar[i] = chain.arm, chain.bar
        at_elbow = chain.bar_mass * (1.0 - chain.bar_centre)
        chains.moment[i] = chain.arm_mass * chain.arm_centre + at_elbow * chain.arm
        chains.zero[i] = chain.zero
        chains.angle_per_count[i] = 2.0 * math.pi / (motor.counts * chain.ratio)
        chains.torque_per_ampere[i] = motor.torque_constant * chain.motor_gain * chain.ratio
        chains.motor_low[i], chains.motor_high[i] = stops.motor_low, stops.motor_high
        chains.bar_low[i], chains.bar_high[i] = stops.bar_low, stops.bar_high
        chains.sideways[i] = stops.sideways


def _fill_struts(struts: Struts, geometry: Syntaxer) -> None:
    paramat = geometry.paramat
    for i, strut in enumerate(paramat.struts):
        struts.anchor[i], struts.point[i] = strut.anchor, strut.point
        struts.neutral[i] = strut.neutral
        struts.spring[i], struts.pretension[i] = strut.spring, strut.pretension
        struts.least[i], struts.most[i] = paramat.least_tension, paramat.most_tension
        struts.length_per_count[i] = 2.0 * math.pi * strut.drum_radius / (paramat.motor.counts * strut.ratio)
        torque = paramat.motor.torque_constant * strut.motor_gain * strut.ratio
        struts.pull_per_ampere[i] = torque / strut.drum_radius


def _fill_loads(loads: Loads, geometry: Syntaxer) -> None:
    paramat = geometry.paramat
    on_platform = sum(chain.bar_mass * chain.bar_centre for chain in geometry.chains)
    loads.carried = geometry.platform_mass + paramat.fixed_mass + paramat.handle_mass + on_platform
    loads.handle = paramat.handle_mass
    loads.centre[:], loads.gravity[:], loads.balancer[:] = paramat.handle_centre, geometry.gravity, geometry.balancer
