"""A task in the picture: its path in colours, what a check has found on it, and where the robot is at a time.

shown.py   what is shown, as plain numbers: whoever knows tasks makes it
path.py    `TaskPath`: the path in a scene; takes its time to load
"""

from station.view.task.shown import ReadTask, ShownFinding, ShownMark, ShownSegment, ShownTask

__all__ = ["ReadTask", "ShownFinding", "ShownMark", "ShownSegment", "ShownTask"]
