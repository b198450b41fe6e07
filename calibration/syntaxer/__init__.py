"""Calibration of the syntaxer; see docs/calibration_syntaxer.md.

delta.py        places of the handle, and how they change with every dimension
geometry.py     dimensions from places that a jig or a tracker gives; bar.py: from a bar that closes a loop
plate.py        neutral and gains of the rotation stage
zeros.py        encoder zeros by stops and by a rest jig
motion.py       a driven motion, cut into intervals
torques.py      motor constants, friction and weight of the arms; tensions.py: of the strings
latency.py      from a command to the sample that shows it
plan.py         which place is next; stances.py: places at stops; swings.py: on a bar
tracking.py     what measures the handle from outside
person.py       who does what is asked; emulated.py: at an emulator
bench.py        the real driver, tick by tick
collecting.py   collect; estimating.py: estimate and judge; command.py: the commands
"""
