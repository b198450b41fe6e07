"""Settings as the numbers that kernels read."""

from __future__ import annotations

import numpy as np

from station.bilateral.kernels import layout as at
from station.bilateral.kernels.layout import Floats
from station.bilateral.settings import Architecture, BilateralMethod, BilateralSettings

METHODS = {
    BilateralMethod.DIRECT: at.DIRECT,
    BilateralMethod.PASSIVITY: at.PASSIVITY,
    BilateralMethod.WAVES: at.WAVE,
}
ARCHITECTURES = {
    Architecture.POSITION_FORCE: at.POSITION_FORCE,
    Architecture.POSITION_POSITION: at.POSITION_POSITION,
    Architecture.FOUR_CHANNEL: at.FOUR_CHANNEL,
}


def packed(settings: BilateralSettings) -> Floats:
    """All settings in one array; `kernels/layout.py` says where."""
    s, numbers = settings, np.zeros(at.SETTINGS_SIZE)

    def put(start: int, *values: float) -> None:
        numbers[start : start + len(values)] = values

    put(at.METHOD, METHODS[s.method], ARCHITECTURES[s.architecture], s.period, 6 if s.turns else 3)
    put(at.ACTIVE, s.active and s.two_port)
    put(at.SENSOR_TIME, s.sensor_time, s.wave_reserve)
    put(at.FORCE_SCALE, s.force_scale, s.position_scale)
    put(at.CUTOFF, s.cutoff, s.fresh, s.old)
    put(at.MOST_FORCE, s.force, s.torque)
    put(at.STIFFNESS, s.stiffness, s.turn_stiffness, s.damping, s.turn_damping)
    shares = {Architecture.POSITION_FORCE: 1.0, Architecture.POSITION_POSITION: 0.0}
    put(at.SHARE, shares.get(s.architecture, s.share))
    put(at.FIRMNESS, s.firmness, s.turn_firmness)
    put(at.ALLOWANCE, s.allowance, s.forgetting, s.damping_cap, s.touch, s.turn_touch)
    put(at.ARM_ALLOWANCE, s.arm_allowance, s.ahead, s.drift_time)
    put(at.MOST_SPEED, s.speed, s.turn_speed, s.retreat)
    put(at.YIELD_TIME, s.yield_time)
    put(at.IMPEDANCE, s.impedance, s.turn_impedance, s.wave_time)
    put(at.CONTACT_DAMPING, s.contact_damping, s.turn_contact_damping, s.contact_time)
    # What a spring of the own coupling holds is known; what is touched may be softer.
    known = s.architecture is Architecture.POSITION_POSITION
    put(at.SOFTEST, s.stiffness if known else min(s.softest, s.stiffness))
    put(at.TURN_SOFTEST, s.turn_stiffness if known else min(s.turn_softest, s.turn_stiffness))
    return numbers
