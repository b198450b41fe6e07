"""A laser tracker that stands beside an emulated arm and sees where its tool truly is, with noise."""

from sim_devices.instrument.settings import TrackerSettings
from sim_devices.instrument.tracker import Tracker, parse_tracker

__all__ = ["Tracker", "TrackerSettings", "parse_tracker"]
