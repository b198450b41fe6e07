"""The clockwork of the servo: ticks on time, counted, and real-time scheduling where the system allows it.

state       what a tick consists of and what is measured; the clockwork's numbers as one record
clock       what time it is, and sleep, inside kernels
pace        keeping to the grid of ticks, in kernels and as `Pace`
statistics  counting ticks: histograms, late ones and what they are due to
realtime    becoming a real-time process
machine     whether this machine is fit for a servo
libc        what Python does not offer of the system
"""

from station.servo.pacing.pace import Pace
from station.servo.pacing.realtime import Note, RealTime, RealTimeSettings, real_time
from station.servo.pacing.state import PERCENTILES, Measure, PaceState, Stage
from station.servo.pacing.statistics import Bar, Spread, TickStatistics

__all__ = [
    "PERCENTILES",
    "Bar",
    "Measure",
    "Note",
    "Pace",
    "PaceState",
    "RealTime",
    "RealTimeSettings",
    "Spread",
    "Stage",
    "TickStatistics",
    "real_time",
]
