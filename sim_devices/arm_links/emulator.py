"""`ArmEmulator`: what the servers of all links have in common: a machine, a rate, and faults on the way."""

from __future__ import annotations

import select
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial

from sim_devices.arm.machine import ArmMachine
from sim_devices.arm.network import Network, NetworkSettings
from sim_devices.arm_links.desk import Answer, Desk
from sim_devices.arm_links.seats import Peer
from sim_devices.emulator import Emulator
from sim_devices.faults import FaultScript
from station.clock import WALL, Clock
from station.controllers.errors import ControllerAddressError

MOST_WIRES = 64  # peers and directions that are told apart; the oldest are forgotten
LOOK_FOR_STOPS = 32  # messages that are heard before the arm looks for a stop again
HELD_UP = 0.005  # since the last step, from which this process was kept from its work [s]
ALL = "all"  # to whom measurements go


class ArmEmulator(Emulator):
    """An arm at the end of a link: hears, moves, speaks. `machine` is what moves.

    `network` is what lies between station and arm, with the faults of the script: delay, jitter, loss, bandwidth, for
    each direction and peer. Without a script the machine's own one counts, if it has any.
    """

    def __init__(
        self,
        machine: ArmMachine,
        clock: Clock = WALL,
        faults: FaultScript | None = None,
        network: NetworkSettings | None = None,
        seed: int = 0,
    ) -> None:
        own: FaultScript | None = getattr(machine, "faults", None)  # a machine with a script keeps it up to date itself
        super().__init__(clock, own if faults is None else faults)
        self._follows = self.faults is own
        self.machine = machine
        self.period = 1.0 / machine.capabilities.rate  # of measurements [s]
        self._network, self._seed = network, seed
        self._wires: dict[tuple[str, Hashable], Network[bytes]] = {}
        self._next_measurement = 0.0
        self._knocked: Sequence[int] | None = None  # doors at which something came since the last step; None: unknown
        self.beside: list[Callable[[], object]] = []  # what else looks at this arm, after every step

    @property
    def signals(self) -> dict[str, float]:
        """What faults can depend on: the time and the joints."""
        joints = self.machine.reading().q.tolist()
        numbered = {f"q{number}": value for number, value in enumerate(joints, start=1)}
        return {"t": self.clock.now() - self._start, **numbered}

    def step_to(self, now: float) -> None:
        """Live until `now` [s, of the clock]."""
        if self._follows:
            self._step(now - self._start)
        else:
            super().step_to(now)
        for look in self.beside:
            look()

    def run(self, seconds: float = float("inf")) -> None:
        """Live on wall time for so long [s]: awake for every measurement, and whenever something comes in."""
        run_together((self,), seconds)

    def missed(self, now: float) -> list[tuple[float, Callable[[], object]]]:
        """What came in while this process was kept from its work until `now` [s], and the moments at which it acts."""
        del now
        return []

    @abstractmethod
    def _doors(self) -> list[int]:
        """File numbers where something may come in."""

    def _has_more(self) -> bool:
        """Whether something has come in that its door does not show any more."""
        return False

    @property
    def _is_faulty(self) -> bool:
        """Whether messages take the way through the network that is emulated."""
        return bool(self._network is not None or self.faults.faults or self._wires)

    def _put(self, direction: str, peer: Hashable, data: bytes, moment: float) -> None:
        wire = self._wires.get((direction, peer))
        if wire is None:
            if len(self._wires) >= MOST_WIRES:
                self._wires.pop(next(iter(self._wires)))
            self._seed += 1
            wire = self._wires[direction, peer] = Network(self._network, self._seed, self.faults)
        wire.send(moment, data)

    def _take(self, direction: str, moment: float) -> Iterator[tuple[Hashable, bytes]]:
        for (way, peer), wire in list(self._wires.items()):
            if way == direction:
                for data in wire.due(moment):
                    yield peer, data


def run_together(servers: Sequence[ArmEmulator], seconds: float) -> None:
    """Let arms of one world live on wall time for so long [s], each at its link."""
    clock, alone = servers[0].clock, len(servers) == 1
    end = clock.now() + seconds
    while (now := clock.now()) < end:
        if not alone:  # what they missed acts in its order, whosesoever it is
            for moment, act in sorted(
                (one for server in servers for one in server.missed(now)), key=lambda one: one[0]
            ):
                servers[0].machine.advance(moment)
                act()
        for server in servers:
            server.step_to(now)
        wait = min(end, *(server._start + server._next_measurement for server in servers)) - clock.now()
        knocked: Sequence[int] | None = None
        if wait > 0.0 and not any(server._has_more() for server in servers):
            doors = [door for server in servers for door in server._doors()]
            knocked = select.select(doors, (), (), min(wait, *(server.period for server in servers)))[0]
        for server in servers:
            server._knocked = knocked
    for server in servers:
        server._knocked = None


class MessageEmulator(ArmEmulator):
    """An arm that speaks our own messages, over whatever a subclass receives and sends by."""

    desk: Desk
    _restarting = False
    _lived: float | None = None  # until when [s, of the clock]
    _troubled = False  # whether messages take the way through the network that is emulated, in this step

    def couple(self) -> None:
        """Run the arm's end of a bilateral link from now on: before anybody says hello."""
        from sim_devices.arm_links.coupling import Coupling, can_couple  # loads forces and solver: few arms couple

        if not can_couple(self.machine):
            raise ControllerAddressError(
                "this arm cannot run its end of a bilateral link; allowed: a tool that measures, and no passive joints"
            )
        self.desk.coupling = Coupling(self.machine)

    @abstractmethod
    def _urgent(self, each: bool = False) -> list[tuple[Peer, bytes]]:
        """Emergency stops that came in, then setpoints; `each`: also those that newer ones make needless."""

    def _stops(self) -> list[tuple[Peer, bytes]]:
        """Emergency stops that came in since `_urgent`, where they have a way of their own."""
        return []

    def _others(self) -> list[tuple[Peer, bytes]]:
        """What else came in; looked at after a setpoint was answered."""
        return []

    @abstractmethod
    def _send(self, peer: Peer, data: bytes) -> None:
        """Send an answer; what cannot be sent is lost."""

    @abstractmethod
    def _publish(self, data: bytes) -> None:
        """Send a measurement to all."""

    def _step(self, now: float) -> None:
        moment = self._start + now
        self._troubled = self._is_faulty
        for missed, act in self.missed(moment):
            self.machine.advance(missed)
            act()
        self._lived = moment
        self.machine.advance(moment)
        if self._troubled or self._restarting:
            self._restart_if_told()
        desk = self.desk
        if desk.coupling is not None:
            desk.coupling.tick(moment)
        before = desk.setpoints
        self._hear(self._urgent(), moment)
        if desk.setpoints != before:  # a setpoint that was taken is answered at once
            self._next_measurement = now + self.period
            self._measure(moment)
        self._hear(self._others(), moment)
        if now >= self._next_measurement - 1e-9:
            self._next_measurement = max(self._next_measurement + self.period, now)
            self._measure(moment)
        if self._troubled:
            self._deliver(moment)

    def missed(self, now: float) -> list[tuple[float, Callable[[], object]]]:
        """Setpoints and stops that came in while this process was kept from its work; empty: it was not.

        An arm's own processor would not have been held up: what came meanwhile acts one after the other, not in one
        clump at the end.
        """
        begin = self._lived
        if begin is None or now - begin <= HELD_UP:
            return []
        self._troubled, self._lived = self._is_faulty, now
        heard = self._urgent(each=True)
        moments = [begin + (now - begin) * number / (len(heard) + 1) for number in range(1, len(heard) + 1)]
        return [(at, partial(self._hear, [one], at)) for at, one in zip(moments, heard, strict=True)]

    def _hear(self, heard: list[tuple[Peer, bytes]], moment: float) -> None:
        if self._troubled:
            heard = self._through_network(heard, moment)
        if heard:
            moment = max(moment, self.clock.now())  # as it came in, not as the step began: stations compare clocks
            for number, (peer, data) in enumerate(heard, 1):
                self._answer(data, peer, moment)
                if number % LOOK_FOR_STOPS == 0 and not self._troubled:  # nothing that is said keeps a stop waiting
                    for pressing, stop in self._stops():
                        self._answer(stop, pressing, moment)

    def _answer(self, data: bytes, peer: Peer, moment: float) -> None:
        answers = self.desk.hear(data, peer, moment)
        if answers:
            self._reply(answers, moment)

    def _through_network(self, heard: list[tuple[Peer, bytes]], moment: float) -> list[tuple[Peer, bytes]]:
        if not self.faults.active("deaf"):
            for peer, data in heard:
                self._put("in", peer, data, moment)
        return list(self._take("in", moment))

    def _reply(self, answers: list[Answer], moment: float) -> None:
        for peer, data in answers:
            if self._troubled:
                self._put("out", peer, data, moment)
            else:
                self._send(peer, data)

    def _measure(self, moment: float) -> None:
        data = self.desk.measurement(moment)
        events = self.desk.events(moment)
        if events:
            self._reply(events, moment)
        if data is None:
            return
        if self._troubled:
            self._put("stream", ALL, data, moment)
        else:
            self._publish(data)

    def _deliver(self, moment: float) -> None:
        for peer, data in self._take("out", moment):
            self._send(peer, data)
        for _, data in self._take("stream", moment):
            self._publish(data)

    def _restart_if_told(self) -> None:
        told = bool(self.faults) and self.faults.active("restart") is not None
        if told and not self._restarting:
            self.desk = Desk(self.machine, self.desk.ports, coupling=self.desk.coupling)
        self._restarting = told
