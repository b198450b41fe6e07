"""Velocity of a hand from quantised positions at uneven times; docs/mapping.md compares the methods.

settings.py   what can be set, and the same as numbers for kernels
history.py    past samples, which may enter, and from them a slope
estimator.py  `velocity_tick` and `VelocityEstimator`
"""

from station.devices.parameter import SettingsError
from station.devices.velocity.estimator import VelocityEstimator
from station.devices.velocity.history import SampleUse
from station.devices.velocity.settings import VelocityMethod, VelocitySettings

__all__ = ["SampleUse", "SettingsError", "VelocityEstimator", "VelocityMethod", "VelocitySettings"]
