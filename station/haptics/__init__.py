"""Forces: from hand and proxy to the wrench on the hand, passive and within the limits of the device.

>>> from station.haptics import HapticRenderer, Inputs
>>> renderer, inputs = HapticRenderer(), Inputs()
>>> inputs.at(0.0, fresh=True)
>>> renderer.tick(inputs).fault
<Fault.NONE: 0>

state.py       what a tick is told, what it remembers, what it answers
settings.py    all that a person can set
tuning.py      the same as kernels read it; gains that glide, switches that ramp
guides.py      guides and attraction zones; pulls.py has their forces
effects.py     forces of all other effects: coupling, stops, singularity, obstacles, contact, compensation, cues
passivity.py   energy at the hand and per cause; methods of stability: observer and controller, energy bounding
limits.py      saturation that keeps direction, heat, slew, power
tick.py        `haptics_tick`, also for other kernels; which inputs are refused; `HapticRenderer`, a tick from Python
from_mad.py    settings and guides from file and device; how stiff a sampled spring may be
manual.py      tables of docs/haptics.md
"""

from __future__ import annotations

from station.devices.parameter import SettingsError
from station.haptics.from_mad import (
    BODIES,
    Gains,
    LimitedBy,
    StiffnessBound,
    body_from_device,
    gains_from_device,
    guides_from_scene,
    method_from,
    settings_from_device,
    stiffness_bound,
)
from station.haptics.guides import AxisGuide, ConeGuide, CurveGuide, Guide, LineGuide, PlaneGuide, PointGuide, Zone
from station.haptics.settings import (
    Body,
    Compensation,
    Contact,
    Coupling,
    Cues,
    HapticSettings,
    Limits,
    Method,
    Obstacles,
    Singularity,
    Stability,
    Stops,
)
from station.haptics.state import Acting, Cause, Cue, Energy, Fault, HapticState, Inputs, Rendered
from station.haptics.tick import HapticRenderer

__all__ = [
    "BODIES",
    "Acting",
    "AxisGuide",
    "Body",
    "Cause",
    "Compensation",
    "ConeGuide",
    "Contact",
    "Coupling",
    "Cue",
    "Cues",
    "CurveGuide",
    "Energy",
    "Fault",
    "Gains",
    "Guide",
    "HapticRenderer",
    "HapticSettings",
    "HapticState",
    "Inputs",
    "LimitedBy",
    "Limits",
    "LineGuide",
    "Method",
    "Obstacles",
    "PlaneGuide",
    "PointGuide",
    "Rendered",
    "SettingsError",
    "Singularity",
    "Stability",
    "StiffnessBound",
    "Stops",
    "Zone",
    "body_from_device",
    "gains_from_device",
    "guides_from_scene",
    "method_from",
    "settings_from_device",
    "stiffness_bound",
]
