"""ROBOTIS's own dynamixel-sdk drives the emulated arm, whose physics runs in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

import robots
from sim_devices.arm_links.process import ArmWishes, started

pytestmark = pytest.mark.wall_clock

sdk = pytest.importorskip("dynamixel_sdk")

TORQUE, GOAL, PROFILE, WATCHDOG, TEMPERATURE_LIMIT, PRESENT = 64, 116, 112, 98, 31, 132
PATIENCE = 20.0  # [s]
LATE = 0.1  # after which an answer that the SDK did not wait for has come: it would be taken for that of the next [s]


@pytest.fixture(scope="module")
def line() -> Iterator[tuple[Any, Any, list[int]]]:
    """Port, packet handler and ids."""
    with started(ArmWishes(str(robots.path("hobby-arm")), link="dynamixel:")) as address:
        place, _, options = address.removeprefix("dynamixel:").partition("?")
        idents = [int(word) for word in dict(pair.split("=") for pair in options.split("&"))["ids"].split(",")]
        port, handler = sdk.PortHandler(place), sdk.PacketHandler(2.0)
        assert port.openPort()
        assert port.setBaudRate(4_000_000)
        yield port, handler, idents
        port.closePort()


def retried(ask: Callable[[], tuple[Any, ...]]) -> tuple[Any, ...]:
    """The SDK gives up after some 30 ms, which a busy machine may take."""
    end = time.monotonic() + PATIENCE
    while True:
        answer = ask()
        if answer[-2] == sdk.COMM_SUCCESS or time.monotonic() > end:
            return answer
        time.sleep(LATE)


def to_all(line: tuple[Any, Any, list[int]], address: int, size: int, values: list[int]) -> None:
    port, handler, idents = line
    group = sdk.GroupSyncWrite(port, handler, address, size)
    for ident, value in zip(idents, values, strict=True):
        assert group.addParam(ident, list(value.to_bytes(size, "little")))
    assert group.txPacket() == sdk.COMM_SUCCESS


def of_all(line: tuple[Any, Any, list[int]], address: int, size: int, fast: bool) -> list[int]:
    port, handler, idents = line
    group = sdk.GroupSyncRead(port, handler, address, size)
    for ident in idents:
        assert group.addParam(ident)
    end = time.monotonic() + PATIENCE
    while (group.fastSyncRead() if fast else group.txRxPacket()) != sdk.COMM_SUCCESS:
        assert time.monotonic() < end
        time.sleep(LATE)
    assert all(group.isAvailable(ident, address, size) for ident in idents)
    return [group.getData(ident, address, size) for ident in idents]


def test_each_servo_answers_a_ping_with_its_model(line: tuple[Any, Any, list[int]]) -> None:
    port, handler, idents = line
    for ident in idents:
        model, result, error = retried(partial(handler.ping, port, ident))
        assert (model, result, error) == (1020, sdk.COMM_SUCCESS, 0)


def test_all_servos_answer_a_broadcast_ping(line: tuple[Any, Any, list[int]]) -> None:
    port, handler, idents = line
    end = time.monotonic() + PATIENCE
    while True:
        found, result = handler.broadcastPing(port)
        if (result == sdk.COMM_SUCCESS and len(found) == len(idents)) or time.monotonic() > end:
            break
        time.sleep(LATE)
    assert result == sdk.COMM_SUCCESS
    assert {ident: told[0] for ident, told in found.items()} == dict.fromkeys(idents, 1020)


@pytest.mark.parametrize("fast", [False, True], ids=["sync", "fast-sync"])
def test_goals_written_together_are_reached_and_read_together(line: tuple[Any, Any, list[int]], fast: bool) -> None:
    before = of_all(line, PRESENT, 4, fast)
    to_all(line, GOAL, 4, before)
    to_all(line, TORQUE, 1, [1] * len(before))
    to_all(line, PROFILE, 4, [100] * len(before))
    assert of_all(line, TORQUE, 1, fast) == [1] * len(before)
    goals = [before[0] + (200 if fast else -200), *before[1:]]
    to_all(line, GOAL, 4, goals)
    end = time.monotonic() + PATIENCE
    while abs(of_all(line, PRESENT, 4, fast)[0] - goals[0]) > 5 and time.monotonic() < end:
        pass
    assert abs(of_all(line, PRESENT, 4, fast)[0] - goals[0]) <= 5
    assert of_all(line, GOAL, 4, fast) == goals
    to_all(line, TORQUE, 1, [0] * len(before))


def test_rules_of_the_table_are_told_by_their_codes(line: tuple[Any, Any, list[int]]) -> None:
    port, handler, idents = line
    first = idents[0]

    def write(address: int, size: int, value: int) -> int:
        call = {1: handler.write1ByteTxRx, 2: handler.write2ByteTxRx, 4: handler.write4ByteTxRx}[size]
        result, error = retried(lambda: call(port, first, address, value))
        assert result == sdk.COMM_SUCCESS
        return int(error)

    assert write(TORQUE, 1, 1) == 0
    assert write(TEMPERATURE_LIMIT, 1, 70) == sdk.ERRNUM_ACCESS  # EEPROM while the torque is on
    assert write(PRESENT, 4, 0) == sdk.ERRNUM_ACCESS
    assert write(TORQUE, 1, 2) == sdk.ERRNUM_DATA_RANGE
    assert write(GOAL, 2, 100) == sdk.ERRNUM_DATA_LENGTH
    assert write(TORQUE, 1, 0) == 0
    assert write(TEMPERATURE_LIMIT, 1, 70) == 0


def test_a_tripped_watchdog_refuses_goals_until_it_is_cleared(line: tuple[Any, Any, list[int]]) -> None:
    port, handler, idents = line
    first = idents[0]
    retried(lambda: handler.write1ByteTxRx(port, first, TORQUE, 1))
    retried(lambda: handler.write1ByteTxRx(port, first, WATCHDOG, 1))
    time.sleep(0.1)  # nobody speaks for longer than 20 ms
    value, _, _ = retried(lambda: handler.read1ByteTxRx(port, first, WATCHDOG))
    assert value == 0xFF
    assert retried(lambda: handler.write4ByteTxRx(port, first, GOAL, 2048))[-1] == sdk.ERRNUM_DATA_RANGE
    assert retried(lambda: handler.write1ByteTxRx(port, first, WATCHDOG, 0))[-1] == 0
    assert retried(lambda: handler.write4ByteTxRx(port, first, GOAL, 2048))[-1] == 0
    retried(lambda: handler.write1ByteTxRx(port, first, TORQUE, 0))


def test_a_reboot_takes_the_torque_away(line: tuple[Any, Any, list[int]]) -> None:
    port, handler, idents = line
    first = idents[0]
    retried(lambda: handler.write1ByteTxRx(port, first, TORQUE, 1))
    retried(lambda: handler.reboot(port, first))
    value, result, _ = retried(lambda: handler.read1ByteTxRx(port, first, TORQUE))
    assert (value, result) == (0, sdk.COMM_SUCCESS)
