"""The syntaxer as a device: handshake, samples, forces as motor currents. Protocol: docs/protocol_syntaxer.md."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from firmware_bridge.linked import LinkedDevice
from firmware_bridge.port import GONE, Port
from firmware_bridge.syntaxer import codec, sensing
from firmware_bridge.syntaxer.codec import FastLink
from firmware_bridge.syntaxer.connection import Answer, Numbering, Written
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.introduction import calibrated_numbers, numbers_from
from firmware_bridge.syntaxer.messages import (
    ClearFault,
    Error,
    ForeignIdentity,
    Hello,
    HostMessage,
    Identity,
    Start,
    State,
    Stop,
    pack,
    unpack,
    unwrap,
)
from firmware_bridge.syntaxer.protocol import MOTORS, VERSION, ErrorCode, Led, Watchdog
from firmware_bridge.syntaxer.sensing import EncoderWatch, Lasting, Sensing
from station.clock import Clock, Exchange
from station.devices.device import NO_WRENCH, DeviceStatus, Floats, Sample
from station.devices.errors import DeviceError, DeviceLostError, DeviceMismatchError
from station.devices.swift import Swift
from station.devices.syntaxer import SyntaxerModel, geometry_from

OPEN_TIMEOUT = 3.0  # [s]

FAULTS = {
    ErrorCode.OVER_SPEED: "the handle was too fast and was braked",
    ErrorCode.OVER_TEMPERATURE: "its motors are too hot; let it cool down",
    ErrorCode.UNDER_VOLTAGE: "its supply is too low; check the power cable",
    ErrorCode.OVER_CURRENT: "a motor took too much current; check its cable",
}


class SyntaxerDevice(LinkedDevice):
    """A syntaxer at the end of a port."""

    def __init__(
        self, url: str, clock: Clock, connect: Callable[[], Port], rate: int = 1000, calibration: str = ""
    ) -> None:
        """Make a driver.

        Args:
            url: how it was asked for.
            clock: whose time counts.
            connect: opens its port.
            rate: of samples [Hz].
            calibration: file of results of its calibration; empty: what the device tells counts.
        """
        super().__init__(url, clock)
        codec.warm()
        sensing.warm()
        if calibration:  # now: it takes longer to load than a device is waited for
            importlib.import_module("calibration.results")
        self.rate, self.calibration = rate, calibration
        self.latency = float("nan")  # from a command to the sample that shows it, if it was calibrated [s]
        self.identity: Identity | None = None
        self.model = SyntaxerModel()
        self.capabilities = self.model.capabilities
        self._lost_before = 0  # frames lost over earlier connections
        self._open_port = connect
        self._port: Port | None = None
        self._link = FastLink()
        self._lasting = Lasting(self._shared, Numbering(), self._delay)
        self._sensing = Sensing(self._link, self.model, EncoderWatch([1e6] * MOTORS), self._lasting)
        self._unfit = ""  # what is wrong for good, until a person says otherwise
        self._asked = 0.0  # when the handshake began [s]
        self._begin_session()

    # Being there -----------------------------------------------------------------------------------------

    @property
    def frames_lost(self) -> int:
        """How many frames did not arrive, by the gaps in their sequence."""
        return self._lost_before + self._link.lost

    @property
    def round_trip(self) -> float:
        """Of the link, as last measured [s]."""
        return self._sensing.connection.round_trip

    def _connect(self) -> None:
        self._port = self._open_port()
        self._lost_before = self.frames_lost
        self._link = FastLink()
        self._sensing = Sensing(self._link, self.model, self._sensing.watch, self._lasting)
        self._sensing.connect(self._port)

    def _disconnect(self) -> None:
        self._sensing.disconnect()
        if self._port is not None:
            self._port.close()
            self._port = None

    def _wake(self) -> None:
        self._sensing.connection.streaming = False
        self._asked = self.clock.now()
        self._write(Hello(), b"\0")

    def _begin_session(self) -> None:
        """Sequence, clock and counters of the device start anew."""
        self._shared.as_usual = False
        self._lasting.numbering.begins = True
        self._sensing.begin_session()
        self._delay.reset()

    def _introduced(self, identity: Identity | ForeignIdentity) -> None:
        if isinstance(identity, ForeignIdentity):
            firmware = ".".join(map(str, identity.firmware))
            raise DeviceMismatchError(
                f"{self.url}: {identity.model} {identity.serial_number} (firmware {firmware}) speaks version "
                f"{identity.version} of the protocol, this station version {VERSION}; update the older of the two"
            )
        if identity.model != "syntaxer":
            raise DeviceMismatchError(f"{self.url}: this is a {identity.model or 'nameless device'}, not a syntaxer")
        if self.identity is not None and identity.serial_number != self.identity.serial_number:
            raise DeviceMismatchError(
                f"{self.url}: syntaxer {identity.serial_number} is there now instead of {self.identity.serial_number}; "
                "plug the old one in again, or open the new one"
            )
        if not identity.rate_min <= self.rate <= identity.rate_max:
            raise DeviceMismatchError(
                f"{self.url}: it gives {identity.rate_min} to {identity.rate_max} samples per second, not {self.rate}"
            )
        if identity != self.identity:
            numbers = {**numbers_from(identity), "rate": float(self.rate)}
            if self.calibration:
                found = calibrated_numbers(self.calibration, identity.serial_number)
                numbers, self.latency = {**numbers, **found.numbers}, found.latency
                self.calibrations = found.applied
            self.model = SyntaxerModel(geometry_from(numbers))
            self.capabilities = replace(self.model.capabilities, serial_number=identity.serial_number)
            self.identity = identity
            watch = EncoderWatch([motor.speed_max for motor in identity.motors])
            self._sensing = Sensing(self._link, self.model, watch, self._lasting)
            assert self._port is not None
            self._sensing.connect(self._port)
        self._begin_session()
        self._link.begin_session()
        self._sensing.connection.round_trip = self.clock.now() - self._asked
        self._sensing.connection.streaming = True
        self._write(Start(self.rate))
        self._write_command(push=False)  # off is seen: the first half of an enabling edge

    # Samples ---------------------------------------------------------------------------------------------

    def _receive(self, now: float) -> Sample | None:
        answer = self._sensing.receive(now)
        if answer == Answer.OTHER_FRAMES:
            self._heed_others()
            answer = self._sensing.take(now)
        if answer == Answer.ENDED:
            raise self._ended
        if self._unfit:
            raise DeviceError(self._unfit)
        if answer != Answer.FRESH:
            self._heed_trouble(answer)
            return None
        self._sensing.watch.fine()
        if self._link.newest.watchdog == Watchdog.TRIPPED:
            self._tripped(self._link.newest.command_sequence)
        said = self._shared
        return Sample(
            said.pose.copy(), said.velocity.copy(), said.buttons, said.grip, said.device_time, now, said.sequence
        )

    @property
    def swift(self) -> Swift | None:
        """How compiled code talks to it."""
        return self._sensing.swift if self._port is not None and self._port.descriptor >= 0 else None

    def _heed_others(self) -> None:
        """Frames that are not samples."""
        for frame in self._link.take_others():
            message = unpack(frame)
            if isinstance(message, Identity | ForeignIdentity):
                self._introduced(message)
            elif isinstance(message, Error) and message.code == ErrorCode.WATCHDOG:
                self._tripped(message.sequence)

    def _heed_trouble(self, answer: Answer) -> None:
        """Why the newest STATE gives no sample: it is nothing new, or something is wrong."""
        sensing = self._sensing
        if answer == Answer.NOTHING:
            return
        if answer == Answer.SLOW:  # a sample may be as old as that
            self._lose(f"{self.url}: answers take {1000.0 * self.round_trip:.0f} ms")
            return
        if answer in (Answer.JUMPED, Answer.STUCK):
            wrong = sensing.watch.trouble(answer, sensing.connection.counts)
            if wrong == "glitch":
                return
            self._unfit = f"{self.url}: {wrong}; have it repaired, then clear the fault or open it anew"
            raise DeviceError(self._unfit)
        if answer == Answer.REPORTS_ERROR:
            error = self._link.newest.error
            known = error in ErrorCode.__members__.values()
            text = FAULTS.get(ErrorCode(error), "") if known else ""
            raise DeviceError(f"{self.url}: {text or f'it reports fault {error}'}")
        raise DeviceError(f"{self.url}: its encoders name a place that cannot be ({self.model.status}); home it again")

    def _tripped(self, last_command: int) -> None:
        """The watchdog of the device took the force away; what it says of before it was enabled again is old."""
        enabled_by = self._sensing.connection.enabled_by
        if self._force and enabled_by >= 0 and unwrap(last_command, enabled_by, 16) >= enabled_by:
            self._take_force_away("no command reached it for too long, and its watchdog took the force away")

    # Forces ----------------------------------------------------------------------------------------------

    def _send(self, wrench: Floats) -> None:
        self._shared.wrench[:] = wrench
        self._write_command(self._force and self._status is DeviceStatus.READY)

    @property
    def exchange(self) -> Exchange | None:
        """The newest COMMAND that the device tells of, with the STATE that does so."""
        return self._sensing.exchange

    @property
    def state(self) -> State | None:
        """The newest STATE as it came: counts, measured currents, times; None before the first."""
        return self._link.state

    def drive(self, amperes: Floats) -> None:
        """Send six currents [A] as they are, cut to what the motors bear for long, for whoever calibrates.

        Like a wrench they flow only while force is enabled and the device is READY.
        """
        bears = self.model.parts.continuous
        fine = self._force and self._status is DeviceStatus.READY and bool(np.isfinite(amperes).all())
        if fine and self._connected:
            self._guarded(self._write_currents, np.clip(amperes, -bears, bears))
        else:
            self.command(NO_WRENCH)

    def _write_currents(self, amperes: Floats) -> None:
        if self._sensing.transmit_currents(amperes, Led.GREEN, self.clock.now()) == Written.ENDED:
            raise self._ended

    def enable_force(self) -> bool:
        """Let forces through from now on, if the device is READY; returns whether it did."""
        self._sensing.connection.enabled_by = -1
        if super().enable_force() and self._connected:
            # The device wants to see it off before it is on.
            self._guarded(self._write_command, push=False)
        return self._force

    def clear_fault(self) -> None:
        """A person has seen the fault and wants to go on; if its cause is still there, it comes back."""
        self._unfit = ""
        self._sensing.begin_session()
        code = self._link.newest.error
        if self._connected and code:
            self._guarded(self._write, ClearFault(code))

    def close(self) -> None:
        """Take the force away, end the stream and let the device go."""
        if self._connected and self._status is not DeviceStatus.CLOSED:
            self._force = False
            self.command(NO_WRENCH)
            if self._connected:
                self._guarded(self._write, Stop())
        super().close()

    def _write_command(self, push: bool) -> None:
        """Send a COMMAND: with force for the wrench that is shared, or without any."""
        if self._sensing.transmit(push, self.clock.now()) == Written.ENDED:
            raise self._ended

    @property
    def _ended(self) -> DeviceLostError:
        return DeviceLostError(f"{self._port.name if self._port else self.url}: {GONE}")

    def _write(self, message: HostMessage, before: bytes = b"") -> None:
        if self._port is not None:
            time = int(self.clock.now() * 1e6) & 0xFFFFFFFF
            self._port.write(before + encode(pack(message, 0, time)))

    def _why_silent(self) -> str:
        counters = self._link.counters
        if sum(counters) == 0:
            return f"{self.url}: no answer; is this the right port, and is the device switched on?"
        return f"{self.url}: what answers there is no syntaxer, or another program talks to it at the same time"
