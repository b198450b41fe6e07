"""What all caps have in common: they speak only while they are deflected, and silence must not be taken for a hand.

A cap at rest is silent for hours, a deflected one streams. So the driver keeps what was said last and vouches for it,
as long as it may: `newest` gives a sample at every call, made at that call, with the state that holds then. It vouches
no longer (the deflection becomes zero, the buttons count as up, the status LOST) when

- a deflected cap has not streamed for `Patience.deflected`,
- nothing at all, not even an answer to a question, has come for `Patience.silent`,
- the link has ended.

Where buttons can be asked for, they count as up when they have not been confirmed for `Patience.buttons`, and from then
on until the device tells them up: one that is held meanwhile must not look like a fresh press when answers come again.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from firmware_bridge.linked import LinkedDevice
from firmware_bridge.spacemouse.axes import NativeAxes
from station.clock import Clock
from station.devices.device import Capabilities, Floats, Sample
from station.devices.software.deflection import pose_of

NEVER = float("-inf")
FOREVER = float("inf")


class Patience(NamedTuple):
    """For how long a driver vouches for what it was told last [s]."""

    deflected: float
    silent: float = FOREVER
    buttons: float = FOREVER


class CapDevice(LinkedDevice):
    """A cap at the end of a link; a driver fills in `_connect`, `_disconnect`, `_hear` and `_start_anew`."""

    waits_for_motion = False  # whether a stream that broke off must come back before the device is READY again

    def __init__(
        self, url: str, clock: Clock, capabilities: Capabilities, axes: NativeAxes, patience: Patience
    ) -> None:
        super().__init__(url, clock)
        self.capabilities = capabilities
        self.axes = axes
        self.patience = patience
        self._sequence = 0
        self._mute = False  # a stream has broken off and has not come back
        self._forget()

    # For drivers -------------------------------------------------------------------------------------------

    @abstractmethod
    def _hear(self, now: float) -> bool:
        """Take in all that has come, ask what has to be asked; whether the device is known and set up."""

    @abstractmethod
    def _start_anew(self, now: float) -> None:
        """The device has fallen silent: greet it again."""

    def _forget(self) -> None:
        """Nothing is known: at rest, no button down."""
        self._counts = [0.0] * 6
        self._deflection: Floats = np.zeros(6)
        self._moved = [NEVER, NEVER]  # when translation and rotation were told [s]
        self._buttons = 0
        self._doubted = -1 if self.patience.buttons < FOREVER else 0  # bits that count as up until they are told up
        self._pressed = self._alive = NEVER  # [s]

    def _note_motion(self, counts: Sequence[float], now: float, first: int = 0) -> None:
        """The device has told three or six of its axes, from axis `first` on."""
        self._counts[first : first + len(counts)] = counts
        self._deflection = self.axes.deflection(self._counts)
        for half in range(first // 3, (first + len(counts)) // 3):
            self._moved[half] = now
        self._alive = now
        self._mute = False

    def _note_buttons(self, buttons: int, now: float) -> None:
        """The device has told its buttons: bit i for button i of the capabilities."""
        self._doubted &= buttons
        self._buttons = buttons & ~self._doubted & ((1 << len(self.capabilities.buttons)) - 1)
        self._pressed = self._alive = now

    def _note_life(self, now: float) -> None:
        """The device has said something."""
        self._alive = now

    @property
    def _deflected(self) -> bool:
        return any(self._counts)

    def _motion_age(self, now: float) -> float:
        """How long ago a deflected cap has spoken [s]; zero if it is at rest."""
        age = 0.0
        for half in (0, 1):
            if any(self._counts[3 * half : 3 * half + 3]):
                age = max(age, now - self._moved[half])
        return age

    # The hooks of LinkedDevice -----------------------------------------------------------------------------

    def _wake(self) -> None:
        """Nothing: a greeting takes its own time."""

    def _send(self, wrench: Floats) -> None:
        """Nothing: it cannot push."""

    def _receive(self, now: float) -> Sample | None:
        if not self._hear(now) or self._mute:
            return None
        reason = self._cannot_vouch(now)
        if reason:
            self._mute = self.waits_for_motion and self._deflected
            self._forget()
            self._lose(reason)
            self._start_anew(now)
            return None
        if now - self._pressed > self.patience.buttons:
            self._doubted |= self._buttons
            self._buttons = 0
        self._sequence += 1
        pose = pose_of(self._deflection)
        return Sample(pose, np.zeros(6), self._buttons, 0.0, now, now, self._sequence)

    def _cannot_vouch(self, now: float) -> str:
        age = self._motion_age(now)
        if age > self.patience.deflected:
            return f"{self.url}: the deflected cap was silent for {1000.0 * age:.0f} ms; let go of it, then go on"
        silent = now - self._alive
        if silent > self.patience.silent:
            return f"{self.url}: no answer for {1000.0 * silent:.0f} ms; is the cable in?"
        return ""
