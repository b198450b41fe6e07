"""Rehearsing a task on the virtual robot. See docs/tasks.md.

take.py     what the hand does becomes a task
orders.py   what a person says meanwhile
session.py  a servo without an arm, and the take that comes of it
command.py  `station rehearse`, `station task`
"""

from station.tasks.rehearse.orders import Timed, obey, read_script
from station.tasks.rehearse.session import Rehearsal
from station.tasks.rehearse.take import Take

__all__ = ["Rehearsal", "Take", "Timed", "obey", "read_script"]
