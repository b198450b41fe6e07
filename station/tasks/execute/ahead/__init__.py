"""Execution over a link with delay and loss: the task is sent ahead and runs on the arm's clock. See docs/tasks.md.

messages.py  what is said, with a checksum
far.py       `FarEnd`: beside the arm; keeps the task, leads the arm, acts by itself when nobody is heard
near.py      `NearEnd`: at the station; sends the task and orders until they are confirmed, shows what comes back
links.py     links that messages go over
command.py   `station agent`, and what `station execute --ahead` does
"""

from station.tasks.execute.ahead.far import FarEnd
from station.tasks.execute.ahead.links import Caller, Link, Listener
from station.tasks.execute.ahead.near import NearEnd, Shown

__all__ = ["Caller", "FarEnd", "Link", "Listener", "NearEnd", "Shown"]
