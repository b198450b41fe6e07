"""The clockwork of the servo: ticks on time, counted, and real-time scheduling where the system allows it."""

from station.servo.pacing.pace import Pace
from station.servo.pacing.realtime import Note, RealTime, RealTimeSettings, real_time
from station.servo.pacing.stages import PERCENTILES, Measure, Stage
from station.servo.pacing.statistics import Bar, Spread, TickStatistics

__all__ = [
    "PERCENTILES",
    "Bar",
    "Measure",
    "Note",
    "Pace",
    "RealTime",
    "RealTimeSettings",
    "Spread",
    "Stage",
    "TickStatistics",
    "real_time",
]
