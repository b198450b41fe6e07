"""The arm's end of a serial line: the same messages, stuffed, to and from whoever has the other end."""

from __future__ import annotations

from firmware_bridge.arm.chunks import Unstuffer, stuffed
from firmware_bridge.arm.protocol import Refused, Type
from sim_devices.arm.machine import ArmMachine
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.desk import Desk
from sim_devices.arm_links.emulator import MessageEmulator
from sim_devices.arm_links.seats import Peer
from sim_devices.ends import End, PtyEnd
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock

LINE = "line"  # the one peer
STOP = int(Type.STOP)


class SerialArm(MessageEmulator):
    """An arm at a serial port. It is silent until somebody has said hello."""

    def __init__(
        self,
        machine: ArmMachine,
        end: End,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
    ) -> None:
        super().__init__(machine, clock, faults, network)
        self.end = end
        self.desk = Desk(machine)
        self._unstuffer = Unstuffer()

    @property
    def address(self) -> str:
        """URL of its port."""
        return f"serial:{self.end.name}"

    def _step(self, now: float) -> None:
        if self.faults or not self.end.plugged:
            self._plug_or_unplug()
        super()._step(now)

    def _plug_or_unplug(self) -> None:
        out = self.faults.active("unplug") is not None
        if out and self.end.plugged:
            self.end.unplug()
            self._wires.clear()
        elif not out and not self.end.plugged:
            self.end.plug()

    def _urgent(self, each: bool = False) -> list[tuple[Peer, bytes]]:
        del each  # all are taken anyway
        data = self.end.read()
        if not data:
            return []
        unstuffer = self._unstuffer
        messages = unstuffer.feed(data)
        if unstuffer.torn or unstuffer.too_long:
            self.desk.refused[Refused.TORN] += unstuffer.torn
            self.desk.refused[Refused.OVERSIZED] += unstuffer.too_long
            unstuffer.torn = unstuffer.too_long = 0
        if len(messages) > 1:
            messages.sort(key=lambda message: len(message) < 4 or message[3] != STOP)  # emergency stops first
        return [(LINE, message) for message in messages]

    def _send(self, peer: Peer, data: bytes) -> None:
        del peer
        self.end.write(stuffed(data))

    def _publish(self, data: bytes) -> None:
        if self.desk.seats.sessions:
            self.end.write(stuffed(data))

    def _doors(self) -> list[int]:
        return door_of(self.end)

    def _release(self) -> None:
        self.end.close()


def door_of(end: End) -> list[int]:
    """The file number of a pseudo-terminal, while it is plugged in."""
    return [end._master] if isinstance(end, PtyEnd) and end.plugged else []
