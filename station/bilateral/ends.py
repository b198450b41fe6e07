"""`HandEnd` and `ArmEnd`: the two ends of a bilateral link; thin classes over the kernels."""

from __future__ import annotations

import math
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from station.bilateral.arm import arm_tick
from station.bilateral.hand import hand_tick
from station.bilateral.packet import PACKET_BYTES, PACKET_NUMBERS, Packet, take_packet, to_bytes
from station.bilateral.settings import BilateralSettings, numbers_of
from station.bilateral.state import (
    ArmState,
    BilateralStatus,
    EndInputs,
    EndState,
    HandState,
    LinkCounts,
    PortEnergy,
)
from station.kernel import Floats

State = TypeVar("State", bound=EndState)


class End(Generic[State]):
    """What both ends have in common. Neither method waits or raises."""

    def __init__(self, settings: BilateralSettings | None, state: State) -> None:
        self._settings = settings or BilateralSettings()
        self.numbers = numbers_of(self._settings)  # for kernels
        self.state = state
        self._new = state.copy()
        self.inputs = EndInputs()
        self.packet = Packet()  # to be sent after a tick
        self.packet_numbers = self.packet.numbers  # the same, as they travel
        self._arrived = Packet()
        self._arrived_numbers = self._arrived.numbers

    @property
    def settings(self) -> BilateralSettings:
        """What is set; change it with `change`."""
        return self._settings

    def change(self, settings: BilateralSettings) -> None:
        """Use other settings from the next tick on; another method begins with new books."""
        if settings.method is not self._settings.method or settings.architecture is not self._settings.architecture:
            self.reset()
        self._settings = settings
        self.numbers.take(numbers_of(settings))

    def reset(self) -> None:
        """Forget all that was. The other end has to do the same."""
        self.state.take(self._new)

    def take(self, packet: Packet, now: float) -> bool:
        """Take a packet of the other end that came in at `now` [s]; False: it made no sense, or was not the newest."""
        return bool(take_packet(self.state.heard, packet, now))

    def arrived(self, numbers: Floats) -> Packet | None:
        """The packet that came as numbers, good until the next one comes; None if they are more or fewer."""
        if numbers.shape != (PACKET_NUMBERS,):
            return None
        self._arrived_numbers[:] = numbers
        return self._arrived

    def take_numbers(self, numbers: Floats, now: float) -> bool:
        """The same as `take` of numbers, as they travel."""
        packet = self.arrived(numbers)
        return packet is not None and self.take(packet, now)

    def take_bytes(self, data: bytes, now: float) -> bool:
        """The same of bytes."""
        if len(data) != PACKET_BYTES:
            self.state.heard.refused += 1
            return False
        return self.take_numbers(np.frombuffer(data, "<f8"), now)

    @property
    def packet_bytes(self) -> bytes:
        """The packet of the last tick as bytes."""
        return to_bytes(self.packet)

    @property
    def status(self) -> BilateralStatus:
        """As of the last tick."""
        return self.state.status

    @property
    def energy(self) -> PortEnergy:
        """Of the own port [J]."""
        books = self.state.books
        return PortEnergy(books.into, books.out_of, books.available)

    @property
    def counts(self) -> LinkCounts:
        """What became of packets."""
        heard = self.state.heard
        return LinkCounts(int(heard.packet.sequence), heard.lost, heard.late, heard.refused)

    @property
    def round_trip(self) -> float:
        """From a packet of this end to the first that was sent knowing it [s]; NaN until known."""
        heard = self.state.heard
        return heard.at - heard.packet.echo if heard.anything and heard.packet.echo >= 0.0 else math.nan

    def silence(self, now: float) -> float:
        """Since the newest packet came in [s]."""
        heard = self.state.heard
        return now - heard.at if heard.anything else math.inf


class HandEnd(End[HandState]):
    """The end at the hand: `tick` gives the force on it [N, N·m]."""

    def __init__(self, settings: BilateralSettings | None = None) -> None:
        super().__init__(settings, HandState())
        self.wrench: Floats = np.zeros(6)

    def tick(self, now: float, place: ArrayLike, acted: ArrayLike) -> Floats:
        """One tick at `now` [s]: where the hand is [m, rad], and what of this link acted on it since the last tick."""
        inputs = self.inputs
        inputs.now = now
        inputs.place[:], inputs.force[:] = place, acted
        hand_tick(self.state, self.numbers, inputs, self.wrench, self.packet)
        return self.wrench


class ArmEnd(End[ArmState]):
    """The end at the arm: `tick` gives where the arm is to be [m, rad]."""

    def __init__(self, settings: BilateralSettings | None = None) -> None:
        super().__init__(settings, ArmState())
        self.reference: Floats = np.zeros(6)

    def tick(self, now: float, place: ArrayLike, force: ArrayLike) -> Floats:
        """One tick at `now` [s]: where the arm is [m, rad], and what is measured on its tool [N, N·m]."""
        inputs = self.inputs
        inputs.now = now
        inputs.place[:], inputs.force[:] = place, force
        arm_tick(self.state, self.numbers, inputs, self.reference, self.packet)
        return self.reference

    @property
    def drift(self) -> tuple[float, float]:
        """How far the arm is told to be from where the hand was [m], [rad]."""
        return self.state.drift, self.state.turn_drift
