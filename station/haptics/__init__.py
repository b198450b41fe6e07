"""Forces: from hand and proxy to the wrench on the hand, passive and within the limits of the device.

>>> from station.haptics import HapticRenderer, Inputs
>>> renderer, inputs = HapticRenderer(), Inputs()
>>> inputs.at(0.0, fresh=True)
>>> renderer.tick(inputs).fault
<Fault.NONE: 0>
"""

from __future__ import annotations

from station.devices.parameter import SettingsError
from station.haptics.bodies import BODIES, body_from_device
from station.haptics.bounds import LimitedBy, StiffnessBound, stiffness_bound
from station.haptics.effects import Compensation, Contact, Cues, Obstacles, Singularity, Stops
from station.haptics.from_mad import Gains, gains_from_device, method_from, settings_from_device
from station.haptics.guides import AxisGuide, ConeGuide, CurveGuide, Guide, LineGuide, PlaneGuide, PointGuide, Zone
from station.haptics.inputs import Inputs
from station.haptics.renderer import HapticRenderer
from station.haptics.results import Acting, Cause, Cue, Energy, Fault, Rendered
from station.haptics.scene_guides import guides_from_scene
from station.haptics.settings import Body, Coupling, HapticSettings, Limits, Method, Stability

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
