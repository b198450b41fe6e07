"""Compile all kernels ahead of time: `python -m station.mechanism.warm`. Done once; later processes load them."""

from __future__ import annotations

import sys

import numpy as np

from station import mad
from station.mechanism.kernels.cache import kernel
from station.mechanism.mechanism import Contact, Mechanism
from station.mechanism.preference import Preference

COLD = "compiling the solver for this machine (once, about a minute) …"

FOUR_BAR = """RAFF v2.0 Warm robot warm { base { }
  link 1 { parameters { 90 0 0 0 }     type revolute pred 0 speed 100 acceleration 1000 }
  link 2 { parameters { -90 0 0 200 }  type revolute pred 1 }
  link 3 { parameters { 90 0 0 300 }   type revolute pred 0 limits { 0 170 } }
  frame 4 { pos { 300 0 0 } pred 2 }   frame 5 { pos { 200 0 0 } pred 3 }
  constraint { frame 4 frame 5 type revolute } }"""


def announce_if_cold() -> None:
    """Say that the first use takes a while."""
    if kernel.is_cold:
        sys.stderr.write(COLD + "\n")
        sys.stderr.flush()


def warm_up() -> None:
    """Run everything once."""
    arm = Mechanism(mad.loads(FOUR_BAR).robots[0])
    pose, twist = arm.pose(2), np.zeros(6)
    contact = Contact(2, pose[:3, 3], [1.0, 0.0, 0.0], 1.0)
    arm.step({2: pose}, 1e-3, then=[{1: twist}], joints={3: 1.5}, contacts=[contact])
    arm.step({2: twist}, 1e-3, prefer=Preference(centre_rate=1.0))
    arm.step({2: twist}, 1e-3)
    arm.step({2: pose}, 1e-3)
    arm.reach(2, pose)
    kernel.mark_warm()


if __name__ == "__main__":
    announce_if_cold()
    warm_up()
