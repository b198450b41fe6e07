"""The compiled parts of a tick: plain functions on one table of arrays, no allocation while running.

fields.py       the table: arrays of supervisor, mapping, forces and the tick itself; at.py: the same in kernels
decide.py       `decide`: supervise, map, and say what the solver is to do
feel.py         `feel`: from the solver's step to the wrench on the hand
  hand.py         the predicted robot as the hand feels it: proxy, its speed, forces at the robot
  sensitivity.py  how joints move with the followed frame, loops included
  stops.py        joint stops as the hand feels them
  singularity.py  how near a singularity is, and which way it lies
  obstacles.py    obstacles as the hand feels them
  guides.py       guides of the world, in the frame of the device
  cues.py         which cue to play
show.py         `show_tick`: everything into shared state
"""
