"""What a task is: its motion, segments, marks, file, edits and timing. See docs/tasks.md.

model.py    `Task`, `Segment`, `Mark`
hashing.py  what a task is as one number
file.py     task files
binding.py  the scene file and calibration that a task belongs to
joints.py   from driven joints to the whole robot, loops closed
limits.py   limits of scene and arm
clips.py    stretches that can be cut out and put together
edit.py     trim, insert, repeat, smooth, wait, act, label, mark
history.py  undo and redo
retime.py   least time, or a given speed
moving.py   a task that moves with its work-piece
"""

from station.tasks.task.binding import Bound, Calibration, bind, how_to_check, read_calibration, reference_of
from station.tasks.task.errors import EditError, RetimeError, TaskError, TaskFileError, TaskMismatchError
from station.tasks.task.file import TaskFile, check_together, load, load_together, save, save_together
from station.tasks.task.hashing import content_hash
from station.tasks.task.history import History
from station.tasks.task.limits import Limits, joint_limits, limits_for
from station.tasks.task.model import Action, Device, Kind, LinkLoss, Mark, Reference, Segment, Task, changed

__all__ = [
    "Action",
    "Bound",
    "Calibration",
    "Device",
    "EditError",
    "History",
    "Kind",
    "Limits",
    "LinkLoss",
    "Mark",
    "Reference",
    "RetimeError",
    "Segment",
    "Task",
    "TaskError",
    "TaskFile",
    "TaskFileError",
    "TaskMismatchError",
    "bind",
    "changed",
    "check_together",
    "content_hash",
    "how_to_check",
    "joint_limits",
    "limits_for",
    "load",
    "load_together",
    "read_calibration",
    "reference_of",
    "save",
    "save_together",
]
