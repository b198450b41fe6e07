"""Velocity of a hand from quantised positions at uneven times; docs/mapping.md compares the methods.

settings.py   what can be set
estimator.py  `VelocityEstimator`
kernels/      compiled inner loops
"""

from station.devices.parameter import SettingsError
from station.devices.velocity.estimator import SampleUse, VelocityEstimator
from station.devices.velocity.settings import VelocityMethod, VelocitySettings

__all__ = ["SampleUse", "SettingsError", "VelocityEstimator", "VelocityMethod", "VelocitySettings"]
