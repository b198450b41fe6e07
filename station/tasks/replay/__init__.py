"""Replays: a recorded run shown again, as shared state that a dashboard or a view follows like that of a servo.

ticks.py    `Ticks`: records of the ring, from a recording
player.py   `Player`: shows them at their own pace, or another; pause and seek
"""

from station.tasks.replay.player import Player
from station.tasks.replay.ticks import Ticks

__all__ = ["Player", "Ticks"]
