"""The register map: what a PLC sees, what Debian's mbpoll and pymodbus's own client see, and what is refused."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator

import numpy as np
import pytest
from pymodbus.client import ModbusTcpClient
from pymodbus.constants import ExcCodes

from firmware_bridge.arm.modbus import registers
from firmware_bridge.arm.modbus.framing import RtuFraming, TcpFraming, coil_request, read_request, write_request
from firmware_bridge.arm.modbus.registers import Command, GivenBits, MapCodec, counts, holder_of, limit, unlimited
from firmware_bridge.arm.protocol import Refused, Request
from sim_devices.arm.machine import ArmState
from sim_devices.arm_links.register_map import RegisterMap
from sim_devices.arm_links.seats import SILENT
from station.controllers import ControlledJoint
from station.controllers.errors import ControllerMismatchError
from tests.controllers.double import DoubleArm
from tests.controllers.far_side import far_side

CODEC = MapCodec(4)
TOKEN = 1234
HERE = (0, 0, 100_000, 0)
THERE = (500_000, 0, 100_000, 0)


def command(
    heartbeat: int,
    q: tuple[int, ...] = HERE,
    *,
    token: int = TOKEN,
    request: int = 0,
    number: int = 0,
    sequence: int = 0,
    given: int = 0,
    version: int = 1,
) -> bytes:
    return CODEC.pack_command(Command(version, heartbeat, token, request, number, sequence, given, (*q, *[0] * 8)))


def wrote(table: RegisterMap, data: bytes, now: float = 0.0) -> ExcCodes | None:
    return table.write(registers.COMMAND_AT, data, now)


@pytest.fixture
def arm() -> DoubleArm:
    return DoubleArm()


@pytest.fixture
def table(arm: DoubleArm) -> RegisterMap:
    return RegisterMap(arm)


def activated(table: RegisterMap) -> None:
    assert wrote(table, command(1, request=Request.ACTIVATE, number=1)) is None


def test_a_state_and_a_command_fit_one_frame() -> None:
    largest = MapCodec(registers.MOST_JOINTS)
    assert largest.state_words <= 125
    assert largest.command_words <= 121  # of function 23
    assert registers.STATE_AT + largest.state_words <= registers.REASON_AT
    assert registers.REASON_AT + registers.REASON_WORDS <= registers.IDENTITY_AT
    assert registers.JOINTS_AT + registers.MOST_JOINTS * registers.JOINT_WORDS <= registers.COMMAND_AT


def test_a_setpoint_is_followed_while_active(table: RegisterMap, arm: DoubleArm) -> None:
    activated(table)
    assert wrote(table, command(2, THERE, sequence=1, given=GivenBits.SETPOINT)) is None
    assert arm.q.tolist() == [0.5, 0.0, 0.1, 0.0]
    table.measure(0.0)
    data = table.read(registers.STATE_AT, CODEC.state_words)
    assert isinstance(data, bytes)
    state = CODEC.read_state(data)
    assert (state.state, state.echo, state.heard, state.holder) == (1, 1, 2, holder_of(TOKEN))
    assert state.numbers[6:10] == THERE


@pytest.mark.parametrize(
    ("data", "answer", "why"),
    [
        (command(2, THERE, sequence=1, given=8, version=2), ExcCodes.ILLEGAL_VALUE, Refused.VERSION),
        (command(2, THERE, sequence=1, given=8, token=99), ExcCodes.DEVICE_BUSY, Refused.SESSION),
        (command(2, THERE, sequence=1, given=8, token=0), ExcCodes.DEVICE_BUSY, Refused.SESSION),
        (command(1, THERE, sequence=1, given=8), ExcCodes.ILLEGAL_VALUE, Refused.REPLAY),
        (command(2, THERE, sequence=1, given=8)[:-2], ExcCodes.ILLEGAL_VALUE, Refused.LENGTH),
        (command(2, THERE, sequence=1, given=8)[:-1] + b"x", ExcCodes.ILLEGAL_VALUE, Refused.CHECK),
        (command(2, THERE, request=77, number=2), ExcCodes.ILLEGAL_VALUE, Refused.RANGE),
    ],
)
def test_what_is_wrong_is_refused_and_counted(
    table: RegisterMap, arm: DoubleArm, data: bytes, answer: ExcCodes, why: Refused
) -> None:
    activated(table)
    assert wrote(table, data) == answer
    assert table.refused == {why: 1}
    assert arm.q.tolist() == [0.0, 0.0, 0.1, 0.0]


def test_an_old_setpoint_is_not_followed_again(table: RegisterMap, arm: DoubleArm) -> None:
    activated(table)
    wrote(table, command(2, THERE, sequence=5, given=8))
    wrote(table, command(3, HERE, sequence=6, given=8), 0.5)
    assert wrote(table, command(4, THERE, sequence=5, given=8), 1.0) == ExcCodes.ILLEGAL_VALUE
    assert arm.q.tolist() == [0.0, 0.0, 0.1, 0.0]


def test_a_write_of_the_seated_station_moves_a_joint_no_further_than_its_speed_allows(
    table: RegisterMap, arm: DoubleArm
) -> None:
    """A block that was changed on its way and still fits its check, by chance or because somebody made it so."""
    activated(table)
    number, now = 1, 0.0
    for since in (0.001, 0.002, 0.010):
        most = 1.2 * 2.0 * (since + 0.0005)  # of the base, whose limit is 2 rad/s
        for share, is_taken in ((1.01, False), (0.99, True)):
            number, now = number + 2, now + 0.040
            assert wrote(table, command(number, HERE, sequence=number, given=8), now) is None
            asked = (round(1e6 * share * most), *HERE[1:])
            answer = wrote(table, command(number + 1, asked, sequence=number + 1, given=8), now + since)
            assert (answer is None) is is_taken
            assert bool(arm.q[0] != 0.0) is is_taken
    assert table.refused == {Refused.RANGE: 3}


def test_a_sequence_far_ahead_does_not_lock_the_station_out(table: RegisterMap, arm: DoubleArm) -> None:
    activated(table)
    assert wrote(table, command(2, HERE, sequence=10, given=8), 0.010) is None
    for number, sequence in enumerate((10 + 2**8, 2**31, 2**32 - 2, 2**32 - 1), 3):
        assert wrote(table, command(number, HERE, sequence=sequence, given=8), 0.012) == ExcCodes.ILLEGAL_VALUE
    assert table.refused == {Refused.RANGE: 4}
    assert wrote(table, command(7, HERE, sequence=11, given=8), 0.014) is None
    assert arm.echo == 11
    assert wrote(table, command(8, HERE, sequence=5000, given=8), 0.016) == ExcCodes.ILLEGAL_VALUE
    assert wrote(table, command(9, HERE, sequence=5001, given=8), 0.018) is None  # two that agree are meant
    assert arm.echo == 5001


def test_only_the_command_block_can_be_written(table: RegisterMap) -> None:
    assert table.write(0, command(1), 0.0) == ExcCodes.ILLEGAL_ADDRESS
    assert table.read(100, 10) == ExcCodes.ILLEGAL_ADDRESS
    assert table.read(0, 200) == ExcCodes.ILLEGAL_ADDRESS


def test_the_seat_is_free_after_silence_or_goodbye(table: RegisterMap, arm: DoubleArm) -> None:
    activated(table)
    assert wrote(table, command(1, token=99), SILENT + 0.1) is None
    assert arm.state is ArmState.READY
    assert wrote(table, command(2, token=99, request=registers.LEAVE, number=1), SILENT + 0.2) is None
    assert wrote(table, command(1, token=5), SILENT + 0.2) is None


def test_limits_are_rounded_to_the_inside() -> None:
    assert limit(3.14159265, 1e6, -1) == 3141592
    assert limit(-3.14159265, 1e6, +1) == -3141592
    assert limit(None, 1e6) == limit(1e12, 1e6) == limit(float("nan"), 1e6) == registers.NONE
    assert unlimited(registers.NONE, 1e6) is None
    assert unlimited(-1, 1e6) == -1e-6
    assert counts([float("nan")], 1e6) is None
    assert counts([1e5], 1e6) is None


def test_too_many_joints_for_the_map_are_refused() -> None:
    joints = tuple(ControlledJoint(name=f"j{i}") for i in range(16))
    with pytest.raises(ControllerMismatchError, match="room for 15 joints, not 16"):
        RegisterMap(DoubleArm(joints=joints))


def test_answers_are_taken_apart_however_they_arrive() -> None:
    for framing in (TcpFraming(), RtuFraming(1)):
        number = 7 if isinstance(framing, TcpFraming) else 0
        whole = framing.frame(bytes([4, 4, 0, 1, 0, 2]), 1, 7)
        found = [answer for byte in whole for answer in framing.feed(bytes([byte]))]
        assert [(answer.number, answer.function, answer.data) for answer in found] == [(number, 4, b"\0\1\0\2")]
        (refusal,) = framing.feed(framing.frame(bytes([0x90, 6]), 1, 7))
        assert (refusal.function, refusal.exception) == (16, 6)
    assert framing.feed(b"\2\4\2\0\1\0\0") == []
    assert framing.bad == 1
    tcp = TcpFraming()
    assert tcp.feed(b"GET / HTTP/1.1\r\n") == []
    assert tcp.broken


def test_requests_have_the_bytes_of_the_standard() -> None:
    assert RtuFraming(9).frame(read_request(0x07D0, 3), 9, 0)[:6] == bytes.fromhex("090407D00003")
    assert TcpFraming().frame(coil_request(0), 1, 2) == bytes.fromhex("000200000006010500 00FF00")
    assert write_request(1024, b"\0\1") == bytes.fromhex("10040000010200 01")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with far_side("modbus") as (address, _):
        yield int(address.rpartition(":")[2])


def test_the_client_of_pymodbus_reads_writes_and_stops(port: int) -> None:
    with ModbusTcpClient("127.0.0.1", port=port) as client:
        identity = client.read_input_registers(registers.IDENTITY_AT, count=5)
        assert identity.registers[:4] == [1, 4, 1000, 300]
        name = client.read_holding_registers(registers.JOINTS_AT, count=16).registers
        assert b"".join(word.to_bytes(2, "big") for word in name).rstrip(b"\0") == b"base"
        words = np.frombuffer(command(1), dtype=">u2").tolist()
        assert not client.write_registers(registers.COMMAND_AT, words).isError()
        assert client.write_registers(registers.COMMAND_AT, words).exception_code == ExcCodes.ILLEGAL_VALUE
        assert client.write_register(3, 1).isError()
        assert not client.write_coil(0, True).isError()
        assert client.read_coils(0, count=1).bits[0]
        assert client.read_input_registers(2, count=1).registers == [2]
        answer = client.readwrite_registers(
            read_address=0,
            read_count=8,
            write_address=registers.COMMAND_AT,
            values=np.frombuffer(command(2, request=Request.RESET, number=1), dtype=">u2").tolist(),
        )
        assert answer.registers[2] == 0
        assert client.read_exception_status().isError()
        leave = np.frombuffer(command(3, request=registers.LEAVE, number=2), dtype=">u2").tolist()
        assert not client.write_registers(registers.COMMAND_AT, leave).isError()


@pytest.mark.skipif(shutil.which("mbpoll") is None, reason="mbpoll is not installed (Debian package mbpoll)")
def test_mbpoll_of_debian_reads_and_writes_the_arm(port: int) -> None:
    def mbpoll(*words: str) -> str:
        line = ["mbpoll", "-0", "-1", "-q", "-a", "1", "-p", str(port), *words]
        done = subprocess.run(line, capture_output=True, text=True, timeout=10.0, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def number(text: str, place: int) -> int:
        return next(int(line.split()[1]) for line in text.splitlines() if line.startswith(f"[{place}]"))

    identity = mbpoll("-t", "3", "-r", "256", "-c", "4", "127.0.0.1")
    assert [number(identity, 256 + i) for i in range(4)] == [1, 4, 1000, 300]
    slide = mbpoll("-t", "3:int", "-B", "-r", str(registers.STATE_AT + 34 + 4), "-c", "1", "127.0.0.1")
    assert number(slide, 38) == 100_000  # the third joint stands at 0.1 m
    mbpoll("-t", "0", "-r", "0", "127.0.0.1", "1")
    assert number(mbpoll("-t", "4", "-r", "2", "-c", "1", "127.0.0.1"), 2) == 2  # STOPPED
    words = np.frombuffer(command(7, request=Request.RESET, number=1, token=77), dtype=">u2").tolist()
    mbpoll("-t", "4:hex", "-r", str(registers.COMMAND_AT), "127.0.0.1", *(hex(word) for word in words))
    assert number(mbpoll("-t", "4", "-r", "2", "-c", "1", "127.0.0.1"), 2) == 0  # READY
