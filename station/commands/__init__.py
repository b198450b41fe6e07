"""Commands of the `station` program that belong to no package alone; what they need is loaded when they are called.

scenes.py      check, convert            kinematics.py  fk, ik
devices.py     devices, emulate, keys    running.py     run, park, release
machine.py     doctor, bench, tour       options.py     what they have in common
"""
