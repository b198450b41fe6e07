"""`EmulatedServo`: the control table of an X servo with its rules, without the motor."""

from __future__ import annotations

from firmware_bridge.dynamixel import table
from firmware_bridge.dynamixel.packets import ALERT, PacketError
from firmware_bridge.dynamixel.table import DriveMode, HardwareError, Item, Mode

STARTING = 0.3  # that a servo is silent for after a reboot [s]
BY_ADDRESS = {item.address: item for item in table.ITEMS}


class EmulatedServo:
    """One servo on the bus. It is told the time, and what its joint does; it tells goals and torque."""

    def __init__(self, ident: int, model: int = 1020, firmware: int = 46) -> None:
        self.memory = bytearray(table.SIZE)
        for item in table.ITEMS:
            self.put(item, item.initial)
        for item, value in (
            (table.MODEL, model),
            (table.MODEL_INFORMATION, table.EMULATED),
            (table.FIRMWARE, firmware),
            (table.IDENT, ident),
            (table.RETURN_DELAY, 0),
        ):
            self.put(item, value)
        self.silent = False  # a fault: it hears, but does not answer
        self._up_at = float("-inf")  # when it has started [s]
        self._heard = 0.0  # the last instruction [s]
        self._registered: tuple[int, bytes] | None = None
        self._angle = 0.0  # of its joint [rad]

    # Values ----------------------------------------------------------------------------------------------

    def get(self, item: Item) -> int:
        """A value of the table."""
        return item.read(self.memory)

    def put(self, item: Item, value: int) -> None:
        """Set a value of the table, whatever its rules."""
        self.memory[item.address : item.address + item.size] = item.pack(value)

    @property
    def ident(self) -> int:
        """Its number on the bus."""
        return self.get(table.IDENT)

    @property
    def torque(self) -> bool:
        """Whether the motor is on."""
        return bool(self.get(table.TORQUE))

    @property
    def tripped(self) -> bool:
        """Whether its watchdog has spoken."""
        return self.get(table.BUS_WATCHDOG) == table.WATCHDOG_TRIPPED

    @property
    def error(self) -> int:
        """What goes into every answer: the alert bit while there is a hardware error."""
        return ALERT if self.get(table.HARDWARE_ERROR) else 0

    def is_up(self, now: float) -> bool:
        """Whether it has started by `now` [s]."""
        return now >= self._up_at

    def answers_at(self, now: float) -> bool:
        """Whether it can answer at `now` [s]."""
        return not self.silent and self.is_up(now)

    # The joint -------------------------------------------------------------------------------------------

    @property
    def _sign(self) -> int:
        return -1 if self.get(table.DRIVE_MODE) & DriveMode.REVERSE else 1

    def angle(self, position: int) -> float:
        """Where the joint is at a position [rad]."""
        return self._sign * (position - table.CENTRE - self.get(table.HOMING)) * table.RADIANS

    def position(self, angle: float) -> int:
        """The position at which the joint is there [rad]."""
        counts = round(self._sign * angle / table.RADIANS) + table.CENTRE + self.get(table.HOMING)
        return counts % table.TURN if self.get(table.OPERATING_MODE) == Mode.POSITION else counts

    def sense(self, angle: float, speed: float, current: float, time: float) -> None:
        """What the joint does [rad, rad/s, A], and the servo's own time [s]."""
        self._angle = angle
        model = table.MODELS.get(self.get(table.MODEL))
        units = round(self._sign * current / model.ampere) if model is not None and model.ampere else 0
        self.put(table.PRESENT_POSITION, self.position(angle))
        self.put(table.PRESENT_VELOCITY, round(self._sign * speed / table.SPEED))
        self.put(table.PRESENT_CURRENT, max(-32768, min(32767, units)))
        self.put(table.TICK, int(1000.0 * time) % table.TICKS)
        self.put(table.MOVING, int(abs(speed / table.SPEED) > self.get(table.MOVING_THRESHOLD)))

    def plan(self, angle: float, speed: float) -> None:
        """Where the profile of its motion stands [rad, rad/s]."""
        self.put(table.POSITION_TRAJECTORY, self.position(angle))
        self.put(table.VELOCITY_TRAJECTORY, round(self._sign * speed / table.SPEED))

    # Time ------------------------------------------------------------------------------------------------

    def hear(self, now: float) -> None:
        """An instruction for it, or for all, came in at `now` [s]."""
        self._heard = now

    def watch(self, now: float) -> None:
        """Its bus watchdog, at `now` [s]."""
        units = self.get(table.BUS_WATCHDOG)
        if units > 0 and self.torque and now - self._heard > units * table.WATCHDOG_UNIT:
            self.put(table.BUS_WATCHDOG, table.WATCHDOG_TRIPPED)

    def reboot(self, now: float) -> None:
        """Start anew: EEPROM stays, the rest is as it was first; the torque is off."""
        for item in table.ITEMS:
            if item.address >= table.EEPROM_END:
                self.put(item, item.initial)
        self._registered = None
        self._up_at = now + STARTING
        self.put(table.GOAL_POSITION, self.position(self._angle))

    def fail(self, error: HardwareError) -> None:
        """A hardware error; it shuts down if it is told to for this one."""
        self.put(table.HARDWARE_ERROR, self.get(table.HARDWARE_ERROR) | error)
        if self.get(table.SHUTDOWN) & error:
            self.put(table.TORQUE, 0)

    # What instructions do --------------------------------------------------------------------------------

    def read(self, address: int, size: int) -> tuple[int, bytes]:
        """Error and bytes of a read."""
        if size == 0 or address + size > table.SIZE:
            return PacketError.RANGE, b""
        return 0, bytes(self.memory[address : address + size])

    def write(self, address: int, data: bytes) -> PacketError:
        """Write all values that `data` covers, or none."""
        wanted: list[tuple[Item, int]] = []
        at = 0
        while at < len(data):
            item = BY_ADDRESS.get(address + at)
            if item is None:
                return PacketError.ACCESS
            if at + item.size > len(data):
                return PacketError.LENGTH
            wanted.append((item, int.from_bytes(data[at : at + item.size], "little", signed=item.signed)))
            at += item.size
        for item, value in wanted:
            error = self._refuses(item, value)
            if error:
                return error
        for item, value in wanted:
            self._set(item, value)
        return PacketError.NONE if wanted else PacketError.LENGTH

    def register(self, address: int, data: bytes) -> None:
        """Keep a write until it is called for."""
        self._registered = (address, data)
        self.put(table.REGISTERED, 1)

    def act(self) -> PacketError:
        """Do what was registered."""
        if self._registered is None:
            return PacketError.INSTRUCTION
        kept, self._registered = self._registered, None
        self.put(table.REGISTERED, 0)
        return self.write(*kept)

    def _refuses(self, item: Item, value: int) -> PacketError:
        if not item.writable or (item.address < table.EEPROM_END and self.torque):
            return PacketError.ACCESS
        if not item.low <= value <= item.high:
            return PacketError.RANGE
        if item in table.GOALS and self.tripped:
            return PacketError.RANGE
        if item is table.TORQUE and value and self.get(table.HARDWARE_ERROR) & self.get(table.SHUTDOWN):
            return PacketError.ACCESS  # only a reboot helps
        if item is table.OPERATING_MODE and value not in list(Mode):
            return PacketError.RANGE
        return PacketError.LIMIT if self._beyond(item, value) else PacketError.NONE

    def _beyond(self, item: Item, value: int) -> bool:
        """Whether a goal is outside the limits that the servo was given."""
        if item is table.GOAL_POSITION and self.get(table.OPERATING_MODE) == Mode.POSITION:
            return not self.get(table.LOWEST_POSITION) <= value <= self.get(table.HIGHEST_POSITION)
        limit = {table.GOAL_VELOCITY: table.VELOCITY_LIMIT, table.GOAL_CURRENT: table.CURRENT_LIMIT}.get(item)
        return limit is not None and abs(value) > self.get(limit)

    def _set(self, item: Item, value: int) -> None:
        self.put(item, value)
        if item in (table.HOMING, table.DRIVE_MODE, table.OPERATING_MODE):  # where it stands has another number now
            self.put(table.PRESENT_POSITION, self.position(self._angle))
            self.put(table.GOAL_POSITION, self.position(self._angle))
