"""`HandEnd` and `ArmEnd`: the two ends of a bilateral link; thin classes over the kernels."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from station.bilateral.kernels import layout as at
from station.bilateral.kernels.arm import arm_tick
from station.bilateral.kernels.hand import hand_tick
from station.bilateral.kernels.layout import Floats
from station.bilateral.kernels.packets import take_packet
from station.bilateral.packet import from_bytes, to_bytes
from station.bilateral.packing import packed
from station.bilateral.results import BilateralStatus, LinkCounts, PortEnergy
from station.bilateral.settings import BilateralSettings


class End:
    """What both ends have in common. Neither method waits or raises."""

    def __init__(self, settings: BilateralSettings | None = None) -> None:
        self._settings = settings or BilateralSettings()
        self.numbers: Floats = packed(self._settings)
        self.state: Floats = np.zeros(at.STATE_SIZE)
        self.inputs: Floats = np.zeros(at.INPUTS_SIZE)
        self.packet: Floats = np.zeros(at.PACKET_SIZE)  # to be sent after a tick
        self.place = self.inputs[at.OWN_PLACE : at.OWN_PLACE + 6]
        self.force = self.inputs[at.OWN_FORCE : at.OWN_FORCE + 6]

    @property
    def settings(self) -> BilateralSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: BilateralSettings) -> None:
        """Use other settings from the next tick on; another method begins with new books."""
        if settings.method is not self._settings.method or settings.architecture is not self._settings.architecture:
            self.reset()
        self._settings = settings
        self.numbers[:] = packed(settings)

    def reset(self) -> None:
        """Forget all that was. The other end has to do the same."""
        self.state[:] = 0.0

    def take(self, packet: Floats, now: float) -> bool:
        """Take a packet of the other end that came in at `now` [s]; False: it made no sense, or was not the newest."""
        return packet.shape == (at.PACKET_SIZE,) and bool(take_packet(self.state, packet, now))

    def take_bytes(self, data: bytes, now: float) -> bool:
        """The same of bytes."""
        packet = from_bytes(data)
        if packet is None:
            self.state[at.REFUSED] += 1.0
            return False
        return self.take(packet, now)

    @property
    def packet_bytes(self) -> bytes:
        """The packet of the last tick as bytes."""
        return to_bytes(self.packet)

    @property
    def status(self) -> BilateralStatus:
        """As of the last tick."""
        return BilateralStatus(int(self.state[at.STATUS]))

    @property
    def energy(self) -> PortEnergy:
        """Of the own port [J]."""
        into, out_of, available = (float(self.state[place]) for place in (at.INTO, at.OUT_OF, at.AVAILABLE))
        return PortEnergy(into, out_of, available)

    @property
    def counts(self) -> LinkCounts:
        """What became of packets."""
        state = self.state
        heard, lost, late, refused = (
            int(state[place]) for place in (at.HEARD + at.SEQUENCE, at.LOST, at.LATE, at.REFUSED)
        )
        return LinkCounts(heard, lost, late, refused)

    @property
    def round_trip(self) -> float:
        """From a packet of this end to the first that was sent knowing it [s]; NaN until known."""
        echo = self.state[at.HEARD + at.ECHO]
        known = self.state[at.HAS_HEARD] == 1.0 and echo >= 0.0
        return float(self.state[at.HEARD_AT] - echo) if known else math.nan

    def silence(self, now: float) -> float:
        """Since the newest packet came in [s]."""
        return float(now - self.state[at.HEARD_AT]) if self.state[at.HAS_HEARD] == 1.0 else math.inf


class HandEnd(End):
    """The end at the hand: `tick` gives the force on it [N, N·m]."""

    def __init__(self, settings: BilateralSettings | None = None) -> None:
        super().__init__(settings)
        self.wrench: Floats = np.zeros(6)

    def tick(self, now: float, place: ArrayLike, acted: ArrayLike) -> Floats:
        """One tick at `now` [s]: where the hand is [m, rad], and what of this link acted on it since the last tick."""
        self.inputs[at.NOW] = now
        self.place[:], self.force[:] = place, acted
        hand_tick(self.state, self.numbers, self.inputs, self.wrench, self.packet)
        return self.wrench

    def take_measurement(self, sequence: int, time: float, now: float, force: Floats, place: Floats) -> bool:
        """Without an end at the arm: what a plain controller measured, as the hand is to feel it, axes of the hand."""
        packet = self._measured = getattr(self, "_measured", np.zeros(at.PACKET_SIZE))
        packet[at.SEQUENCE], packet[at.TIME], packet[at.ECHO] = sequence, time, at.NO_ECHO
        packet[at.FORCE : at.FORCE + 6] = force
        packet[at.FORCE : at.FORCE + 6] *= self._settings.force_scale
        packet[at.PLACE : at.PLACE + 6] = place
        return bool(take_packet(self.state, packet, now))


class ArmEnd(End):
    """The end at the arm: `tick` gives where the arm is to be [m, rad]."""

    def __init__(self, settings: BilateralSettings | None = None) -> None:
        super().__init__(settings)
        self.reference: Floats = np.zeros(6)

    def tick(self, now: float, place: ArrayLike, force: ArrayLike) -> Floats:
        """One tick at `now` [s]: where the arm is [m, rad], and what is measured on its tool [N, N·m]."""
        self.inputs[at.NOW] = now
        self.place[:], self.force[:] = place, force
        arm_tick(self.state, self.numbers, self.inputs, self.reference, self.packet)
        return self.reference

    @property
    def drift(self) -> tuple[float, float]:
        """How far the arm is told to be from where the hand was [m], [rad]."""
        return float(self.state[at.DRIFT]), float(self.state[at.DRIFT + 1])
