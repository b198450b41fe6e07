"""Arms of one physics in one process: what was missed while the machine was busy acts in its order."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from sim_devices.arm import World
from sim_devices.arm_links.desk import Desk
from sim_devices.arm_links.emulator import HELD_UP, MessageEmulator, run_together
from sim_devices.arm_links.process import ArmWishes, started_together
from sim_devices.arm_links.seats import Peer
from sim_devices.running import running
from station.clock import WALL
from station.controllers import ControllerStatus, open_controller
from tests.servo.test_killed_arm import waited
from tests.sim_devices.arm.benches import shipped

PAIR = "robots/two_arms_bar.mad"


class Mute(MessageEmulator):
    """An arm without a link, to which messages come as a test says."""

    address = "mute:"

    def __init__(self, machine: Any, acted: list[tuple[str, float]], name: str) -> None:
        super().__init__(machine, WALL)
        self.desk = Desk(machine)
        self.waiting: list[tuple[Peer, bytes]] = []
        self._note: Callable[[float], None] = lambda moment: acted.append((name, moment))

    def _urgent(self, each: bool = False) -> list[tuple[Peer, bytes]]:
        del each
        waiting, self.waiting = self.waiting, []
        return waiting

    def _hear(self, heard: list[tuple[Peer, bytes]], moment: float) -> None:
        for _ in heard:
            self._note(moment)

    def _send(self, peer: Peer, data: bytes) -> None:
        del peer, data

    def _publish(self, data: bytes) -> None:
        del data

    def _doors(self) -> list[int]:
        return []

    def _release(self) -> None:
        pass


@pytest.fixture(name="pair")
def _pair() -> Iterator[tuple[list[Mute], list[tuple[str, float]]]]:
    world, acted = World(shipped("two_arms_bar")), list[tuple[str, float]]()
    left, right = (Mute(world.arms[name], acted, name) for name in ("left", "right"))
    with closing(left), closing(right):
        yield [left, right], acted


def test_what_came_to_two_arms_while_the_machine_was_busy_acts_in_turns(
    pair: tuple[list[Mute], list[tuple[str, float]]],
) -> None:
    servers, acted = pair
    run_together(servers, 0.003)
    acted.clear()
    now = WALL.now()
    for server in servers:
        server._lived = now - 0.03  # as if nobody had looked at them since
        server.waiting = [("setpoints", b"x")] * 10
    world = servers[0].machine.world  # type: ignore[attr-defined]
    run_together(servers, 0.001)
    assert sorted(acted, key=lambda one: one[1]) == acted
    assert [name for name, _ in acted] == ["left", "right"] * 10
    moments = [moment for _, moment in acted]
    assert moments[-1] - moments[0] > HELD_UP
    assert world.moment >= moments[-1] - 0.001


def test_a_process_that_is_killed_takes_all_its_arms_along() -> None:
    wishes = [ArmWishes(PAIR, robot="left"), ArmWishes(PAIR, robot="right")]
    with (
        started_together(wishes) as (at_left, at_right),
        open_controller(at_left) as left,
        open_controller(at_right) as right,
    ):
        assert left.status is right.status is ControllerStatus.READY
        (process,) = {note.process for note in running() if note.address in (at_left, at_right)}
        os.kill(process, signal.SIGKILL)

        def lost() -> bool:
            left.newest()
            right.newest()
            return left.status is right.status is ControllerStatus.LOST

        assert waited(lost)
