"""Compile the inner loops of the emulated arm ahead of time: `python -m sim_devices.arm.warm`."""

from __future__ import annotations

import sys

from sim_devices.arm.kernels.cache import kernel
from sim_devices.arm.machine import ArmState
from sim_devices.arm.world import emulated_arm
from station import mad

# A slider and another that follows it through a loop: every loop of the controller runs.
PAIR = """RAFF v2.0 Warm robot warm { base { }
  link 1 { parameters { 0 100 0 0 }   type prismatic pred 0 limits { 0 400 } }
  link 2 { parameters { 0 100 0 100 } type prismatic pred 0 passive }
  frame 3 { pred 1 }  frame 4 { pos { -100 0 0 } pred 2 }
  constraint { frame 3 frame 4 } }"""

COLD = "compiling the emulated arm for this machine (once, some seconds) …"


def announce_if_cold() -> None:
    """Say that the first use takes a while."""
    if kernel.is_cold:
        sys.stderr.write(COLD + "\n")
        sys.stderr.flush()


def warm_up() -> None:
    """Use everything once."""
    arm = emulated_arm(mad.loads(PAIR))
    for tick in range(30):
        arm.advance(0.001 * tick)
        if arm.activate():
            arm.setpoint(arm.reading().q, None, None, tick)
    assert arm.state is ArmState.ACTIVE
    kernel.mark_warm()


if __name__ == "__main__":
    announce_if_cold()
    warm_up()
