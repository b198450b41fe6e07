"""Robots that cannot do all six, as MAD text: what follows of a hand is shown with them."""

from __future__ import annotations

import math

PRS = """
robot prs {{
  base {{ ori {{ {tilt} 0 0 }} }}
  frame 10 {{ pos {{ 200 0 0 }} ori {{ 0 0 0 }} pred 0 }}
  frame 20 {{ pos {{ -100 {side} 0 }} ori {{ 0 0 120 }} pred 0 }}
  frame 30 {{ pos {{ -100 -{side} 0 }} ori {{ 0 0 240 }} pred 0 }}
  link 1 {{ parameters {{ theta 0 r 50 alpha 0 d 0 }} type prismatic pred 10 limits {{ -50 250 }} }}
  link 2 {{ parameters {{ theta 110 r 0 alpha 90 d 0 }} type revolute pred 1 passive }}
  link 3 {{ parameters {{ theta 70 r 0 alpha 0 d 300 }} type revolute pred 2 passive }}
  link 4 {{ parameters {{ theta 90 r 0 alpha 90 d 0 }} type revolute pred 3 passive }}
  link 5 {{ parameters {{ theta 90 r 0 alpha 90 d 0 }} type revolute pred 4 passive }}
  link 6 {{ parameters {{ theta 0 r 50 alpha 0 d 0 }} type prismatic pred 20 limits {{ -50 250 }} }}
  link 7 {{ parameters {{ theta 110 r 0 alpha 90 d 0 }} type revolute pred 6 passive }}
  link 8 {{ parameters {{ theta 0 r 50 alpha 0 d 0 }} type prismatic pred 30 limits {{ -50 250 }} }}
  link 9 {{ parameters {{ theta 110 r 0 alpha 90 d 0 }} type revolute pred 8 passive }}
  frame 40 {{ pos {{ 0 0 100 }} ori {{ 0 90 0 }} pred 5 }}
  frame 42 {{ pos {{ -50 {reach} 0 }} pred 40 }}
  frame 43 {{ pos {{ -50 -{reach} 0 }} pred 40 }}
  frame 47 {{ pos {{ 300 0 0 }} pred 7 }}
  frame 49 {{ pos {{ 300 0 0 }} pred 9 }}
  ball {{ frame 42 frame 47 }}
  ball {{ frame 43 frame 49 }}
  constraint {{ frame 40 device ( 1 ) {more} }}
}}
"""
SIDE, REACH = 200.0 * math.sin(math.radians(120)), 100.0 * math.sin(math.radians(120))


WRIST = """
robot wrist {{
  base {{ }}
  link 1 {{ parameters {{ theta 0 r 0 alpha 0 d 0 }} type revolute pred 0 limits {{ -170 170 }} }}
  link 2 {{ parameters {{ theta 60 r 0 alpha 90 d 0 }} type revolute pred 1 limits {{ -120 120 }} }}
  link 3 {{ parameters {{ theta 0 r 0 alpha -90 d 0 }} type revolute pred 2 limits {{ -170 170 }} }}
  frame 4 {{ pos {{ 0 0 {tool} }} pred 3 }}
  constraint {{ frame 4 device ( 1 ) {more} }}
}}
"""
PLANAR = """
robot planar {{
  base {{ ori {{ {tilt} 0 0 }} }}
  link 1 {{ parameters {{ theta 30 r 0 alpha 0 d 0 }} type revolute pred 0 }}
  link 2 {{ parameters {{ theta 60 r 0 alpha 0 d 400 }} type revolute pred 1 }}
  {third}
  frame 4 {{ pos {{ 300 0 0 }} pred {last} }}
  constraint {{ frame 4 device ( 1 ) {more} }}
}}
"""
THIRD = "link 3 { parameters { theta -45 r 0 alpha 0 d 350 } type revolute pred 2 }"
ELBOW = """
robot elbow {{
  base {{ }}
  link 1 {{ parameters {{ theta 0 r 300 alpha 0 d 0 }} type revolute pred 0 }}
  link 2 {{ parameters {{ theta 45 r 0 alpha 90 d 0 }} type revolute pred 1 }}
  link 3 {{ parameters {{ theta -80 r 0 alpha 0 d 400 }} type revolute pred 2 }}
  frame 4 {{ pos {{ 350 0 0 }} pred 3 }}
  constraint {{ frame 4 device ( 1 ) {more} }}
}}
"""


def prs(tilt: float = 0.0, more: str = "") -> str:
    """A platform on three slides, rods and ball joints: it goes up and down, tips and tilts. It may stand askew [°]."""
    return _scene(PRS.format(tilt=tilt, side=repr(SIDE), reach=repr(REACH), more=more))


def wrist(tool: float = 80.0, more: str = "") -> str:
    """Three axes through one point, and a tool [mm]."""
    return _scene(WRIST.format(tool=tool, more=more))


def planar(joints: int = 3, tilt: float = 0.0, more: str = "") -> str:
    """Two or three parallel axes; the plane may stand askew [°]."""
    three = joints == 3
    return _scene(PLANAR.format(tilt=tilt, third=THIRD if three else "", last=3 if three else 2, more=more))


def elbow(more: str = "") -> str:
    """An arm without a wrist."""
    return _scene(ELBOW.format(more=more))


def _scene(robot: str) -> str:
    return f"RAFF v2.0 Following\ndevice 1 {{ type spaceball }}\n{robot}"
