"""Timing: clock offset, drift and delay of a link, and when within a period it samples, from one motion seen twice."""

from calibration.timing.aligning import Alignment, TimingModel, align
from calibration.timing.clocks import Clocks, Messages, compare_clocks
from calibration.timing.link import LinkTiming, link_timing, swing, time_link
from calibration.timing.sampling import Sampling
from calibration.timing.signals import Signal

__all__ = [
    "Alignment",
    "Clocks",
    "LinkTiming",
    "Messages",
    "Sampling",
    "Signal",
    "TimingModel",
    "align",
    "compare_clocks",
    "link_timing",
    "swing",
    "time_link",
]
