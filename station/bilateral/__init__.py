"""Bilateral links with delay: measured forces back to the hand, passive whatever the network does.

    settings.py   what can be set, and the same as kernels read it
    packet.py     what the ends say to each other, as bytes, and which packets are taken
    state.py      what they are told, know and tell
    port.py       what both do: time, filters, wave variables
    hand.py       the end at the hand, alone and in a station
    arm.py        the end at the arm
    ends.py       both for Python
    from_mad.py   settings from a scene
    manual.py     the table of docs/bilateral.md

>>> from station.bilateral import ArmEnd, BilateralSettings, HandEnd
>>> settings = BilateralSettings(two_port=True)
>>> hand, arm = HandEnd(settings), ArmEnd(settings)
>>> _ = hand.tick(0.0, [0.0] * 6, [0.0] * 6)
>>> arm.take(hand.packet, 0.02)
True
"""

from __future__ import annotations

from station.bilateral.ends import ArmEnd, End, HandEnd
from station.bilateral.packet import PACKET_BYTES, Packet, from_bytes, to_bytes
from station.bilateral.settings import Architecture, BilateralMethod, BilateralSettings, LinkArchitecture, LinkMethod
from station.bilateral.state import BilateralStatus, LinkCounts, PortEnergy
from station.devices.parameter import SettingsError

__all__ = [
    "PACKET_BYTES",
    "Architecture",
    "ArmEnd",
    "BilateralMethod",
    "BilateralSettings",
    "BilateralStatus",
    "End",
    "HandEnd",
    "LinkArchitecture",
    "LinkCounts",
    "LinkMethod",
    "Packet",
    "PortEnergy",
    "SettingsError",
    "from_bytes",
    "to_bytes",
]
