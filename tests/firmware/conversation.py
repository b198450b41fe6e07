"""What any firmware on a line must be able to do: shake hands, stream, obey, and let go when nobody speaks."""

from __future__ import annotations

import pytest

from firmware_bridge.syntaxer.messages import Command, Error, Hello, Identity, Start, State, Stop
from firmware_bridge.syntaxer.protocol import ErrorCode, Status, Watchdog
from tests.firmware.line import Line

MANY = 100_000  # messages, after which it is clear that the wanted one will not come


def shake_hands(line: Line) -> Identity:
    line.send(Hello())
    answer = line.receive()
    assert isinstance(answer, Identity)
    return answer


def next_state(line: Line) -> State:
    for _ in range(MANY):
        message = line.receive()
        if isinstance(message, State):
            return message
    raise AssertionError("many messages, but no STATE")


def stream(line: Line, rate: int, count: int) -> list[State]:
    line.send(Start(rate))
    return [next_state(line) for _ in range(count)]


def enable(line: Line) -> State:
    """Off must be seen, then on. Begins again if the watchdog trips meanwhile: this side of the line may be slow."""
    for _ in range(100):
        seen = line.send(Command())
        while next_state(line).command_sequence != seen:
            pass
        for tick in range(1, 1000):
            line.send(Command((0.05,) * 6, True, 0, tick))
            state = next_state(line)
            if state.status & Status.ENABLED:
                return state
            if state.status & Status.EDGE_NEEDED:
                break
    raise AssertionError("it was never enabled")


def wait_for_trip(line: Line) -> Error:
    """Say nothing until the watchdog acts."""
    for _ in range(MANY):
        message = line.receive()
        if isinstance(message, Error) and message.code == ErrorCode.WATCHDOG:
            assert next_state(line).watchdog == Watchdog.TRIPPED
            return message
    raise AssertionError("the watchdog never tripped")


def stop(line: Line) -> None:
    """No more STATE: after STOP, the answer to HELLO is the last thing heard."""
    line.send(Stop())
    line.send(Hello())
    for _ in range(MANY):
        if isinstance(line.receive(), Identity):
            return
    raise AssertionError("no answer to HELLO after STOP")


def check_rate(line: Line, rate: int) -> None:
    """A session of its own whose samples come at `rate` [Hz] by the device's own clock, none of them broken."""
    shake_hands(line)
    states = stream(line, rate, 200)
    first, last = states[0], states[-1]
    mean = (last.time_us - first.time_us) / ((last.sequence - first.sequence) & 0xFFFF)
    assert mean == pytest.approx(1e6 / rate, rel=0.2)
    assert line.decoder.counters.bad == 0
