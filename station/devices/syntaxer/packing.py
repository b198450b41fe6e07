"""A geometry as the constant arrays of the kernels; see `kernels/layout.py` for their columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from station.devices.syntaxer.geometry import Syntaxer
from station.devices.syntaxer.kernels import layout
from station.devices.syntaxer.kernels.layout import Floats, Whole


class Packed(NamedTuple):
    """What the kernels take."""

    chains: Floats
    struts: Floats
    loads: Floats
    home: Whole
    continuous: Floats  # of the six motors [A]
    peak: Floats  # of the six motors [A]


def pack(geometry: Syntaxer) -> Packed:
    """Fill the arrays of the kernels."""
    arm, string = geometry.motor, geometry.paramat.motor
    return Packed(
        _chains(geometry),
        _struts(geometry),
        _loads(geometry),
        np.array(geometry.home, dtype=np.int64),
        np.array([arm.continuous] * 3 + [string.continuous] * 3),
        np.array([arm.peak] * 3 + [string.peak] * 3),
    )


def _chains(geometry: Syntaxer) -> Floats:
    motor, stops = geometry.motor, geometry.stops
    rows = np.zeros((3, layout.CHAIN_COLUMNS))
    for row, chain in zip(rows, geometry.chains, strict=True):
        row[layout.COS], row[layout.SIN] = math.cos(chain.azimuth), math.sin(chain.azimuth)
        row[layout.REACH] = chain.base_radius - chain.platform_radius
        row[layout.ARM], row[layout.BAR] = chain.arm, chain.bar
        at_elbow = chain.bar_mass * (1.0 - chain.bar_centre)
        row[layout.MOMENT] = chain.arm_mass * chain.arm_centre + at_elbow * chain.arm
        row[layout.ZERO] = chain.zero
        row[layout.ANGLE_PER_COUNT] = 2.0 * math.pi / (motor.counts * chain.ratio)
        row[layout.TORQUE_PER_AMPERE] = motor.torque_constant * chain.motor_gain * chain.ratio
        row[layout.MOTOR_LOW], row[layout.MOTOR_HIGH] = stops.motor_low, stops.motor_high
        row[layout.BAR_LOW], row[layout.BAR_HIGH] = stops.bar_low, stops.bar_high
        row[layout.SIDEWAYS] = stops.sideways
    return rows


def _struts(geometry: Syntaxer) -> Floats:
    paramat = geometry.paramat
    rows = np.zeros((3, layout.STRUT_COLUMNS))
    for row, strut in zip(rows, paramat.struts, strict=True):
        row[layout.ANCHOR : layout.ANCHOR + 3] = strut.anchor
        row[layout.POINT : layout.POINT + 3] = strut.point
        row[layout.NEUTRAL] = strut.neutral
        row[layout.SPRING], row[layout.PRETENSION] = strut.spring, strut.pretension
        row[layout.LEAST], row[layout.MOST] = paramat.least_tension, paramat.most_tension
        row[layout.LENGTH_PER_COUNT] = 2.0 * math.pi * strut.drum_radius / (paramat.motor.counts * strut.ratio)
        torque = paramat.motor.torque_constant * strut.motor_gain * strut.ratio
        row[layout.PULL_PER_AMPERE] = torque / strut.drum_radius
    return rows


def _loads(geometry: Syntaxer) -> Floats:
    paramat = geometry.paramat
    loads = np.zeros(layout.LOAD_COLUMNS)
    on_platform = sum(chain.bar_mass * chain.bar_centre for chain in geometry.chains)
    loads[layout.CARRIED] = geometry.platform_mass + paramat.fixed_mass + paramat.handle_mass + on_platform
    loads[layout.HANDLE] = paramat.handle_mass
    loads[layout.CENTRE : layout.CENTRE + 3] = paramat.handle_centre
    loads[layout.GRAVITY : layout.GRAVITY + 3] = geometry.gravity
    loads[layout.BALANCER : layout.BALANCER + 3] = geometry.balancer
    return loads
