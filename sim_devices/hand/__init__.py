"""A scripted hand for emulated devices; see docs/emulators.md, 'The hand'.

script.py     scripts as text
paths.py      places, minimum jerk
moves.py      moves that go somewhere
holding.py    moves that change grip, tremor and buttons
timeline.py   a script laid out in time
attention.py  what is done when the device lets the hand down
arm.py        what an arm feels like, from a loose to a tight grip
tremor.py     8 to 12 Hz
kernels.py    the mass of the arm between its spring and the skin
hand.py       `Hand`
"""

from sim_devices.hand.arm import Arm
from sim_devices.hand.errors import ScriptError
from sim_devices.hand.hand import Hand
from sim_devices.hand.script import default_script, parse_script

__all__ = ["Arm", "Hand", "ScriptError", "default_script", "parse_script"]
