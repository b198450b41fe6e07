"""Who a Modbus arm is: its identity and its joints, read block by block."""

from __future__ import annotations

from firmware_bridge.arm.messages import text_of
from firmware_bridge.arm.modbus.framing import read_request
from firmware_bridge.arm.modbus.registers import (
    ACCELERATION,
    COMBINED,
    EFFORT,
    IDENTITY,
    IDENTITY_AT,
    JERK,
    JOINT,
    JOINT_WORDS,
    JOINTS_AT,
    MAP_VERSION,
    MOST_JOINTS,
    POSITION,
    VELOCITY,
    unlimited,
)
from firmware_bridge.arm.protocol import Able
from station.controllers.controller import Capabilities, ControlledJoint
from station.controllers.errors import ControllerMismatchError

AT_ONCE = 4  # joints of one read: 120 registers


class Introduction:
    """Asks until everything is known. `capabilities` is None before."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.capabilities: Capabilities | None = None
        self.combined = False
        self.boot = 0
        self._identity: tuple[int, ...] | None = None
        self._names: tuple[str, str] = ("", "")
        self._joints: list[ControlledJoint] = []

    def request(self) -> bytes:
        """What to ask next."""
        if self._identity is None:
            return read_request(IDENTITY_AT, IDENTITY.size // 2)
        done = len(self._joints)
        count = min(AT_ONCE, self._identity[1] - done)
        return read_request(JOINTS_AT + done * JOINT_WORDS, count * JOINT_WORDS)

    def heed(self, data: bytes) -> None:
        """An answer; a ControllerMismatchError if this is not an arm that we know how to speak to."""
        if self._identity is None:
            self._read_identity(data)
        else:
            self._read_joints(data)
            if len(self._joints) == self._identity[1]:
                self.capabilities = self._complete(self._identity)

    def _read_identity(self, data: bytes) -> None:
        version = int.from_bytes(data[:2], "big")
        if version != MAP_VERSION:
            raise ControllerMismatchError(
                f"{self._url}: its register map is version {version}, this station knows version {MAP_VERSION}; "
                "update the older of the two"
            )
        if len(data) != IDENTITY.size:
            raise self._nonsense("its identity has another length")
        *numbers, model, serial = IDENTITY.unpack(data)
        if not 1 <= numbers[1] <= MOST_JOINTS or not numbers[2] or not numbers[3]:
            raise self._nonsense(f"{numbers[1]} joints at {numbers[2]} Hz, watchdog {numbers[3]} ms")
        self._identity, self._names = tuple(numbers), (text_of(model), text_of(serial))

    def _nonsense(self, what: str) -> ControllerMismatchError:
        return ControllerMismatchError(f"{self._url}: what answers there is not an arm that we know: {what}")

    def _read_joints(self, data: bytes) -> None:
        if not data or len(data) % JOINT.size:
            raise self._nonsense("its joints have another length")
        for name, prismatic, _, low, high, speed, acceleration, jerk, effort in JOINT.iter_unpack(data):
            self._joints.append(
                ControlledJoint(
                    name=text_of(name),
                    prismatic=bool(prismatic),
                    low=unlimited(low, POSITION),
                    high=unlimited(high, POSITION),
                    speed=unlimited(speed, VELOCITY),
                    acceleration=unlimited(acceleration, ACCELERATION),
                    jerk=unlimited(jerk, JERK),
                    effort=unlimited(effort, EFFORT),
                )
            )

    def _complete(self, identity: tuple[int, ...]) -> Capabilities:
        _, _, rate, watchdog, able, self.boot = identity
        self.combined = bool(able & COMBINED)
        return Capabilities(
            model=self._names[0],
            serial_number=self._names[1],
            joints=tuple(self._joints),
            rate=float(rate),
            watchdog=watchdog / 1000.0,
            takes_velocity=bool(able & Able.TAKES_VELOCITY),
            takes_effort=bool(able & Able.TAKES_EFFORT),
            measures_velocity=bool(able & Able.MEASURES_VELOCITY),
            measures_effort=bool(able & Able.MEASURES_EFFORT),
            measures_wrench=bool(able & Able.MEASURES_WRENCH),
            emulated=bool(able & Able.EMULATED),
        )
