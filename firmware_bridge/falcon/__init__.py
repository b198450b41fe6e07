"""Driver of the Novint Falcon.

frames.py         sixteen bytes ⇄ requests and replies
wire.py           numbers of the USB chip and the boot loader
ftdi.py           the open USB chip
finding.py        which are plugged in; opening one
firmware_file.py  the image of the user
boot.py           boot loader and upload
steps.py          procedures that wait without blocking
conversation.py   question and answer, never an old answer for a new one
orders.py         the newest command, for a short time only
tracker.py        answers → samples
session.py        all of that in order, from finding to losing
running.py        in a thread, or step by step on a virtual clock
driver.py         `Falcon`, the device as the station sees it
opening.py        `open_falcon`
"""

from firmware_bridge.falcon.driver import Falcon
from firmware_bridge.falcon.finding import find_falcons
from firmware_bridge.falcon.opening import open_falcon

__all__ = ["Falcon", "find_falcons", "open_falcon"]
