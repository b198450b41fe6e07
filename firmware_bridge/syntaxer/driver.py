"""The syntaxer as a device: handshake, samples, forces as motor currents. Protocol: docs/protocol_syntaxer.md."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from firmware_bridge.linked import LinkedDevice
from firmware_bridge.port import Port
from firmware_bridge.syntaxer import fast_link, kernels
from firmware_bridge.syntaxer import sense_kernels as sense
from firmware_bridge.syntaxer.fast_link import FastLink
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.identity_numbers import numbers_from
from firmware_bridge.syntaxer.messages import (
    ClearFault,
    Error,
    ForeignIdentity,
    Hello,
    HostMessage,
    Identity,
    Start,
    Stop,
    pack,
    unpack,
    unwrap,
)
from firmware_bridge.syntaxer.protocol import MOTORS, VERSION, ErrorCode, Led, Status, Watchdog
from firmware_bridge.syntaxer.sensing import Sensing, is_encoder_trouble
from firmware_bridge.syntaxer.session import Numbering
from firmware_bridge.syntaxer.watch import EncoderWatch
from station.clock import Clock
from station.devices.device import LOST_AFTER, NO_WRENCH, DeviceStatus, Floats, Sample
from station.devices.errors import DeviceError, DeviceMismatchError
from station.devices.syntaxer import SyntaxerModel, geometry_from

TRIPPED, PEAK_SPENT = int(Watchdog.TRIPPED), int(Status.PEAK_SPENT)  # plain: enums are slow in a tick
GREEN, BLUE = int(Led.GREEN), int(Led.BLUE)
OPEN_TIMEOUT = 3.0  # [s]

FAULTS = {
    ErrorCode.OVER_SPEED: "the handle was too fast and was braked",
    ErrorCode.OVER_TEMPERATURE: "its motors are too hot; let it cool down",
    ErrorCode.UNDER_VOLTAGE: "its supply is too low; check the power cable",
    ErrorCode.OVER_CURRENT: "a motor took too much current; check its cable",
}


class SyntaxerDevice(LinkedDevice):
    """A syntaxer at the end of a port."""

    def __init__(self, url: str, clock: Clock, connect: Callable[[], Port], rate: int = 1000) -> None:
        super().__init__(url, clock)
        fast_link.warm()
        self.rate = rate  # of samples [Hz]
        self.identity: Identity | None = None
        self.model = SyntaxerModel()
        self.capabilities = self.model.capabilities
        self._lost_before = 0  # frames lost over earlier connections
        self._open_port = connect
        self._port: Port | None = None
        self._link = FastLink()
        self._sensing = Sensing(self._link, self.model, EncoderWatch([1e6] * MOTORS))
        self._sensing.warm()
        self._streaming = False
        self._unfit = ""  # what is wrong for good, until a person says otherwise
        self._sequence = self._heartbeat = 0
        self._asked = 0.0  # when the handshake began [s]
        self._numbering = Numbering()
        self._begin_session()

    # Being there -----------------------------------------------------------------------------------------

    @property
    def frames_lost(self) -> int:
        """How many frames did not arrive, by the gaps in their sequence."""
        return self._lost_before + self._link.counters.lost

    @property
    def round_trip(self) -> float:
        """Of the link, as last measured [s]."""
        return self._sensing.round_trip

    def _connect(self) -> None:
        self._port = self._open_port()
        self._lost_before = self.frames_lost
        self._link = FastLink()
        self._sensing = Sensing(self._link, self.model, self._sensing.watch)

    def _disconnect(self) -> None:
        if self._port is not None:
            self._port.close()
            self._port = None

    def _wake(self) -> None:
        self._streaming = False
        self._asked = self.clock.now()
        self._write(Hello(), b"\0")

    def _begin_session(self) -> None:
        """Sequence, clock and counters of the device start anew."""
        self._numbering.begin_session()
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
            self.model = SyntaxerModel(geometry_from({**numbers_from(identity), "rate": float(self.rate)}))
            self.capabilities = replace(self.model.capabilities, serial_number=identity.serial_number)
            self.identity = identity
            watch = EncoderWatch([motor.speed_max for motor in identity.motors])
            self._sensing = Sensing(self._link, self.model, watch)
        self._begin_session()
        self._link.begin_session()
        self._sensing.round_trip = self.clock.now() - self._asked
        self._streaming = True
        self._write(Start(self.rate))
        self._write_command(push=False)  # off is seen: the first half of an enabling edge

    # Samples ---------------------------------------------------------------------------------------------

    def _receive(self, now: float) -> Sample | None:
        assert self._port is not None
        data = self._port.read()
        states = self._link.feed(data) if data else 0
        for frame in self._link.take_others() if self._link.has_others else ():
            message = unpack(frame)
            if isinstance(message, Identity | ForeignIdentity):
                self._introduced(message)
                states = 0  # they were of an earlier session
            elif isinstance(message, Error) and message.code == ErrorCode.WATCHDOG:
                self._tripped(message.sequence)
        if self._unfit:
            raise DeviceError(self._unfit)
        return self._sample(now) if states and self._streaming else None

    def _sample(self, now: float) -> Sample | None:
        sensing = self._sensing
        answer = sensing.take(now)
        if answer != sense.FRESH:
            self._heed_trouble(answer)
            return None
        sensing.watch.fine()
        state, session = self._link.numbers, sensing.session
        if state[kernels.WATCHDOG] == TRIPPED:
            self._tripped(int(state[kernels.COMMAND_SEQUENCE]))
        self._spent = int(state[kernels.STATUS]) & PEAK_SPENT != 0
        if session[sense.ROUND_TRIP] > LOST_AFTER:  # a sample may be as old as that
            self._lose(f"{self.url}: answers take {1000.0 * sensing.round_trip:.0f} ms")
            return None
        return self._numbering.continued(
            Sample(
                sensing.pose.copy(),
                sensing.velocity.copy(),
                int(state[kernels.BUTTONS]),
                state[kernels.GRIP],
                session[sense.TIME] * 1e-6,
                now,
                int(session[sense.SEQUENCE]),
            )
        )

    def _heed_trouble(self, answer: int) -> None:
        """Why the newest STATE gives no sample: it is nothing new, or something is wrong."""
        sensing = self._sensing
        if answer == sense.REPEATED:
            return
        if is_encoder_trouble(answer):
            wrong = sensing.watch.trouble(answer, sensing.counts)
            if wrong == "glitch":
                return
            self._unfit = f"{self.url}: {wrong}; have it repaired, then clear the fault or open it anew"
            raise DeviceError(self._unfit)
        if answer == sense.REPORTS_ERROR:
            error = int(self._link.numbers[kernels.ERROR])
            known = error in ErrorCode.__members__.values()
            text = FAULTS.get(ErrorCode(error), "") if known else ""
            raise DeviceError(f"{self.url}: {text or f'it reports fault {error}'}")
        self.model.sensed(int(sensing.session[sense.PLACE_STATUS]), sensing.session[sense.MARGIN])
        raise DeviceError(f"{self.url}: its encoders name a place that cannot be ({self.model.status}); home it again")

    def _tripped(self, last_command: int) -> None:
        """The watchdog of the device took the force away; what it says of before it was enabled again is old."""
        if (
            self._force
            and self._enabled_by is not None
            and unwrap(last_command, self._enabled_by, 16) >= self._enabled_by
        ):
            self._take_force_away("no command reached it for too long, and its watchdog took the force away")

    _enabled_by: int | None = None  # sequence of the first command with force
    _spent = False  # motors are warm: only currents that they bear for long

    # Forces ----------------------------------------------------------------------------------------------

    def _send(self, wrench: Floats) -> None:
        if self._force and self._status is DeviceStatus.READY:
            self._sensing.wrench[:] = wrench
            self._write_command(push=True)
            if self._enabled_by is None:
                self._enabled_by = self._sequence
        else:
            self._write_command(push=False)

    def enable_force(self) -> bool:
        """Let forces through from now on, if the device is READY; returns whether it did."""
        self._enabled_by = None
        if super().enable_force() and self._connected:
            # The device wants to see it off before it is on.
            self._guarded(lambda: self._write_command(push=False))
        return self._force

    def clear_fault(self) -> None:
        """A person has seen the fault and wants to go on; if its cause is still there, it comes back."""
        self._unfit = ""
        self._sensing.begin_session()
        code = int(self._link.newest[kernels.ERROR])
        if self._connected and code:
            self._guarded(lambda: self._write(ClearFault(code)))

    def close(self) -> None:
        """Take the force away, end the stream and let the device go."""
        if self._connected and self._status is not DeviceStatus.CLOSED:
            self._force = False
            self.command(NO_WRENCH)
            if self._connected:
                self._guarded(lambda: self._write(Stop()))
        super().close()

    def _write_command(self, push: bool) -> None:
        """Send a COMMAND: with force for the wrench in `sensing`, or without any."""
        assert self._port is not None
        self._sequence = (self._sequence + 1) & 0xFFFF
        self._heartbeat = (self._heartbeat + 1) & 0xFFFF
        led, now = GREEN if push else BLUE, self.clock.now()
        self._port.write(self._sensing.command(push, self._spent, led, self._heartbeat, self._sequence, now))

    def _write(self, message: HostMessage, before: bytes = b"") -> None:
        if self._port is not None:
            time = int(self.clock.now() * 1e6) & 0xFFFFFFFF
            self._port.write(before + encode(pack(message, 0, time)))

    def _why_silent(self) -> str:
        counters = self._link.counters
        if sum(counters) == 0:
            return f"{self.url}: no answer; is this the right port, and is the device switched on?"
        return f"{self.url}: what answers there is no syntaxer, or another program talks to it at the same time"
