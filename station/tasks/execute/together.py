"""`Together`: a task of several robots, each arm with a player of its own, all at one place of the task.

There is one place that moves along the task, within the limits of all joints of all arms. It goes on only if every
player wants it to, as slowly as the slowest; when one stops, for whatever reason, all come to rest on their paths.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from station.clock import WALL, Clock
from station.controllers import Controller
from station.tasks.execute.player import LONGEST, Player
from station.tasks.execute.prepare import Prepared, between_for, player_for
from station.tasks.execute.settings import ExecuteSettings
from station.tasks.execute.tooling import TaskTool
from station.tasks.execute.walking import NEAR, Point, Walker
from station.tasks.execute.words import ExecuteError, Happening, Progress, State
from station.tasks.task import Limits, Task, TaskError, check_together
from station.tasks.task.model import Floats
from station.tasks.verify.between import Approach, Between, ease_in_together

EMERGENCY = "emergency stop"
# What is said of all: the first of these that any of them is in.
ORDER = (
    *(State.LINK_LOST, State.HELD, State.HAND, State.LEAVING, State.READY, State.STARTING, State.EASING_IN),
    *(State.PAUSED, State.BACKING, State.RUNNING),
)


class Wish(NamedTuple):
    """What a player wants of the place."""

    speed: float  # share
    end: float  # where to [s]
    hurry: bool


class Share(Walker):
    """The common place, as one player knows it: what it asks for takes effect in the next tick."""

    def __init__(self, task: Task, limits: Limits, ramp: float) -> None:
        super().__init__(np.asarray(task.q), task.period, limits, ramp)
        self.wish: Wish | None = None  # of this tick; None: it does not go on
        self._halted = False

    def go(self, wanted: float, end: float, dt: float, hurry: bool = False) -> Point:  # noqa: ARG002 (all move at once)
        """Want to go on."""
        self.wish, self._halted = Wish(wanted, end, hurry), False
        return self.at(self.place)

    def stop(self, dt: float, hurry: bool = False) -> Point:  # noqa: ARG002 (likewise)
        """Want to come to rest."""
        self.wish, self._halted = Wish(0.0, self.place, hurry), False
        return self.at(self.place)

    def halt(self) -> None:
        """Its own arm stands; the others come to rest on their paths."""
        self.wish, self.rate, self._halted = None, 0.0, True

    def follow(self, common: Walker) -> None:
        """The place has moved."""
        self.place, self.rate, self.wish = common.place, 0.0 if self._halted else common.rate, None


class Together:
    """Leads several arms along a task. Has the orders of a `Player`, each for all of them.

    Args:
        players: one for each robot, with the same period; see `players_for`.
        clock: whose time.
        between: what is between the robots, for the ways to where the task begins; None: they are far apart.
    """

    def __init__(self, players: Sequence[Player], clock: Clock = WALL, between: Between | None = None) -> None:
        check_together([player.task for player in players])
        self.players, self.clock, self._between = tuple(players), clock, between
        if len({player.arm.period for player in players}) > 1:
            raise ExecuteError("arms that move together need the same period; make their players with players_for")
        self.walker, self._shares = _common(players, [player.task for player in players])
        for player, share in zip(players, self._shares, strict=True):
            player.walker = share
        self._ease: tuple[Walker, list[Share]] | None = None  # the way to the path, for those that are off it
        self._last = clock.now()

    # What a person asks for ------------------------------------------------------------------------------------

    def start(self) -> None:
        """Ease in, all arms from their measured poses at the same time; the task begins when all are there."""
        self._need(State.READY)
        self._plan_ways(self.players)  # before any is asked to follow: it must hear of us all the time from then on
        for player in self.players:
            player.set_out()

    def _plan_ways(self, away: Sequence[Player]) -> bool:
        """Plan ways to the path that have one place for all that are off it, checked with each other."""
        for player in self.players:
            player.look_where()
        wanted = [
            Approach(
                player.task,
                player.bench,
                np.array(player.arm.measured),
                player.walker.at(player.walker.place).q,
                player in away,
            )
            for player in self.players
        ]
        try:
            ways = [way for way in ease_in_together(wanted, self._between) if way is not None]
        except TaskError as error:
            for player in away:
                player.no_way(error)
            return False
        self._ease = _common(away, ways)
        for player, way, share in zip(away, ways, self._ease[1], strict=True):
            player.take_way(way, share)
        return True

    def pause(self) -> None:
        """Come to rest, all on their paths."""
        self._need(State.RUNNING, State.BACKING)
        self._hold("paused")

    def resume(self) -> None:
        """Go on, those that are off their paths after easing back."""
        self._need(State.PAUSED, State.HELD, State.LINK_LOST)
        away = [player for player in self.players if player.state in (State.HELD, State.LINK_LOST)]
        if away and not self._plan_ways(away):
            return
        for player in self.players:
            if player in away:
                player.set_out()
            elif player.state is State.PAUSED:
                player.resume()
            player.go_to(self.walker.length)

    def step(self) -> None:
        """Go on to the next end of a segment of any robot, then pause."""
        self._need(State.PAUSED, State.RUNNING)
        place = self.walker.place + 1e-6
        ends = [segment.end * p.task.period for p in self.players for segment in p.task.segments]
        end = min(end for end in ends if end > place) if place < self.walker.length else self.walker.length
        for player in self.players:
            player.step()
            player.go_to(end)

    def back_up(self, to: float = 0.0) -> None:
        """Back along all paths to a place [s], then pause."""
        self._need(State.PAUSED, State.RUNNING)
        for player in self.players:
            player.back_up(to)

    def speed(self, override: float) -> None:
        """A share of the speed, from now on."""
        for player in self.players:
            player.speed(override)

    def take_over(self) -> None:
        """Not possible: one hand cannot lead several arms."""
        raise ExecuteError("the hand can take over a task of one robot, not of several")

    def abort(self, reason: str = "aborted") -> None:
        """Ease out, all of them."""
        for player in self.players:
            player.abort(reason)

    def emergency_stop(self) -> None:
        """Stop all arms by their own paths, at once."""
        for player in self.players:
            if not player.state.over:
                player.emergency_stop()

    def release(self) -> None:
        """Take the torque away from all."""
        for player in self.players:
            player.release()

    # Ticks -----------------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """One period of all arms."""
        now = self.clock.now()
        dt, self._last = max(min(now - self._last, LONGEST), self.players[0].arm.period), now
        self._walk(dt)
        for player in self.players:
            player.advance()
        self._couple()
        self.players[0].wait()

    def run(self, until: Callable[[Together], bool] | None = None, seconds: float = math.inf) -> State:
        """Tick until it is over, `until` says so, or so long [s] has passed."""
        end = self.clock.now() + seconds
        while not self.state.over and self.clock.now() < end and not (until is not None and until(self)):
            self.tick()
        return self.state

    def _walk(self, dt: float) -> None:
        """Move the common places, on the path and on the way to it."""
        _moved(self.walker, self._shares, dt)
        if self._ease is not None:
            _moved(*self._ease, dt)

    def _couple(self) -> None:
        """When one has stopped, all do."""
        for player in self.players:
            why = f"{player.task.robot}: {player.reason}" if player.reason else f"{player.task.robot} is {player.state}"
            if player.state is State.FAILED and player.reason == EMERGENCY:
                self.emergency_stop()
            elif player.state in (State.FAILED, State.ABORTED):
                for other in self.players:
                    if not other.aborting:
                        other.abort(why)
            elif player.state in (State.HELD, State.LINK_LOST):
                self._hold(why)
            elif player.state is State.PAUSED:
                self._hold(player.reason)

    def _hold(self, reason: str) -> None:
        for player in self.players:
            player.hold(reason)

    # What is known ---------------------------------------------------------------------------------------------

    @property
    def state(self) -> State:
        """Of all: done when all are; else what keeps them from it."""
        states = [player.state for player in self.players]
        if all(state.over for state in states):
            return next((one for one in (State.FAILED, State.ABORTED) if one in states), State.DONE)
        return next((one for one in ORDER if one in states), State.LEAVING)

    @property
    def reason(self) -> str:
        """Why, with the robot whose reason it is."""
        state = self.state
        told = [player for player in self.players if player.state is state and player.reason]
        return "; ".join(dict.fromkeys(f"{player.task.robot}: {player.reason}" for player in told))

    @property
    def task(self) -> Task:
        """Of the first robot: marks are the same for all."""
        return self.players[0].task

    @property
    def override(self) -> float:
        """Share of the speed."""
        return self.players[0].override

    @property
    def furthest(self) -> float:
        """That a tool was from its path [m]."""
        return max(player.furthest for player in self.players)

    @property
    def progress(self) -> Progress:
        """How far it is; joints of all robots, one after the other."""
        told = [player.progress for player in self.players]
        joints: tuple[Floats, Floats] = (
            np.concatenate([one.planned for one in told]),
            np.concatenate([one.measured for one in told]),
        )
        left = max(one.left for one in told)
        return told[0]._replace(state=self.state, reason=self.reason, left=left, planned=joints[0], measured=joints[1])

    @property
    def happenings(self) -> list[Happening]:
        """Of all, in the order of time, each with its robot."""
        found = [
            one._replace(text=f"{p.task.robot}: {one.text}") for p in self.players for one in p.happenings if one.text
        ]
        return sorted(found, key=lambda one: one.time)

    def _need(self, *states: State) -> None:
        if self.state not in states:
            raise ExecuteError(f"not possible while {self.state}; allowed while {', '.join(states)}")


def _common(players: Sequence[Player], tasks: Sequence[Task]) -> tuple[Walker, list[Share]]:
    """A place on paths of several arms, within the limits of all joints, and what each player knows of it."""
    first = players[0]
    q = np.hstack([task.q for task in tasks])
    limits = Limits(*(np.concatenate(part) for part in zip(*(p.bench.limits for p in players), strict=True)))
    shares = [Share(task, p.bench.limits, p.settings.ramp) for p, task in zip(players, tasks, strict=True)]
    return Walker(q, tasks[0].period, limits, first.settings.ramp), shares


def _moved(common: Walker, shares: Sequence[Share], dt: float) -> None:
    """Move a common place as all want it; one that wants nothing holds it."""
    wishes = [share.wish for share in shares]
    wanted = [wish for wish in wishes if wish is not None]
    back = [wish for wish in wanted if wish.end < common.place - NEAR]
    hurry = any(wish.hurry for wish in wanted)
    if len(wanted) < len(wishes):
        common.stop(dt, hurry=True)
    elif any(wish.speed == 0.0 for wish in wanted):
        common.stop(dt, hurry)
    elif back:  # giving way to a contact comes before going on
        common.go(min(wish.speed for wish in back), max(wish.end for wish in back), dt, hurry)
    else:
        common.go(min(wish.speed for wish in wanted), min(wish.end for wish in wanted), dt, hurry)
    for share in shares:
        share.follow(common)


def players_for(
    prepared: Sequence[Prepared],
    controllers: Mapping[str, Controller],
    settings: ExecuteSettings | None = None,
    clock: Clock = WALL,
    tools: Mapping[str, TaskTool] | None = None,
) -> Together:
    """Check the task of each robot against its arm, and what is between them; an ExecuteError if it does not pass.

    Args:
        prepared: tasks by robot, as `opened_together` gives them.
        controllers: by the names of the robots.
        settings: tubes, forces, times; the rate is that of the slowest arm.
        clock: whose time.
        tools: for the tasks' actions, by the names of the robots.
    """
    names = [one.file.task.robot for one in prepared]
    for name in (*names, *controllers):
        if name not in controllers:
            raise ExecuteError(f"robot {name} has no arm; name it with --controller {name}=URL")
        if name not in names:
            raise ExecuteError(f"the task has no robot {name}; there are: {', '.join(names)}")
    settings = settings or ExecuteSettings()
    rate = min(settings.rate, *(controllers[name].capabilities.rate for name in names))
    settings = replace(settings, rate=rate)
    made = []
    for one in prepared:
        name = one.file.task.robot
        tool = (tools or {}).get(name)
        made.append(player_for(one, controllers[name], settings, clock, tool, together=True)[0])
    return Together(made, clock, between_for([player.task for player in made], made[0].bench))
