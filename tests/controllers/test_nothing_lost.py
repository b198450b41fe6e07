"""Over ZeroMQ nothing is overwritten on the way: what was lost and what was merely passed over are counted apart."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing

import numpy as np
import pytest

from firmware_bridge.arm.curve import Endpoint
from firmware_bridge.arm.driver import ArmController
from firmware_bridge.arm.protocol import Refused
from firmware_bridge.arm.zeromq import BACKLOG, ZeroMqLink
from sim_devices.arm import emulated_arm
from sim_devices.arm_links.desk import Arrivals
from sim_devices.arm_links.zeromq import ZeroMqArm
from station.bilateral import HandEnd
from station.clock import VirtualClock
from station.controllers import ControllerStatus
from station.controllers.words import HandWords
from tests.controllers.double import DoubleArm
from tests.sim_devices.arm.benches import lever

pytestmark = pytest.mark.wall_clock

PATIENCE = 20.0  # on a busy machine [s]


class Pair:
    """Station and arm on one virtual clock, over a name in this process or over real sockets."""

    def __init__(self, place: Endpoint | str) -> None:
        self.clock, self.arm = VirtualClock(), DoubleArm()
        self.server = ZeroMqArm(self.arm, place, self.clock)
        address = self.server.address
        base = address if isinstance(place, str) else place._replace(port=int(address.rpartition(":")[2]))
        self.link = ZeroMqLink(address, base)
        self.station = ArmController(address, self.clock, self.link)
        self.station.wait_until_ready(timeout=60.0)  # of the virtual clock: real sockets take their own time
        self.sequence = 0
        self.station.activate()
        self.patiently(self._is_followed)
        self._send(0.0)
        self.patiently(lambda: self.arm.echo == self.sequence)
        self.before = self.server.desk.arrivals

    def _is_followed(self) -> bool:
        self.station.newest()
        return self.station.status is ControllerStatus.ACTIVE and self._send(0.0)

    def _send(self, place: float) -> bool:
        self.sequence += 1
        return self.station.send(np.array([place, 0.0, 0.1, 0.0]), None, None, self.sequence)

    def burst(self, count: int) -> float:
        """Send so many setpoints without a pause; the place that the last one tells."""
        places = 0.001 * np.arange(1, count + 1)
        assert all(self._send(place) for place in places.tolist())
        return float(places[-1])

    @property
    def arrived(self) -> Arrivals:
        """Since the beginning of the test."""
        return Arrivals(*(now - then for now, then in zip(self.server.desk.arrivals, self.before, strict=True)))

    def patiently(self, done: Callable[[], bool]) -> None:
        """Let the arm live a little at a time until something is so; wall time, as real sockets need."""
        end = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < end:
            self.clock.advance(1e-5)
            time.sleep(1e-4)
        assert done()

    def close(self) -> None:
        self.station.close()
        self.server.close()


@pytest.fixture(params=["inproc", "tcp"])
def pair(request: pytest.FixtureRequest) -> Iterator[Pair]:
    place = Endpoint("127.0.0.1", 0) if request.param == "tcp" else "inproc://nothing-lost"
    with closing(Pair(place)) as made:
        yield made


def test_of_a_burst_all_arrive_and_the_newest_is_applied(pair: Pair) -> None:
    count = BACKLOG // 2
    place = pair.burst(count)
    pair.patiently(lambda: pair.arrived.came == count)
    assert pair.arrived.lost == 0
    assert pair.arm.q[0] == place
    assert pair.arm.echo == pair.sequence
    assert sum(pair.server.desk.refused.values()) == 0


def test_what_the_arm_finds_together_is_passed_over_but_for_the_newest() -> None:
    with closing(Pair("inproc://found-together")) as pair:
        applied = pair.server.desk.setpoints
        place = pair.burst(20)
        pair.clock.advance(1e-5)  # one look
        assert pair.arrived == Arrivals(came=20, passed_over=19, lost=0)
        assert pair.server.desk.setpoints == applied + 1
        assert pair.arm.q[0] == place


def test_bursts_on_real_sockets_are_passed_over_in_part_and_never_lost() -> None:
    with closing(Pair(Endpoint("127.0.0.1", 0))) as pair:
        applied = pair.server.desk.setpoints
        for _ in range(5):
            pair.burst(100)
            time.sleep(0.02)  # the arm is scheduled late
            pair.patiently(lambda: pair.arm.echo == pair.sequence)
        came, passed_over, lost = pair.arrived
        assert (came, lost) == (500, 0)
        assert passed_over > 0
        assert pair.server.desk.setpoints - applied == came - passed_over


def test_a_setpoint_that_never_arrives_is_counted_as_lost(pair: Pair) -> None:
    pair.burst(1)
    pair.sequence += 7  # as if these had gone astray
    pair.burst(1)
    pair.patiently(lambda: pair.arm.echo == pair.sequence)
    assert pair.arrived.lost == 7
    assert pair.arrived.came == 2


def test_rubbish_and_replays_among_a_burst_are_refused_and_the_newest_sound_one_is_applied() -> None:
    with closing(Pair("inproc://among-rubbish")) as pair:
        codec, session = pair.server.desk.codec, pair.server.desk.seats.commander
        assert session is not None

        def made(sequence: int, place: float) -> bytes:
            data = codec.setpoint(session.number, sequence, 1, np.array([place, 0.0, 0.1, 0.0]), None, None)
            assert data is not None
            return data

        old, first, newest = pair.sequence, made(pair.sequence + 1, 0.1), made(pair.sequence + 2, 0.2)
        for data in (first, newest, made(old, 0.3), first, b"rubbish", newest[:-1] + bytes([newest[-1] ^ 0xFF])):
            assert pair.link.send_setpoint(data)
        pair.clock.advance(1e-5)
        assert pair.arm.q[0] == pytest.approx(0.2)
        assert pair.arrived == Arrivals(came=2, passed_over=1, lost=0)
        refused = pair.server.desk.refused
        assert (refused[Refused.REPLAY], refused[Refused.TORN], refused[Refused.CHECK]) == (2, 1, 1)


def test_measurements_that_nobody_looked_at_are_passed_over_and_not_lost(pair: Pair) -> None:
    for _ in range(3):
        pair.station.newest()
    count, before = 200, pair.station.health
    for _ in range(count):
        pair.clock.advance(0.001)
    returned = 0
    end = time.monotonic() + PATIENCE
    while pair.station.health.received - before.received < count and time.monotonic() < end:
        returned += pair.station.newest() is not None
        time.sleep(1e-4)
    after = pair.station.health
    assert after.lost == before.lost
    assert after.received - before.received >= count
    assert 0 < returned < count  # the rest was passed over


def test_a_coupled_setpoint_is_never_passed_over() -> None:
    clock, name = VirtualClock(), "inproc://coupled-burst"
    server = ZeroMqArm(emulated_arm(lever()), name, clock)
    server.couple()
    with closing(server), ArmController(name, clock, ZeroMqLink(name, name)) as station:
        station.wait_until_ready()
        words, zeros = HandWords(1, 1, 1, 0, 1.0, 600.0, 5.0, np.eye(3), HandEnd().packet_numbers), np.zeros(2)
        for sequence in range(1, 11):
            station.couple(words if sequence % 2 else None)
            assert station.send(zeros, None, None, sequence)
        heard = server.desk.refused_setpoints  # nobody has activated it
        clock.advance(1e-5)
        assert server.desk.arrivals == Arrivals(came=10, passed_over=4, lost=0)
        assert server.desk.refused_setpoints - heard == 6  # five coupled ones, and the newest plain one
        assert sum(server.desk.refused.values()) == 0
