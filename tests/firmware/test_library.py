"""`Firmware`: the C device inside Python, on a time that the test keeps."""

from __future__ import annotations

import numpy as np
import pytest

from firmware_bridge.firmware.library import Firmware, built_in_identity
from firmware_bridge.syntaxer.frames import Decoder, encode
from firmware_bridge.syntaxer.introduction import numbers_from
from firmware_bridge.syntaxer.messages import (
    ClearFault,
    Command,
    Error,
    Hello,
    HostMessage,
    Identity,
    Message,
    Start,
    State,
    pack,
    unpack,
)
from firmware_bridge.syntaxer.protocol import ErrorCode, Led, Status, Watchdog
from station.devices.syntaxer import Syntaxer, geometry_from, numbers_of
from tests.firmware.compiling import needs_compiler

pytestmark = needs_compiler


class Bench:
    """A device, a host's end of its line, and a clock."""

    def __init__(self, identity: Identity | None = None) -> None:
        self.firmware = Firmware(identity)
        self.decoder = Decoder()
        self.now_us = 0
        self.sequence = 0

    def step(self, message: HostMessage | None = None, after_us: int = 1000) -> list[Message]:
        self.now_us += after_us
        self.sequence += 1
        sent = encode(pack(message, self.sequence, self.now_us)) if message is not None else b""
        return [unpack(frame) for frame in self.decoder.feed(self.firmware.step(self.now_us, sent))]

    def state(self, message: HostMessage | None = None) -> State:
        (state,) = [answer for answer in self.step(message) if isinstance(answer, State)]
        return state

    def command(self, enable: bool, current: float = 0.0, led: int = 0) -> State:
        return self.state(Command((current,) * 6, enable, led, self.sequence))

    def enabled(self) -> Bench:
        self.step(Hello())
        self.step(Start(1000))
        self.command(False)
        assert self.command(True).status & Status.ENABLED
        return self


def test_hello_gives_the_identity_and_start_the_stream() -> None:
    bench = Bench()
    (identity,) = bench.step(Hello())
    assert identity == built_in_identity()
    assert [bench.state(Start(1000)).sequence, bench.state().sequence, bench.state().sequence] == [0, 1, 2]


def test_built_in_device_has_the_geometry_of_the_default_syntaxer() -> None:
    told = numbers_of(geometry_from(numbers_from(built_in_identity())))
    for name, value in numbers_of(Syntaxer()).items():
        assert told[name] == pytest.approx(value, abs=1e-7, rel=1e-6), name


def test_a_device_is_what_it_is_told_to_be() -> None:
    mine = built_in_identity()._replace(serial_number="SX-0042", calibration="2026-03-01", rate_max=2000)
    bench = Bench(mine)
    (told,) = bench.step(Hello())
    assert told == mine
    (error,) = bench.step(Start(4000))
    assert isinstance(error, Error)
    assert error.code == ErrorCode.BAD_VALUE


def test_inputs_come_out_in_the_state() -> None:
    bench = Bench()
    bench.firmware.sense([1, -2, 3, -4, 5, -6], [0.5, -0.5, 0, 0, 0, 0.001], 36.5, 23.5, buttons=9, grip=1.0)
    state = bench.state(Start(1000))
    assert state.counts == (1, -2, 3, -4, 5, -6)
    assert state.currents == (0.5, -0.5, 0.0, 0.0, 0.0, 0.001)
    assert (state.temperature, state.supply, state.buttons, state.grip) == (36.5, 23.5, 9, 1.0)


def test_inputs_out_of_range_are_cut_and_counts_wrap() -> None:
    bench = Bench()
    counts = [2**31, -(2**31) - 1, 2**32 + 7, 0, 0, 0]
    bench.firmware.sense(counts, [99.0, -99.0, float("nan"), 0, 0, 0], 1e9, 1e9, buttons=15, grip=-3.0)
    state = bench.state(Start(1000))
    assert state.counts[:3] == (-(2**31), 2**31 - 1, 7)
    assert state.currents[:3] == (32.767, -32.768, 0.0)
    assert (state.temperature, state.supply, state.grip) == (327.67, 63.75, 0.0)


def test_currents_reach_the_motors_only_after_an_enable_edge() -> None:
    bench = Bench()
    bench.step(Start(1000))
    assert bench.command(True, 0.2).status & Status.EDGE_NEEDED
    assert not bench.firmware.outputs.currents.any()
    bench.command(False, 0.2)
    bench.command(True, 0.2, Led.GREEN)
    assert bench.firmware.outputs.currents == pytest.approx(np.full(6, 0.2))
    assert bench.firmware.outputs.led == Led.GREEN


def test_silence_trips_the_watchdog() -> None:
    bench = Bench().enabled()
    bench.command(True, 0.2)
    for _ in range(19):
        bench.step()
    assert bench.firmware.outputs.currents.all()
    state, error = sorted(bench.step(), key=len, reverse=True)
    assert isinstance(state, State)
    assert isinstance(error, Error)
    assert state.watchdog == Watchdog.TRIPPED
    assert error.code == ErrorCode.WATCHDOG
    assert error.sequence == state.command_sequence
    assert not bench.firmware.outputs.currents.any()


def test_over_speed_brakes_and_is_cleared_by_the_host() -> None:
    bench = Bench().enabled()
    bench.firmware.sense([5000, 0, 0, 0, 0, 0])
    assert bench.command(True, 0.2).error == ErrorCode.OVER_SPEED
    assert bench.firmware.outputs.brake
    bench.step()
    assert bench.state(ClearFault(ErrorCode.OVER_SPEED)).error == ErrorCode.OK
    assert not bench.firmware.outputs.brake


def test_a_reboot_forgets_everything() -> None:
    bench = Bench().enabled()
    bench.command(True, 0.2, Led.RED)
    bench.firmware.boot(bench.now_us)
    assert not bench.firmware.outputs.currents.any()
    assert bench.firmware.outputs.led == Led.OFF
    assert bench.step() == []


def test_equal_inputs_give_equal_bytes_and_devices_do_not_disturb_each_other() -> None:
    def life(bench: Bench, current: float) -> list[list[Message]]:
        bench.enabled()
        return [bench.step(Command((current,) * 6, True, 0, tick)) for tick in range(500)]

    alone = life(Bench(), 1.0)
    first, second = Bench().enabled(), Bench().enabled()
    together = []
    for tick in range(500):
        together.append(first.step(Command((1.0,) * 6, True, 0, tick)))
        second.step(Command((-3.0,) * 6, True, 0, tick))
    assert together == alone


def test_the_clock_of_the_device_wraps_after_71_minutes() -> None:
    bench = Bench()
    bench.now_us = 2**32 - 2500
    bench.step(Start(1000))
    assert [bench.state().time_us for _ in range(3)] == [2**32 - 500, 500, 1500]


def test_many_bytes_at_once_are_all_read() -> None:
    bench = Bench()
    bench.step(Start(1000))
    burst = b"".join(encode(pack(Command(heartbeat=n), n)) for n in range(500))
    bench.now_us += 1000
    frames = bench.decoder.feed(bench.firmware.step(bench.now_us, burst))
    assert [unpack(frame) for frame in frames][-1]
    assert bench.state().command_sequence == 499
