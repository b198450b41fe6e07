"""Compiled inner loops of the syntaxer: closed forms on three numbers at a time, no arrays made inside.

layout.py    what the columns of the constant arrays mean
vectors.py   vectors as tuples, 3×3 inverse, turning
delta.py     translation stage: where it is, which way back, how it moves
statics.py   what the weight asks of the arms
paramat.py   rotation stage: strings, rotations, stiffness
hot.py       one call per tick each way: counts → pose, wrench → currents
survey.py    the translation stage at many places
"""
