"""What emulated caps on a serial line have in common: a line with a speed, commands that end with CR, faults."""

from __future__ import annotations

from abc import abstractmethod

from firmware_bridge.spacemouse.axes import NativeAxes
from sim_devices.emulator import Emulator
from sim_devices.ends import End, PtyEnd
from sim_devices.faults import FaultScript, Wire
from sim_devices.spacemouse.hand import CapHand, Motion, PatientHand, hand_of
from station.clock import WALL, Clock

LONGEST_COMMAND = 64  # what a device's buffer holds [bytes]


class SerialCapEmulator(Emulator):
    """A cap on a serial line; a model fills in `_obey` and `_speak`."""

    name: str  # what it is called in addresses
    byte_time: float  # how long one byte is on the line [s]
    axes: NativeAxes

    def __init__(
        self,
        end: End | None = None,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        motion: Motion | CapHand | None = None,
        seed: int = 0,
    ) -> None:
        self.end = PtyEnd(self.name) if end is None else end
        self.hand = hand_of(motion)
        self._now = 0.0  # [s since the start]
        self._free = 0.0  # when the line has sent all [s]
        self._stuck: tuple[int, ...] | None = None
        self._heard = bytearray()
        self._restarting = False
        super().__init__(clock, faults)
        self._wire = Wire(self.faults, seed)
        self._power_up()

    # For models ----------------------------------------------------------------------------------------------

    @abstractmethod
    def _power_up(self) -> None:
        """All settings as after switching on."""

    @abstractmethod
    def _obey(self, command: bytes) -> None:
        """Do as a command says; it comes without its CR."""

    @abstractmethod
    def _speak(self) -> None:
        """Say what has to be said without being asked."""

    def _say(self, record: bytes) -> None:
        """Put bytes on the line, behind those that are still being sent."""
        self._free = max(self._free, self._now) + len(record) * self.byte_time
        self._wire.put(record, self._free)

    def _counts(self) -> tuple[int, ...]:
        """Where the cap is now."""
        counts: tuple[int, ...] = self.axes.counts(self.hand.deflection(self._now))
        stuck = self.faults.active("stuck-encoder")
        if stuck is None:
            self._stuck = None
            return counts
        if self._stuck is None:
            self._stuck = counts
        axis = int(stuck["axis"]) % 6
        return (*counts[:axis], self._stuck[axis], *counts[axis + 1 :])

    # What any emulator does ------------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """URL to open it by."""
        return f"serial:{self.end.name}?device={self.name}"

    @property
    def signals(self) -> dict[str, float]:
        """Quantities that faults can depend on: t [s] and the six deflections, -1 to 1."""
        shares = self.hand.deflection(self._now)
        return {"t": self._now, **dict(zip(("x", "y", "z", "rx", "ry", "rz"), shares, strict=True))}

    def _step(self, now: float) -> None:
        self._now = now
        if self._is_cut_off():
            return
        heard = self.end.read()
        if self.faults.active("deaf") is None:
            self._listen(heard)
        self._speak()
        for record in self._wire.take(now):
            self.end.write(record)

    def _is_cut_off(self) -> bool:
        """Whether it is unplugged, without power or just starting again."""
        active = self.faults.active
        out = active("unplug") is not None
        if out == self.end.plugged:
            if out:
                self.end.unplug()
            else:
                self.end.plug()
        off = out or active("brown-out") is not None or active("restart") is not None
        if off:
            self._restarting = True
            self.end.read()
            self._wire.clear()
        elif self._restarting:
            self._restarting = False
            self._power_up()
        return off

    def _listen(self, heard: bytes) -> None:
        for byte in heard:
            if byte == 0x0D:
                command = bytes(self._heard)
                self._heard.clear()
                if command:
                    if isinstance(self.hand, PatientHand):
                        self.hand.hear(self._now)
                    self._obey(command)
            elif len(self._heard) < LONGEST_COMMAND:
                self._heard.append(byte)

    def _release(self) -> None:
        self.end.close()
