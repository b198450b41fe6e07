"""Bilateral links with delay: measured forces back to the hand, passive whatever the network does.

>>> from station.bilateral import ArmEnd, BilateralSettings, HandEnd
>>> settings = BilateralSettings(two_port=True)
>>> hand, arm = HandEnd(settings), ArmEnd(settings)
>>> _ = hand.tick(0.0, [0.0] * 6, [0.0] * 6)
>>> arm.take(hand.packet, 0.02)
True
"""

from __future__ import annotations

from station.bilateral.ends import ArmEnd, End, HandEnd
from station.bilateral.packet import PACKET_BYTES, from_bytes, to_bytes
from station.bilateral.results import BilateralStatus, LinkCounts, PortEnergy
from station.bilateral.settings import Architecture, BilateralMethod, BilateralSettings
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
    "LinkCounts",
    "PortEnergy",
    "SettingsError",
    "from_bytes",
    "to_bytes",
]
