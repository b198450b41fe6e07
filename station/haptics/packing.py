"""Settings as the numbers that kernels read."""

from __future__ import annotations

import numpy as np

from station.haptics.kernels import layout as at
from station.haptics.kernels.layout import Floats
from station.haptics.settings import HapticSettings, Method

_METHODS = {Method.COUPLING_ONLY: at.COUPLING_ONLY, Method.OBSERVER: at.OBSERVER, Method.BOUNDING: at.BOUNDING}


def packed(settings: HapticSettings) -> Floats:
    """All settings in one array; `kernels/layout.py` says where."""
    numbers = np.zeros(at.SETTINGS_SIZE)

    def put(start: int, *values: float) -> None:
        numbers[start : start + len(values)] = values

    coupling, contact, compensation, cues = settings.coupling, settings.contact, settings.compensation, settings.cues
    stops, singularity, obstacles = settings.stops, settings.singularity, settings.obstacles
    body, stability, limits = settings.body, settings.stability, settings.limits
    switches = (coupling.on, stops.on, singularity.on, obstacles.on, settings.guides, settings.zones)
    put(at.SWITCH, *switches, contact.on, compensation.on, cues.on, settings.device_walls)
    # A device that cannot push at all has all effects, of which its limits let nothing through: they are shown.
    put(at.ACTUATED, *(1.0 if force > 0.0 or not any(limits.for_long) else 0.0 for force in limits.for_long))
    put(at.STIFFNESS, coupling.stiffness, coupling.turn_stiffness, coupling.damping, coupling.turn_damping)
    for start, law in ((at.STOP, stops), (at.SINGULAR, singularity), (at.OBSTACLE, obstacles)):
        put(start, law.stiffness, law.damping, law.range, law.force)
    put(at.SLOW, obstacles.stop_at, obstacles.slow_from)
    put(at.CONTACT_SCALE, contact.scale, contact.cutoff, contact.fresh, contact.stale, contact.force)
    put(at.MASS, body.mass, body.friction, body.damping, body.turn_damping)
    put(at.INERTIA_SHARE, compensation.inertia, compensation.friction, compensation.speed, compensation.force)
    put(at.CUE_FORCE, cues.force, cues.axis)
    put(at.METHOD, _METHODS[stability.method], stability.period)
    put(at.ALLOWANCE, stability.allowance, stability.reserve, stability.forgetting)
    put(at.SPEED_FLOOR, stability.speed_floor, stability.damping_cap, stability.recovery, stability.surprise)
    put(at.RESOLUTION, body.resolution, body.turn_resolution)
    put(at.FOR_LONG, *limits.for_long)
    put(at.PEAK, *limits.peak)
    put(at.WARMING, limits.warming, limits.slew, limits.turn_slew, limits.power)
    put(at.RAMP, limits.ramp, limits.ramp_in, limits.ramp_down, limits.stale_after, limits.force, limits.torque)
    put(at.TRUST, stability.trust, body.delay)
    return numbers
