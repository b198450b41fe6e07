"""The emulator: bytes in; firmware, plant and hand in small steps; bytes out; faults where hardware has them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from firmware_bridge.firmware.library import Firmware, built_in_identity
from firmware_bridge.syntaxer.frames import Decoder, encode
from firmware_bridge.syntaxer.introduction import numbers_from
from firmware_bridge.syntaxer.messages import ForeignIdentity, Identity, pack, unpack
from firmware_bridge.syntaxer.protocol import MOTORS, Led
from sim_devices.emulator import Emulator
from sim_devices.ends import End
from sim_devices.faults import FaultScript, Wire
from sim_devices.hand import Hand
from sim_devices.syntaxer.plant import Plant, PlantNumbers
from sim_devices.syntaxer.table import NO_ERRORS, Table
from sim_devices.syntaxer.wrong import Truth, planted
from station.clock import WALL, Clock
from station.devices.syntaxer import geometry_from

TICK = 0.0005  # of the firmware's main loop: half a sample at 1 kHz [s]
LONGEST_GAP = 0.05  # that is lived through after a pause of the machine; more is skipped [s]
NEAR_THE_WRAP = 2**31 - 200  # counts at home for the fault "counter-wrap"
SERIAL_NUMBER = "SIM-0001"
HEARS_UNTIL_HAND = 50  # commands after which a patient hand takes the station to be running
IDEAL_COUNTS = (400_000_000,) * 3 + (20_000_000,) * 3  # per turn of each motor, of encoders without visible steps
GREEN = int(Led.GREEN)  # the light while a robot follows; plain: enums are slow in a tick
IDEAL_SPEED = 2**32 - 1  # all that the handshake can tell [counts/s]


class SyntaxerEmulator(Emulator):
    """A syntaxer that behaves like hardware on the other side of `end`."""

    def __init__(
        self,
        end: End,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        hand: Hand | None = None,
        seed: int = 0,
        serial_number: str = SERIAL_NUMBER,
        tick: float = TICK,
        patient: bool = False,
        wrong: int | None = None,
        ideal: bool = False,
    ) -> None:
        """Make one.

        Args:
            end: its side of the cable.
            clock: whose time it lives by.
            faults: what goes wrong and when.
            hand: who holds it.
            seed: of its noise.
            serial_number: that it tells.
            tick: of its main loop [s].
            patient: the hand takes hold once a station sends commands all the time.
            wrong: seed of how it differs from what its handshake says; None: not at all.
            ideal: encoders without visible steps, and no noise of what it and the instruments beside it measure.
        """
        super().__init__(clock, faults)
        self.period = tick
        self.end = end
        self.hand: Hand | Table | None = hand
        wraps = any(fault.kind == "counter-wrap" for fault in self.faults.faults)
        self.identity = _identity(serial_number, NEAR_THE_WRAP if wraps else 0, ideal)
        nominal = geometry_from(numbers_from(self.identity))
        self.truth = Truth(nominal, PlantNumbers()) if wrong is None else planted(nominal, wrong)
        numbers = replace(self.truth.numbers, current_noise=0.0) if ideal else self.truth.numbers
        self.plant = Plant(self.truth.geometry, seed, numbers=numbers)
        self._table: Table | None = None
        self._ideal, self._seed = ideal, seed
        self._source = self.plant.source
        self.firmware = Firmware(self.identity)
        self._wire = Wire(self.faults, seed)
        self._now = 0.0  # until which it has lived [s since the start]
        self.clock_rate = 1.0  # seconds of its own clock per second
        self._clock = 0.0  # that clock [s]
        self._stuck: dict[int, int] = {}
        self._restarting = False
        self._wrench = np.zeros(MOTORS)
        self._splitter = Decoder()
        self._hears_until_hand = HEARS_UNTIL_HAND if patient else 0  # times that the station has yet to be heard
        self._hand_began = 0.0  # [s since the start]

    @property
    def address(self) -> str:
        """URL of its port."""
        return f"serial:{self.end.name}"

    @property
    def table(self) -> Table:
        """The person and the instruments beside it, for a calibration; from the first use on there is no other hand."""
        if self._table is None:
            self._table = Table(self.plant, self._seed, NO_ERRORS if self._ideal else None)
            self.hand, self._hears_until_hand = self._table, 0
        return self._table

    @property
    def signals(self) -> dict[str, float]:
        """What faults can depend on."""
        x, y, z = self.plant.pose[:3, 3].tolist()
        return {
            "t": self._now,
            "x": x,
            "y": y,
            "z": z,
            "speed": float(np.linalg.norm(self.plant.velocity[:3])),
            "force": float(np.linalg.norm(self._wrench[:3])),
            "current": float(np.abs(self.firmware.given).max()) / 1000.0,
        }

    def _step(self, now: float) -> None:
        heard = self.end.read()
        if self.faults or not self.end.plugged:
            self._plug_or_unplug()
            if self.faults.active("deaf") or self.faults.active("watchdog-trip"):
                heard = b""
        self._now = max(self._now, now - LONGEST_GAP)
        while self._now + self.period <= now + 1e-9:
            self._now += self.period
            self._clock += self.clock_rate * self.period
            self._tick(heard)
            heard = b""
        if heard:  # less than a tick has passed
            self._speak(self.firmware.step(round(self._clock * 1e6), heard))
        for frame in self._wire.take(max(now, self._now)):  # a tick may end a rounding error after `now`
            self.end.write(frame)

    def _tick(self, heard: bytes) -> None:
        plant, firmware, now = self.plant, self.firmware, self._now
        buttons, grip = 0, 0.0
        if self._hears_until_hand and heard:
            self._hears_until_hand -= 1
            self._hand_began = now
        elif self.hand is not None and not self._hears_until_hand:
            pose, moment = plant.pose, now - self._hand_began
            if isinstance(self.hand, Hand):
                self.hand.lit = bool(firmware.io.led & GREEN)
            self._wrench = self.hand.wrench(moment, pose[:3, 3], plant.rotation_vector, plant.velocity)
            buttons, grip = self.hand.buttons(moment), self.hand.grip(moment)
        low = self.faults.active("brown-out")
        plant.source = low["volts"] if low else self._source
        if self._table is None or not self._table.clamped:
            plant.step(self.period, firmware.given / 1000.0, bool(firmware.io.brake), self._wrench)
        if not self.faults:  # the usual case, thousands of times per second
            firmware.sense(plant.counts, plant.measured_currents, plant.temperature, plant.supply, buttons, grip)
            self._speak(firmware.step(round(self._clock * 1e6), heard))
            return
        hot = self.faults.active("overheat")
        firmware.sense(
            self._counts(),
            plant.measured_currents,
            hot["celsius"] if hot else plant.temperature,
            plant.supply,
            buttons,
            grip,
        )
        self._restart_if_told()
        self._speak(firmware.step(round(self._clock * 1e6), heard))

    def _counts(self) -> list[int]:
        """The counters, with what is wrong with them."""
        counts = [int(count) for count in self.plant.counts]
        stuck = self.faults.active("stuck-encoder")
        if stuck:
            axis = int(stuck["axis"]) % MOTORS
            counts[axis] = self._stuck.setdefault(axis, counts[axis])
        else:
            self._stuck.clear()
        for kind in ("encoder-glitch", "encoder-offset"):
            fault = self.faults.active(kind)
            if fault:
                counts[int(fault["axis"]) % MOTORS] += int(fault["counts"])
        return counts

    def _speak(self, data: bytes) -> None:
        """Hand frames to the wire one by one, so that each can meet its own fate."""
        if not data:
            return
        if not self.faults:
            self.end.write(data)
            return
        foreign, other = self.faults.active("other-version"), self.faults.active("other-device")
        if foreign or other:
            for frame in self._splitter.feed(data):
                message = unpack(frame)
                if isinstance(message, Identity):
                    version = int(foreign["version"]) if foreign else frame.version
                    about = (message.firmware, "thermostat" if other else message.model, message.serial_number)
                    says = ForeignIdentity(version, *about) if foreign else message._replace(model=about[1])
                    self._wire.put(encode(pack(says, frame.sequence, frame.time_us)), self._now)
            return
        for frame_bytes in data.split(b"\0")[:-1]:
            self._wire.put(frame_bytes + b"\0", self._now)

    def _plug_or_unplug(self) -> None:
        out = self.faults.active("unplug") is not None
        if out and self.end.plugged:
            self.end.unplug()
            self._wire.clear()
        elif not out and not self.end.plugged:
            self.end.plug()
            self.firmware.boot(round(self._clock * 1e6))  # the processor lives on the current of the cable

    def _restart_if_told(self) -> None:
        told = self.faults.active("restart") is not None
        if told and not self._restarting:
            self.firmware.boot(round(self._clock * 1e6))
        self._restarting = told

    def _release(self) -> None:
        self.end.close()


def _identity(serial_number: str, home: int, ideal: bool) -> Identity:
    identity = built_in_identity()
    motors = tuple(motor._replace(home=home) for motor in identity.motors)
    if ideal:
        fine = zip(motors, IDEAL_COUNTS, strict=True)
        motors = tuple(motor._replace(counts_per_turn=counts, speed_max=IDEAL_SPEED) for motor, counts in fine)
    return identity._replace(serial_number=serial_number, motors=motors)
