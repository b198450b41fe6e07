"""Messages of the syntaxer's protocol as tuples in SI units, and their payloads as bytes.

`pack(message, sequence, time_us)` gives a frame, `unpack(frame)` a message; no payload of the right length is an error.
"""

from __future__ import annotations

import math
import struct
from typing import NamedTuple

from firmware_bridge.syntaxer.frames import Frame
from firmware_bridge.syntaxer.protocol import IDENTITY_PREFIX, MOTORS, VERSION, MessageType

Vector = tuple[float, float, float]

AGE_UNKNOWN = 65535  # `State.command_age`: longer ago than that, or no COMMAND yet [µs]
MOST_CURRENT = 32.767  # that a COMMAND can carry [A]

COMMAND = struct.Struct("<BBH6h")
START = struct.Struct("<H")
CLEAR_FAULT = struct.Struct("<B")
STATE = struct.Struct("<HHHBBBBHhB6i6h")
ERROR = struct.Struct("<BBHi")
IDENTITY_HEAD = struct.Struct("<3B16s16s16sB4HhH39i")
IDENTITY_FOREIGN = struct.Struct("<3B16s16s")
MOTOR = struct.Struct("<IffHHIi")


class Hello(NamedTuple):
    """Host → device: who are you? Ends whatever was going on before."""


class Start(NamedTuple):
    """Host → device: stream STATE frames from now on."""

    rate: int  # [Hz]


class Stop(NamedTuple):
    """Host → device: no more STATE frames, no currents."""


class Command(NamedTuple):
    """Host → device, once per tick: what the motors are to do."""

    currents: tuple[float, ...] = (0.0,) * MOTORS  # [A]
    enable: bool = False
    led: int = 0  # `Led` bits
    heartbeat: int = 0  # counts ticks of the servo; only a change feeds the watchdog


class ClearFault(NamedTuple):
    """Host → device: forget the fault with this code, which a person has seen."""

    code: int


class State(NamedTuple):
    """Device → host: all that it senses, at one instant."""

    sequence: int  # counts STATE frames since START, modulo 65,536
    time_us: int  # device clock at sampling [µs], modulo 2³²
    command_sequence: int  # of the last COMMAND that was accepted
    command_age: int  # since then [µs]; AGE_UNKNOWN: too long ago
    status: int  # `Status` bits
    watchdog: int  # `Watchdog`
    error: int  # `ErrorCode` of the latched fault, or 0
    refused: int  # frames of the host refused since boot, modulo 256
    buttons: int  # bit i: button i is down
    grip: float  # 0 open … 1 closed
    temperature: float  # [°C]
    supply: float  # of the motors [V]
    counts: tuple[int, ...]  # six encoders, signed 32 bits, wrap
    currents: tuple[float, ...]  # measured [A]


class Error(NamedTuple):
    """Device → host: a fault, a watchdog trip, or a frame refused."""

    code: int  # `ErrorCode`
    type: int  # of the frame that caused it; 0: none did
    sequence: int  # of that frame, or of the last accepted COMMAND
    detail: int  # meaning depends on the code


class Chain(NamedTuple):
    """One arm and its bars."""

    azimuth: float  # on the base plate [rad]
    base_radius: float  # base centre → motor axis [m]
    platform_radius: float  # platform centre → bars [m]
    arm: float  # [m]
    bar: float  # [m]
    zero: float  # angle of the arm at the home count [rad]


class Strut(NamedTuple):
    """One string of the rotation stage, seen from the ball joint."""

    anchor: Vector  # eye on the platform [m]
    point: Vector  # on the handle's plate [m]
    drum_radius: float  # [m]


class Motor(NamedTuple):
    """One motor and what it may do."""

    counts_per_turn: int
    ratio: float  # turns of the motor per turn of the joint or spool
    torque_constant: float  # [N·m/A]
    continuous: float  # current for ever [A]
    peak: float  # current for a moment [A]
    speed_max: int  # [counts/s]
    home: int  # counts at the zero of its joint


class Identity(NamedTuple):
    """Device → host, after HELLO: what it is and what it lives by."""

    version: int  # of the protocol
    firmware: tuple[int, int, int]
    model: str
    serial_number: str
    calibration: str  # id of the calibration that it was given
    buttons: int  # how many
    rate_min: int  # [Hz]
    rate_max: int  # [Hz]
    watchdog: float  # longest silence while enabled [s]
    peak_time: float  # how long the peak current may flow, from cold [s]
    temperature_max: float  # [°C]
    supply_min: float  # [V]
    chains: tuple[Chain, ...]  # three
    struts: tuple[Strut, ...]  # three
    motors: tuple[Motor, ...]  # six: of the chains, then of the struts


class ForeignIdentity(NamedTuple):
    """An IDENTITY of another version: only what every version has."""

    version: int
    firmware: tuple[int, int, int]
    model: str
    serial_number: str


HostMessage = Hello | Start | Stop | Command | ClearFault
DeviceMessage = State | Error | Identity | ForeignIdentity
Message = HostMessage | DeviceMessage


def unwrap(value: int, near: int, bits: int) -> int:
    """The whole number closest to `near` whose lowest `bits` are those of `value`: undoes a counter's wrap."""
    half = 1 << (bits - 1)
    return near + ((value - near + half) & ((1 << bits) - 1)) - half


def milliamperes(current: float) -> int:
    """Current on the wire [mA] for one in [A]; what is not a number becomes 0, what is too large the largest."""
    if math.isnan(current):
        return 0
    return round(max(-MOST_CURRENT, min(MOST_CURRENT, current)) * 1000.0)


def pack(message: Message, sequence: int = 0, time_us: int = 0) -> Frame:
    """Frame of this version with a message in it; a STATE brings its own sequence and time."""
    match message:
        case Command(currents, enable, led, heartbeat):
            payload = COMMAND.pack(int(enable), led, heartbeat & 0xFFFF, *map(milliamperes, currents))
            return Frame(VERSION, MessageType.COMMAND, sequence, time_us, payload)
        case Hello():
            return Frame(VERSION, MessageType.HELLO, sequence, time_us, b"")
        case Start(rate):
            return Frame(VERSION, MessageType.START, sequence, time_us, START.pack(rate))
        case Stop():
            return Frame(VERSION, MessageType.STOP, sequence, time_us, b"")
        case ClearFault(code):
            return Frame(VERSION, MessageType.CLEAR_FAULT, sequence, time_us, CLEAR_FAULT.pack(code))
        case State():
            return Frame(VERSION, MessageType.STATE, message.sequence, message.time_us, _pack_state(message))
        case Error():
            return Frame(VERSION, MessageType.ERROR, sequence, time_us, ERROR.pack(*message))
        case Identity():
            return Frame(VERSION, MessageType.IDENTITY, sequence, time_us, _pack_identity(message))
        case ForeignIdentity(version, firmware, model, serial_number):
            payload = IDENTITY_FOREIGN.pack(*firmware, model.encode(), serial_number.encode())
            return Frame(version, MessageType.IDENTITY, sequence, time_us, payload)


def unpack(frame: Frame) -> Message:
    """Message in a frame that a `Decoder` handed out."""
    match frame.type:
        case MessageType.STATE:
            return _unpack_state(frame)
        case MessageType.COMMAND:
            flags, led, heartbeat, *currents = COMMAND.unpack(frame.payload)
            return Command(tuple(current / 1000.0 for current in currents), bool(flags & 1), led, heartbeat)
        case MessageType.ERROR:
            return Error(*ERROR.unpack(frame.payload))
        case MessageType.IDENTITY:
            return _unpack_identity(frame)
        case MessageType.START:
            return Start(*START.unpack(frame.payload))
        case MessageType.STOP:
            return Stop()
        case MessageType.CLEAR_FAULT:
            return ClearFault(*CLEAR_FAULT.unpack(frame.payload))
        case MessageType.HELLO:
            return Hello()
        case _:
            raise ValueError(f"frame of type {frame.type:#04x}; a decoder hands out none such")


def _pack_state(state: State) -> bytes:
    return STATE.pack(
        state.command_sequence,
        state.command_age,
        state.status,
        state.watchdog,
        state.error,
        state.refused,
        state.buttons,
        round(state.grip * 65535.0),
        round(state.temperature * 100.0),
        round(state.supply * 4.0),
        *state.counts,
        *map(milliamperes, state.currents),
    )


def _unpack_state(frame: Frame) -> State:
    fields = STATE.unpack(frame.payload)
    grip, temperature, supply = fields[7:10]
    return State._make(
        [
            frame.sequence,
            frame.time_us,
            *fields[:7],
            grip / 65535.0,
            temperature / 100.0,
            supply / 4.0,
            fields[10:16],
            tuple([current / 1000.0 for current in fields[16:22]]),
        ]
    )


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode("ascii", "replace")


def _pack_identity(identity: Identity) -> bytes:
    numbers = [number for chain in identity.chains for number in chain]
    numbers += [number for strut in identity.struts for number in (*strut.anchor, *strut.point, strut.drum_radius)]
    head = IDENTITY_HEAD.pack(
        *identity.firmware,
        identity.model.encode(),
        identity.serial_number.encode(),
        identity.calibration.encode(),
        identity.buttons,
        identity.rate_min,
        identity.rate_max,
        round(identity.watchdog * 1000.0),
        round(identity.peak_time * 1000.0),
        round(identity.temperature_max * 100.0),
        round(identity.supply_min * 1000.0),
        *(round(number * 1e7) for number in numbers),
    )
    return head + b"".join(
        MOTOR.pack(
            motor.counts_per_turn,
            motor.ratio,
            motor.torque_constant,
            round(motor.continuous * 1000.0),
            round(motor.peak * 1000.0),
            motor.speed_max,
            motor.home,
        )
        for motor in identity.motors
    )


def _unpack_identity(frame: Frame) -> Identity | ForeignIdentity:
    if frame.version != VERSION:
        *firmware, model, serial = IDENTITY_FOREIGN.unpack(frame.payload[:IDENTITY_PREFIX])
        return ForeignIdentity(frame.version, (firmware[0], firmware[1], firmware[2]), _text(model), _text(serial))
    fields = IDENTITY_HEAD.unpack_from(frame.payload)
    model, serial, calibration, buttons, rate_min, rate_max, watchdog, peak, temperature, supply = fields[3:13]
    numbers = [number / 1e7 for number in fields[13:]]
    motors = frame.payload[IDENTITY_HEAD.size :]
    return Identity(
        frame.version,
        fields[:3],
        _text(model),
        _text(serial),
        _text(calibration),
        buttons,
        rate_min,
        rate_max,
        watchdog / 1000.0,
        peak / 1000.0,
        temperature / 100.0,
        supply / 1000.0,
        tuple(Chain(*numbers[i : i + 6]) for i in range(0, 18, 6)),
        tuple(_strut(numbers[i : i + 7]) for i in range(18, 39, 7)),
        tuple(
            Motor(counts, ratio, torque, continuous / 1000.0, most / 1000.0, speed, home)
            for counts, ratio, torque, continuous, most, speed, home in MOTOR.iter_unpack(motors)
        ),
    )


def _strut(numbers: list[float]) -> Strut:
    return Strut((numbers[0], numbers[1], numbers[2]), (numbers[3], numbers[4], numbers[5]), numbers[6])
