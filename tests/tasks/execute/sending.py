"""A task that is sent ahead: an arm with its far end, and a station, on one clock, with emulated networks between."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from sim_devices.arm.network import Network, NetworkSettings
from station.clock import VirtualClock
from station.tasks.execute import ExecuteSettings, Player, accepted, player_for
from station.tasks.execute.ahead import FarEnd, NearEnd
from station.tasks.task import Task, TaskFile, save
from tests.tasks.execute.places import Place


class Wire:
    """One end of a pair of emulated networks."""

    def __init__(self, clock: VirtualClock, out: Network[bytes], back: Network[bytes]) -> None:
        self._clock, self._out, self._back = clock, out, back
        self.cut = False

    def send(self, message: bytes) -> None:
        if not self.cut:
            self._out.send(self._clock.now(), message)

    def receive(self) -> list[bytes]:
        arrived = self._back.due(self._clock.now())
        return [] if self.cut else arrived


class Far:
    """Both ends."""

    def __init__(
        self, made: Place, folder: Path, task: Task, delay: float, loss: float, verified: dict[str, Any] | None = None
    ) -> None:
        self.made = made
        settings = NetworkSettings(
            delay=delay, jitter=0.02, loss=loss, corrupt=loss / 2, duplicate=loss, in_order=False
        )
        there, back = Network[bytes](settings, seed=1), Network[bytes](settings, seed=2)
        self.station, self.beside = Wire(made.clock, there, back), Wire(made.clock, back, there)
        self.path = folder / "task.mcap"
        file = made.file(task, **(verified or {}))
        save(task, self.path, verified=file.verified)

        def make(found: TaskFile) -> Player:
            return player_for(accepted(found), made.controller, ExecuteSettings(), made.clock)[0]

        self._make = make
        self.start_far_end()
        self.near = NearEnd(self.station, self.path, made.clock)

    def start_far_end(self) -> None:
        """It knows nothing yet."""
        self.far = FarEnd(self.beside, self._make, self.made.clock, link_limit=1.0)

    def until(self, done: Callable[[], bool], seconds: float = 30.0) -> None:
        end = self.made.clock.now() + seconds
        while not done():
            assert self.made.clock.now() < end, self.near.shown
            self.near.tick()
            self.far.tick()

    def begin(self) -> None:
        self.near.order("prepare")
        self.near.order("start")
        self.until(lambda: self.near.waiting == 0)
        assert [answer for _, answer in self.near.answers] == ["", ""]

    @property
    def player(self) -> Player:
        assert self.far.player is not None
        return self.far.player
