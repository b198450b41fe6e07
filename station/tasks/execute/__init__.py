"""Executing a verified task. See docs/tasks.md.

settings.py  tubes, forces, times
words.py     states, progress, happenings
prepare.py   from a file and an arm to a player: refuses what was not verified
core.py      what the parts of a player share
motion.py    what setpoint follows, in each state
player.py    `Player`: what a person asks for, one tick after the other
walking.py   a place that moves along a path
arm.py       shaped setpoints and measurements
watch.py     force and tube
place.py     where the tool is
tooling.py   what a task asks of a tool
hand.py      the hand takes over, and feels what holds it back
gripper.py   a gripping tool does what a task asks
showing.py   an execution as others see it, and record it
together.py  `Together`: several arms along a task of several robots
orders.py    what a person orders, by keys or over a link
ahead/       over a link with delay and loss
command.py   `station execute`; keyboard.py: its keys
"""

from station.tasks.execute.hand import HandLead
from station.tasks.execute.player import Player
from station.tasks.execute.prepare import Prepared, accepted, opened, opened_together, player_for
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.together import Together, players_for
from station.tasks.execute.tooling import NoTool, TaskTool
from station.tasks.execute.words import ExecuteError, Happening, Progress, State

__all__ = [
    "ExecuteError",
    "ExecuteSettings",
    "HandLead",
    "Happening",
    "NoTool",
    "Player",
    "Prepared",
    "Progress",
    "State",
    "TaskTool",
    "Together",
    "accepted",
    "opened",
    "opened_together",
    "player_for",
    "players_for",
]
