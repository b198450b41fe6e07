"""`DynamixelArm`: emulated servos at one port. They answer protocol 2.0 to any master."""

from __future__ import annotations

import math
from collections import Counter, deque
from urllib.parse import quote_plus

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.packets import Packet, PacketReader
from firmware_bridge.dynamixel.table import Mode
from sim_devices.arm.machine import ArmMachine
from sim_devices.arm.network import NetworkSettings
from sim_devices.arm_links.emulator import ArmEmulator
from sim_devices.arm_links.serial_line import door_of
from sim_devices.dynamixel.instructions import Instructions
from sim_devices.dynamixel.motion import Motion
from sim_devices.dynamixel.servo import EmulatedServo
from sim_devices.ends import End
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError

GAP = 0.0015  # silence within a packet after which it counts as broken off [s]
LINE = "line"


class DynamixelArm(ArmEmulator):
    """An arm of servos, numbered from 1 in the order of its joints. `fast_reads`: whether the firmware knows them."""

    def __init__(
        self,
        machine: ArmMachine,
        end: End,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
        *,
        fast_reads: bool = True,
    ) -> None:
        try:
            self.servos = _servos_of(machine)
        except ControllerAddressError:
            end.close()
            raise
        super().__init__(machine, clock, faults, network)
        self.end = end
        self._instructions = Instructions(self.servos, fast_reads)
        self._motion = Motion(machine, self.servos)
        self._motion.step(clock.now())
        for servo in self.servos:  # a goal where it stands, as after switching on
            servo.put(table.GOAL_POSITION, servo.get(table.PRESENT_POSITION))
        self._reader, self._heard_at = PacketReader(), 0.0
        self._due: deque[tuple[float, bytes]] = deque()  # answers that wait for their return delay [s]
        self._restarting = False

    @property
    def address(self) -> str:
        """URL to open it by, with the names of the joints."""
        idents = ",".join(str(servo.ident) for servo in self.servos)
        names = quote_plus(",".join(joint.name for joint in self.machine.capabilities.joints), ",")
        return f"dynamixel:{self.end.name}?ids={idents}&names={names}"

    @property
    def refused(self) -> Counter[str]:
        """Why instructions were not carried out, and noise, counted."""
        return self._instructions.refused

    def _doors(self) -> list[int]:
        return door_of(self.end)

    def _has_more(self) -> bool:
        return bool(self._due)

    def _release(self) -> None:
        self.end.close()

    # Time ------------------------------------------------------------------------------------------------

    def _step(self, now: float) -> None:
        moment = self._start + now
        self._next_measurement = now + self.period
        if self.faults or not self.end.plugged:
            self._plug_or_unplug()
        self._restart_if_told(moment)
        heard = self._receive(moment)
        for one in heard:
            replies = self._instructions.answer(one, moment)
            if replies and (one is not heard[-1] or self._due):  # one line for both ways: the master speaks meanwhile
                self.refused["collision"] += 1
                self._due.clear()
            else:
                self._due.extend((moment + delay, data) for delay, data in replies)
        self._motion.step(moment)
        while self._due and self._due[0][0] <= moment + 1e-9:
            self._send(self._due.popleft()[1], moment)
        if self._is_faulty:
            for _, data in self._take("out", moment):
                self.end.write(data)

    def _plug_or_unplug(self) -> None:
        out = self.faults.active("unplug") is not None
        if out and self.end.plugged:
            self.end.unplug()
            self._wires.clear()
        elif not out and not self.end.plugged:
            self.end.plug()

    def _restart_if_told(self, moment: float) -> None:
        told = bool(self.faults) and self.faults.active("restart") is not None
        if told and not self._restarting:
            for servo in self.servos:
                servo.reboot(moment)
        self._restarting = told

    def _receive(self, moment: float) -> list[Packet]:
        data = self.end.read()
        reader = self._reader
        if data and self._is_faulty:
            if not self.faults.active("deaf"):
                self._put("in", LINE, data, moment)
            data = b""
        if self._is_faulty:
            data = b"".join(chunk for _, chunk in self._take("in", moment))
        if reader.pending and moment - self._heard_at > GAP:
            reader.clear()
        if not data:
            return []
        self._heard_at = moment
        found = reader.feed(data)
        self.refused["noise"] += reader.bad
        reader.bad = 0
        return found

    def _send(self, data: bytes, moment: float) -> None:
        if self._is_faulty:
            self._put("out", LINE, data, moment)
        else:
            self.end.write(data)


def _servos_of(machine: ArmMachine) -> tuple[EmulatedServo, ...]:
    """One servo per joint, set up as the joint needs: limits, or several turns where it goes beyond one."""
    servos = []
    for number, joint in enumerate(machine.capabilities.joints, start=1):
        if joint.prismatic:
            raise ControllerAddressError(f"dynamixel: joint {joint.name!r} slides; bus servos turn")
        servo = EmulatedServo(number)
        low, high = joint.low, joint.high
        if joint.speed is not None:
            limit = min(table.VELOCITY_LIMIT.high, max(1, math.ceil(joint.speed / table.SPEED)))
            servo.put(table.VELOCITY_LIMIT, limit)
        if low is None or high is None or low < -math.pi or high > math.pi - table.RADIANS:
            servo.put(table.OPERATING_MODE, Mode.EXTENDED_POSITION)
        else:
            servo.put(table.LOWEST_POSITION, max(0, math.floor(low / table.RADIANS) + table.CENTRE))
            servo.put(table.HIGHEST_POSITION, min(4095, math.ceil(high / table.RADIANS) + table.CENTRE))
        servos.append(servo)
    return tuple(servos)
