"""What the benchmark of the devices says about losses and times, from bytes made by hand; nothing here is timed."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.devices_far_side import Heard, Tap, heard
from benchmarks.devices_machine import Company, Times, spread
from firmware_bridge.firmware.library import built_in_identity
from firmware_bridge.port import Port
from firmware_bridge.syntaxer.frames import encode
from firmware_bridge.syntaxer.messages import Command, State, pack
from firmware_bridge.syntaxer.protocol import MOTORS, Status
from tests.firmware.compiling import needs_compiler


class NoPort(Port):
    def __init__(self) -> None:
        self.name = "none"


def state(sequence: int, status: int = 0, echo: int = 0, age: int = 65535) -> bytes:
    counts, currents = (0,) * MOTORS, (0.0,) * MOTORS
    time = 1000 * sequence
    return encode(pack(State(sequence, time, echo, age, status, 0, 0, 0, 0, 0.0, 25.0, 24.0, counts, currents)))


def listened(*reads: bytes, begin: float = 0.0, commands: dict[int, float] | None = None) -> Heard:
    """What is heard of reads 1 ms apart, the first at 1 s."""
    tap = Tap(NoPort())
    tap.reads += [(1.0 + 0.001 * i, data) for i, data in enumerate(reads)]
    tap.writes += [(moment, encode(pack(Command(), number))) for number, moment in (commands or {}).items()]
    return heard(tap, begin)


def test_nothing_is_missing_from_a_whole_stream() -> None:
    record = listened(*(state(i) for i in range(5)))
    assert (record.gaps_overrun, record.gaps_on_the_way, record.bad) == (0, 0, 0)
    np.testing.assert_allclose(record.arrival, 1.0 + 0.001 * np.arange(5))
    np.testing.assert_allclose(record.device_time, 0.001 * np.arange(5))


def test_a_gap_belongs_to_the_device_only_if_it_says_so() -> None:
    record = listened(state(0), state(3, Status.OVERRUN), state(5))
    assert (record.gaps_overrun, record.gaps_on_the_way) == (2, 1)


def test_a_gap_is_seen_where_the_sequence_goes_round() -> None:
    assert listened(state(65534), state(1)).gaps_on_the_way == 2


def test_a_broken_frame_is_a_loss_on_the_way() -> None:
    broken = bytearray(state(1))
    broken[20] ^= 0xFF if broken[20] != 0xFF else 0x0F
    record = listened(state(0), bytes(broken), state(2))
    assert record.gaps_on_the_way == 1
    assert record.bad >= 1


@needs_compiler
def test_a_new_session_is_no_gap() -> None:
    record = listened(state(70), encode(pack(built_in_identity())), state(0))
    assert (record.gaps_overrun, record.gaps_on_the_way, record.sessions) == (0, 0, 1)


def test_only_the_last_frame_of_a_read_is_the_newest() -> None:
    assert listened(state(0) + state(1), state(2)).newest.tolist() == [0.0, 1.0, 1.0]


def test_what_came_before_the_beginning_counts_only_as_what_went_before() -> None:
    record = listened(state(0), state(5), state(6), begin=1.0015)
    assert (record.arrival.size, record.gaps_on_the_way) == (1, 0)


def test_a_round_trip_leaves_out_the_time_that_the_device_had_the_command() -> None:
    record = listened(state(0), state(1, echo=7, age=400), state(2, echo=7, age=1400), commands={7: 1.0002})
    assert record.round_trip[1] == pytest.approx(0.0004)
    assert np.isnan(record.round_trip[[0, 2]]).all()  # only the first that echoes it


def test_spread_is_of_percentiles() -> None:
    assert spread(np.arange(1001.0)) == pytest.approx({"p50 µs": 500.0, "p99 µs": 990.0, "p99.9 µs": 999.0})


def test_company_is_told_in_shares() -> None:
    before = Times.now()
    company = Company.since(before._replace(steal=before.steal, total=before.total - 100.0))
    assert 0.0 <= company.steal < 100.0
    assert company.others >= 0.0
