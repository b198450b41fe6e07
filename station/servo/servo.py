"""`Servo`: one tick after the other, on the wall's time or a test's. Everything is made and compiled beforehand."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from station.clock import WALL, Clock, WallClock
from station.mad.scene import Loss
from station.servo import tick as need
from station.servo.changes import Changes
from station.servo.pacing import Pace
from station.servo.part import Part
from station.servo.rig import Rig
from station.servo.robot import LedRobot
from station.servo.shared.runtime import PART
from station.servo.state import Depends, TickMemory
from station.servo.tick import run_tick

LEAST_WINDING_DOWN = 0.05  # for an arm that was just asked to follow, to say that it does [s]


class Servo:
    """The loop from hands to robots and back. `tick` never waits for anything but time, and never raises.

    Args:
        rigs: what its parts lead and by what, one or several.
        rate: ticks per second [Hz].
        clock: whose time; on a virtual one every run is the same.
        spin: look at the clock for this long before a tick instead of sleeping [s].
        name: of this servo among those that run.
        folder: where its shared state goes; that of this user if not given.
        text: what does not change and others may want to know, besides the names of the robot.
    """

    def __init__(
        self,
        rigs: Rig | Sequence[Rig],
        rate: float = 1000.0,
        clock: Clock = WALL,
        spin: float = 0.0,
        name: str | None = None,
        folder: Path | None = None,
        text: dict[str, Any] | None = None,
    ) -> None:
        rigs = (rigs,) if isinstance(rigs, Rig) else tuple(rigs)
        self.clock, self.period = clock, 1.0 / rate
        self.pace = Pace(self.period, clock, spin)
        self.parts: list[Part] = []
        robots: dict[int, LedRobot] = {}
        for rig in rigs:
            robot = robots.setdefault(id(rig.robot), LedRobot(rig, sum(one.robot is rig.robot for one in rigs)))
            self.parts.append(Part(self, rig, robot, self._shows(name, folder), dict(text or {})))
        self.robots = tuple(robots.values())
        self._let_stand()
        self._tied = [tied for tied in (robot.tie_arms() for robot in self.robots) if tied is not None]
        self.memory = TickMemory(p=len(rigs), s=len(self._tied), pace=self.pace.state)
        self.memory.tied[:] = [tied.address for tied in self._tied]
        self.memory.parts[:] = [part.memory.address for part in self.parts]
        self.memory.depends[:] = [[depends(part, other) for other in self.parts] for part in self.parts]
        self.changes = Changes(self)
        self._see_to: dict[int, Callable[[Part], object]] = {
            need.WAIT: lambda _part: self.pace.wait(),
            need.DEVICE: Part.read_device,
            need.COMMANDS: Part.take_commands,
            need.CHANGE: lambda _part: self.changes.step(),
            need.ARM: Part.measure,
            need.OBEY: Part.obey,
            need.REFINE: Part.refine_obstacles,
            need.FORCE: Part.mind_force,
            need.PUSH: Part.push,
            need.SETPOINT: Part.send_setpoint,
            need.UPKEEP: Part.look_after_link,
            need.RARELY: self._show_rarely,
        }
        self._share_interpreter()
        self._warm_up()

    def _let_stand(self) -> None:
        """Arms that other robots carry stand where these are measured."""
        arms = {part.rig.alone.robot.name: part.arm for part in self.parts}
        for part in self.parts:
            on = part.rig.scene.robot(part.rig.alone.robot.name).base.on
            if part.arm is not None and part.memory.owns_arm and on is not None and on.part is not None:
                part.arm.stand_on(arms.get(on.part.robot))

    @property
    def part(self) -> Part:
        """The first part, and as a rule the only one."""
        return self.parts[0]

    def _shows(self, name: str | None, folder: Path | None) -> tuple[str | None, Path | None]:
        """Where the next part shows itself: the first under the servo's own name, others beside it."""
        if not self.parts:
            return name, folder
        return f"{self.part.writer.name}{PART}{len(self.parts)}", folder

    # Ticks -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """Wait for the next moment of the grid and do everything once."""
        memory, parts, needed = self.memory, self.parts, run_tick(self.memory, need.BEGIN)
        while needed != need.DONE:
            self._see_to[needed](parts[memory.part])
            needed = run_tick(memory, needed)

    def rehearse(self, ticks: int = 20) -> None:
        """Tick a few times at full rate, so that nothing is done for the first time when it counts; not counted."""
        self.pace.start()
        for _ in range(ticks):
            self.tick()
        self.pace.statistics.clear()
        for part in self.parts:
            part.began()

    def run(self, seconds: float = math.inf, stop: Callable[[], bool] | None = None) -> None:
        """Tick for so long [s], or until `stop` says so; it is asked after every tick."""
        self.pace.start()
        end = self.clock.now() + seconds
        while self.clock.now() < end - 0.5 * self.period and not (stop is not None and stop()):
            self.tick()

    def wind_down(self, at_once: Callable[[], bool] = lambda: False) -> bool:
        """End in order: setpoints brake, the arms then hold by themselves, forces ramp away.

        Returns whether all is at rest. It takes no longer than `rest_within` of the supervisor, and no tick more when
        `at_once` says so.
        """
        for part in self.parts:
            part.orders.let_go()
            part.facts.ask("shutdown")
            part.rig.renderer.tuning.wanted.strength[:] = 0.0  # each along its ramp
        least = self.clock.now() + LEAST_WINDING_DOWN
        most = self.clock.now() + max(part.supervisor.settings.rest_within for part in self.parts)
        while self.clock.now() < most and not at_once():
            self.tick()
            if self.clock.now() >= least and self._at_rest:
                return True
        return self._at_rest

    @property
    def _at_rest(self) -> bool:
        """Whether nothing is asked of anybody any more."""
        return all(part.at_rest for part in self.parts)

    def _show_rarely(self, part: Part) -> None:
        """What changes rarely, or takes long to find out."""
        part.show_rarely()
        self._share_interpreter()

    def _share_interpreter(self) -> None:
        """Sleep outside compiled code while other threads of Python live: those of drivers could not run meanwhile.

        A thread that talks to a Falcon takes the interpreter several times per sample; one that gets it only where a
        tick leaves compiled code has samples that are tens of milliseconds old.
        """
        self.pace.compiled = threading.active_count() == 1
        on_wall = isinstance(self.clock, WallClock)
        self.memory.waits_in_python = not (on_wall and self.pace.compiled)

    def _warm_up(self) -> None:
        """Compile and load all that a tick needs; nothing moves and nothing is remembered."""
        living = [record for part in self.parts for record in part.living]
        kept = [record.copy() for record in living]
        self.pace.warm_up()
        other = Pace(self.period)
        self._take_pace(other)
        for after in range(need.DEVICE, need.DONE):  # from every place where Python may have had a part
            self.memory.part = 0
            run_tick(self.memory, after)
        self._take_pace(self.pace)
        for part in self.parts:
            if part.arm is not None:
                part.arm.load()
            part.intake.serve(part.orders.decide, 0)
        for record, before in zip(living, kept, strict=True):
            record.take(before)
        for part in self.parts:
            part.rig.robot.interrupted()
            part.writer.forget()
        self.memory.part = 0

    def _take_pace(self, pace: Pace) -> None:
        self.memory.pace = pace.state
        for part in self.parts:
            part.memory.pace = pace.state

    def close(self) -> None:
        """Take forces away and remove the shared state; devices are the caller's to close. May be called twice."""
        for part in self.parts:
            part.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def depends(part: Part, other: Part) -> Depends:
    """Whose loss stops a part: of an arm that its own is tied to, and what the file says."""
    if part is other:
        return Depends.NOTHING
    needs = Depends.NOTHING
    controllers = other.rig.alone.robot.controllers
    stops_all = any(controller.loss is Loss.ALL for controller in controllers)
    if stops_all or (part.robot is other.robot and part.arm is not other.arm):
        needs |= Depends.ARM
    if other.rig.settings.loss is Loss.ALL:
        needs |= Depends.HAND
    return needs
