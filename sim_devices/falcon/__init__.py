"""An emulated Novint Falcon on an emulated USB: the real driver talks to it through the real pyusb.

chip.py       the USB serial chip: baud rates, latency timer, status bytes
board.py      boot loader
firmware.py   what the firmware does with a request
encoders.py   counters, homing and what goes wrong with them
body.py       three legs, mass, friction, motors, gravity, and the hand that holds it
plug.py       the device on the bus
emulator.py   `FalconEmulator`: all of it together
"""

from sim_devices.falcon.body import Body, Hand
from sim_devices.falcon.emulator import FalconEmulator

__all__ = ["Body", "FalconEmulator", "Hand"]
