"""`FalconEmulator`: an emulated Falcon, plugged into an emulated USB bus."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import numpy as np

from firmware_bridge.falcon.frames import ALL_LEGS, Lamp, Three
from sim_devices.emulator import Emulator
from sim_devices.falcon.board import Board, Mode
from sim_devices.falcon.body import Body, Hand, Mechanics
from sim_devices.falcon.chip import FtdiChip
from sim_devices.falcon.encoders import Encoders
from sim_devices.falcon.firmware import NO_WORDS, Firmware
from sim_devices.falcon.plug import FalconPlug
from sim_devices.faults import FaultScript, Wire
from sim_devices.usb import Backend, Bus
from station.clock import WALL, Clock
from station.devices.device import Floats
from station.devices.falcon.geometry import WORDS_PER_NEWTON_METRE

BANNER = b"OK\r\n"  # what another device says to anything


class FalconEmulator(Emulator):
    """A Falcon with everything that can go wrong with it.

    It lives whenever time moves on (virtual clock) or a host talks to it (wall time). What real firmware does when the
    host falls silent is not known; `watchdog` [s] lets this one drop the force then, and None, the default, is the
    worst case: it keeps the last force for ever.
    """

    def __init__(
        self,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        seed: int = 0,
        *,
        homed: bool = False,
        firmware_loaded: bool = False,
        serial_number: str = "FALCON-01",
        bus: Bus | None = None,
        body: Body | None = None,
        scale: float = WORDS_PER_NEWTON_METRE,
        image: bytes | None = None,
        reluctance: int = 0,
        watchdog: float | None = None,
        loses_firmware_unplugged: bool = False,
    ) -> None:
        """Make one.

        `image` is the only firmware it runs (None: any), `reluctance` how many greetings its boot loader ignores.
        """
        self.lock = threading.RLock()  # a driver's thread and the owner of the clock may both move it on
        self.serial_number = serial_number
        self.mechanics = Mechanics(body or Body(), scale)
        self.chip = FtdiChip()
        self.board = Board(seed, running=firmware_loaded, reluctance=reluctance, image=image)
        self.encoders = Encoders(homed=homed)
        self._forgetful = loses_firmware_unplugged
        self._cable = True
        self._restarted = False
        self._lived = float("-inf")  # until when, by the clock [s]
        self.bus = bus or Bus()
        self._plug = FalconPlug(self)
        super().__init__(clock, faults)
        self.firmware = Firmware(self.encoders, self.mechanics, self.faults, watchdog)
        self._wire = Wire(self.faults, seed)
        if not homed:
            self.encoders.switch_on(self.mechanics.counts)
        self.bus.plug(self._plug)

    # What it is for others -------------------------------------------------------------------------------

    @property
    def address(self) -> str:
        """URL to open it by, given the backend."""
        return f"usb:falcon?serial={self.serial_number}"

    @property
    def backend(self) -> Backend:
        """What pyusb needs to find it."""
        return self.bus.backend

    @property
    def plug_device(self) -> FalconPlug:
        """The device on the bus."""
        return self._plug

    @property
    def signals(self) -> dict[str, float]:
        """For faults: time [s], place [m], force of the motors [N], homed (0 or 1), requests heard, firmware bytes."""
        x, y, z = self.mechanics.position
        return {
            "t": self.clock.now() - self._start,
            "x": float(x),
            "y": float(y),
            "z": float(z),
            "force": math.hypot(*self.mechanics.drive),
            "homed": float(self.encoders.homed == ALL_LEGS),
            "requests": float(self.requests),
            "uploaded": float(self.board.uploaded),
        }

    @property
    def position(self) -> Floats:
        """Where the grip really is [m]."""
        return self.mechanics.position.copy()

    @property
    def words(self) -> Three:
        """Motor words of the last request."""
        return self.firmware.words

    @property
    def lamps(self) -> Lamp:
        """Lamps and homing bit of the last request."""
        return self.firmware.lamps

    @property
    def requests(self) -> int:
        """Requests heard since the beginning."""
        return self.firmware.requests

    @property
    def motor_force(self) -> Floats:
        """What the motors push with [N]."""
        return self.mechanics.drive.copy()

    # What others do to it --------------------------------------------------------------------------------

    def apply(self, force: Sequence[float] | Floats) -> None:
        """Push the grip with a constant force [N]."""
        self.mechanics.push = np.array(force, dtype=np.float64)

    def hold(self, hand: Hand | None) -> None:
        """Give the grip to a hand, or take it away."""
        self.mechanics.hand = hand

    def place(self, position: Sequence[float] | Floats) -> None:
        """Put the grip somewhere [m], at rest."""
        self.mechanics.position[:] = position
        self.mechanics.velocity[:] = 0.0

    def press(self, buttons: int) -> None:
        """Hold these buttons down, by their bits in the order of `station.devices.falcon.BUTTONS`."""
        self.firmware.buttons = buttons

    def unplug(self) -> None:
        """Pull the cable."""
        with self.lock:
            self._cable = False
            self._set_plugged(False)

    def plug(self) -> None:
        """Put the cable in."""
        with self.lock:
            self._cable = True
            self._set_plugged(True)

    # Living ----------------------------------------------------------------------------------------------

    def step_to(self, now: float) -> None:
        """Live until `now` [s, of the clock]."""
        with self.lock:
            self._lived = now
            super().step_to(now)

    def catch_up(self) -> float:
        """Live until now, for a host that has come; on a virtual clock that has mostly been done. Returns now [s]."""
        now = self.clock.now()
        if now != self._lived:
            self.step_to(now)
        return now - self._start

    def _step(self, now: float) -> None:
        self._set_plugged(self._cable and self.faults.active("unplug") is None)
        self._set_power()
        while (heard := self.chip.for_board(now)) is not None:
            moment, data, divisor = heard
            self.mechanics.move_to(moment)
            if self.faults.active("deaf") is None and self.board.mode is not Mode.OFF:
                for said in self._answers(data, divisor):
                    self._wire.put(said, moment + self.chip.time_for(len(said)))
        self.firmware.drive(now, running=self.board.mode is Mode.RUNNING)
        self.mechanics.move_to(now)
        for said in self._wire.take(now):
            self.chip.from_board(said)

    def _answers(self, data: bytes, divisor: int) -> list[bytes]:
        if self.faults.active("other-device") is not None:
            return [BANNER]
        return self.board.hear(data, divisor, self.firmware.answer)

    def _set_power(self) -> None:
        low = self.faults.active("brown-out") is not None
        if low and self.board.mode is not Mode.OFF:
            self.board.switch_off()
        elif not low and self.board.mode is Mode.OFF:
            self.restart()
        restart = self.faults.active("restart") is not None
        if restart and not self._restarted:
            self.restart()
        self._restarted = restart

    def restart(self) -> None:
        """Into the boot loader, without firmware and without knowing any place."""
        self.board.reset()
        self.firmware.words = NO_WORDS
        self.encoders.switch_on(self.mechanics.counts)

    def _set_plugged(self, plugged: bool) -> None:
        if plugged and not self.bus.is_plugged(self._plug):
            self.bus.plug(self._plug)
        elif not plugged and self.bus.is_plugged(self._plug):
            self.bus.unplug(self._plug)
            self.chip.forget()
            self._wire.clear()
            if self._forgetful:
                self.restart()

    def _release(self) -> None:
        self.bus.unplug(self._plug)
