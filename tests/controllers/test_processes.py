"""Station and arm as processes: each is killed in turn, and there may be nobody at all."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
import pytest

from firmware_bridge.arm.linked import LinkedController
from sim_devices.arm_links.serving import far_side as far_side_of
from station.clock import WALL
from station.controllers import Controller, ControllerStatus, open_controller
from station.controllers.errors import ControllerAddressError, ControllerBusyError, ControllerNotFoundError
from tests.controllers.double import DoubleArm
from tests.controllers.far_side import far_side

pytestmark = pytest.mark.wall_clock

PATIENCE = 20.0  # on a busy machine [s]
HOLD = np.array([0.0, 0.0, 0.1, 0.0])

STATION = """
import sys, time
import numpy as np
from station.controllers import ControllerStatus, open_controller
arm = open_controller(sys.argv[1])
arm.activate()
told, sequence = False, 0
while True:
    arm.newest()
    sequence += 1
    arm.send(np.array([0.0, 0.0, 0.1, 0.0]), None, None, sequence)
    if arm.status is ControllerStatus.ACTIVE and not told:
        told = True
        print("active", flush=True)
    if arm.status is ControllerStatus.READY and not told:
        arm.activate()
    time.sleep(0.001)
"""


def until(controller: Controller, done: Callable[[], bool], sequence: list[int] | None = None) -> bool:
    end = time.monotonic() + PATIENCE
    while not done() and time.monotonic() < end:
        controller.newest()
        if sequence is not None:
            sequence[0] += 1
            controller.send(HOLD, None, None, sequence[0])
        time.sleep(0.001)
    return done()


@pytest.mark.parametrize("kind", ["zeromq", "modbus"])
def test_when_the_station_is_killed_the_watchdog_of_the_arm_speaks(kind: str) -> None:
    with far_side(kind) as (address, _), open_controller(f"{address}?role=observe") as observer:
        station = subprocess.Popen([sys.executable, "-c", STATION, address], stdout=subprocess.PIPE, text=True)
        assert station.stdout is not None
        assert station.stdout.readline() == "active\n"
        assert until(observer, lambda: observer.status is ControllerStatus.ACTIVE)
        station.kill()
        station.wait()
        station.stdout.close()
        assert until(observer, lambda: observer.status is ControllerStatus.READY)
        assert until(observer, lambda: "watchdog" in observer.reason)
        with open_controller(address) as other:  # the seat is free before long
            assert other.status is ControllerStatus.READY


def free_port() -> int:
    """The first of four free ports in a row, as near as one can tell."""
    for first in range(20_000 + os.getpid() % 5000, 32_000, 7):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            for port in range(first, first + 4):
                stack.enter_context(socket.socket()).bind(("127.0.0.1", port))
            return first
    pytest.skip("no four free ports in a row")


@pytest.mark.parametrize("scheme", ["tcp", "modbus"])
def test_when_the_arm_is_killed_it_is_lost_and_found_when_it_runs_again(scheme: str) -> None:
    place = f"{scheme}://127.0.0.1:{free_port()}"
    sequence = [0]
    with far_side(place) as (address, process):
        assert address == place
        controller = open_controller(place, wait=PATIENCE)
        assert isinstance(controller, LinkedController)
        controller.lost_after = 0.5  # a busy machine must not fail the test
        controller.activate()
        assert until(controller, lambda: controller.status is ControllerStatus.ACTIVE, sequence)
        process.kill()
        assert until(controller, lambda: controller.status is ControllerStatus.LOST, sequence)
        assert not controller.send(HOLD, None, None, sequence[0] + 1)
    with far_side(place), controller:
        assert until(controller, lambda: controller.status is ControllerStatus.READY, sequence)
        controller.activate()
        assert until(controller, lambda: controller.status is ControllerStatus.ACTIVE, sequence)


@pytest.mark.parametrize("scheme", ["tcp", "modbus"])
def test_a_connection_to_nothing_is_one_line(scheme: str) -> None:
    url = f"{scheme}://127.0.0.1:{free_port()}"
    with pytest.raises(ConnectionError) as caught:
        open_controller(url)
    assert "\n" not in str(caught.value)
    assert "127.0.0.1" in str(caught.value)


def test_one_can_wait_for_an_arm_to_appear() -> None:
    begin = WALL.now()
    with pytest.raises(ControllerNotFoundError):
        open_controller("serial:/dev/there-is-no-such-port", wait=1.0)
    assert WALL.now() - begin >= 0.5


def test_an_address_that_is_taken_is_one_line() -> None:
    server = far_side_of("tcp://127.0.0.1:0", DoubleArm())
    with pytest.raises(ControllerBusyError, match="cannot be listened at"):
        far_side_of(server.address, DoubleArm())
    server.close()
    server = far_side_of("modbus://127.0.0.1:0", DoubleArm())
    with pytest.raises(ControllerBusyError):
        far_side_of(server.address, DoubleArm())
    server.close()


@pytest.mark.parametrize(
    "link", ["udp://127.0.0.1:5", "tcp://0.0.0.0:0", "modbus://0.0.0.0:0", "serial:?x=1", "tcp://x"]
)
def test_a_far_side_that_cannot_be_is_one_line(link: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 of several kinds
        far_side_of(link, DoubleArm())
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ControllerAddressError) or "option" in str(caught.value)
