"""`Dashboard`: a run on the terminal while it goes on. It only reads shared state; ending it changes nothing there."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from typing import NamedTuple

from rich.console import Console
from rich.live import Live

from station.monitor.collector import Collector
from station.monitor.glyphs import PLAIN
from station.monitor.moment import Moment
from station.monitor.plain import change_of, line_of, named, reason_of, sign_of
from station.monitor.run import Ending, Run
from station.monitor.screen import Screen
from station.monitor.signals import Away, Signals
from station.servo.shared import Cause

REFRESH = 6.0  # pictures per second [Hz]
LINE_EVERY = 1.0  # where there is no terminal [s]
MOST_CHANGES = 4  # of state that are told at a time: a supervisor that flutters must not flood a log
LEAST_SCALE = 1.0  # of the force bars [N]
SAID_FOR = 4.0  # a line that somebody says stays on the picture [s]
GIVE_UP_AFTER = 5.0  # a servo that lives but does not tick for so long [s]


class Told(NamedTuple):
    """What a log has of the changes of state."""

    changes: int = 0
    reason: bool = False  # of the last one


def _never() -> bool:
    return False


class Dashboard:
    """Shows what a collector collects, until the servo ends, the time is over or somebody asks.

    Args:
        collector: of the servo to show.
        console: where to; the standard output if not given. A live picture on a terminal, else lines.
        refresh: pictures per second [Hz].
    """

    def __init__(self, collector: Collector, console: Console | None = None, refresh: float = REFRESH) -> None:
        if not 0.1 <= refresh <= 60.0:
            raise ValueError(f"refresh {refresh:g} Hz: from 0.1 to 60 is allowed")
        self.collector = collector
        self.console = console or Console()
        self._pause = 1.0 / refresh
        self.signals = Signals(nullcontext)  # of the run that is followed
        self._said, self._said_at = "", 0.0

    def say(self, line: str) -> None:
        """Something that a person should read now: for a moment in the picture, else as a line."""
        self._said, self._said_at = line, self.collector.now
        if not self.console.is_terminal:
            self._print(line)

    def note(self, line: str) -> None:
        """Something that stays true: said, and it stays in the picture, as far as there is room."""
        self.say(line)
        bench = self.collector.bench
        self.collector.bench = replace(bench, notes=(*bench.notes, line))

    def moment(self) -> Moment | None:
        """What there is to show now, of the first part; None before the first tick."""
        return self._moment_of(self.collector)

    @property
    def further(self) -> list[Moment]:
        """The same of further parts, as far as they have ticked."""
        return [moment for part in self.collector.further if (moment := self._moment_of(part)) is not None]

    def _moment_of(self, collector: Collector) -> Moment | None:
        if collector.last is None:
            return None
        forces = collector.tallies.forces
        return Moment(
            bench=collector.bench,
            snapshot=collector.last,
            alive=collector.state.alive,
            silent=collector.state.heartbeat_age,
            now=collector.now,
            records=collector.records,
            lost=collector.lost,
            restarts=collector.restarts,
            generated=collector.tallies.energy.book.generated,
            scale=nice_scale(float(forces.largest.max())),
            seen=frozenset(cause for number, cause in enumerate(Cause) if forces.largest[number] > 0.0),
            steal=collector.steal,
            said=self._said if collector is self.collector and collector.now - self._said_at < SAID_FOR else "",
            signs=tuple(sign.told for sign in collector.tallies.signs.standing),
        )

    def screen(self) -> Screen:
        """The picture of now; anything that rich prints may contain it."""
        return Screen(self.moment(), further=self.further)

    def follow(self, seconds: float | None = None, stop: Callable[[], bool] = _never, away: Away = nullcontext) -> Run:
        """Show and collect for `seconds` [s], until `stop` says so, the servo ends, or somebody presses Ctrl-C.

        Ctrl-C, SIGTERM and SIGHUP end this in order, and the run is returned (`signals` has which); twice they are an
        interrupt as usual. `away` is entered while Ctrl-Z has stopped this program.
        """
        collector = self.collector
        collector.ending = Ending.STILL_RUNNING
        show = self._live if self.console.is_terminal else self._lines
        with Signals(away) as self.signals:
            show(lambda: self._step(seconds, stop))
        return self.rest()

    def rest(self) -> Run:
        """The run with what the servo wrote while it ended."""
        self.collector.poll()
        return self.collector.run()

    def _step(self, seconds: float | None, stop: Callable[[], bool]) -> bool:
        """Collect what is new; returns whether to go on."""
        collector = self.collector
        alive = collector.state.alive  # asked first: what it wrote before its end is then there to be read
        collector.poll()
        silent = collector.state.heartbeat_age
        if not alive:
            collector.ending = Ending.SERVO_ENDED
        elif self.signals.ended_by or stop():
            collector.ending = Ending.ASKED
        elif seconds is not None and collector.now >= seconds:
            collector.ending = Ending.TIME_OVER
        elif collector.records and silent > GIVE_UP_AFTER:
            collector.ending = Ending.SERVO_SILENT
        return collector.ending is Ending.STILL_RUNNING

    def _live(self, step: Callable[[], bool]) -> None:
        with Live(console=self.console, screen=True, auto_refresh=False, transient=True) as live:
            while step():
                if self.signals.stop_asked:
                    live.stop()
                    self.signals.stop()
                    live.start()
                live.update(self.screen(), refresh=True)
                time.sleep(self._pause)

    def _lines(self, step: Callable[[], bool]) -> None:
        due, told = 0.0, [Told() for _ in self.collector.parts]
        while True:
            more, moment = step(), self.moment()
            for number, part in enumerate(self.collector.parts):
                told[number] = self._tell_changes(part, told[number])
                for change in part.tallies.signs.changes():
                    self._print(sign_of(change), part)
            if moment and (moment.now >= due or (not more and moment.now > due - LINE_EVERY)):
                for one in (moment, *self.further):
                    self._print(line_of(one))
                due = moment.now - moment.now % LINE_EVERY + LINE_EVERY
            if not more:
                return
            if self.signals.stop_asked:
                self.signals.stop()
            time.sleep(self._pause)

    def _tell_changes(self, part: Collector, told: Told) -> Told:
        spells = part.tallies.spells.all
        if not told.reason and told.changes and spells[told.changes - 1].reason:  # it came later than the change
            self._print(reason_of(spells[told.changes - 1]), part)
        for spell in spells[told.changes : told.changes + MOST_CHANGES]:
            self._print(change_of(spell), part)
        if len(spells) > told.changes + MOST_CHANGES:
            self._print(f"… {len(spells) - told.changes - MOST_CHANGES} more changes of state", part)
        return Told(len(spells), bool(spells and spells[-1].reason))

    def _print(self, line: str, part: Collector | None = None) -> None:
        line = named(part.bench.part, line) if part is not None else line
        if self.console.options.ascii_only:
            line = line.translate(PLAIN)
        self.console.print(line, markup=False, highlight=False, soft_wrap=True)


def nice_scale(largest: float) -> float:
    """The next of 1, 2, 5, 10, 20 … above [N]: bars that are scaled anew all the time cannot be read."""
    scale = LEAST_SCALE
    while scale < largest and scale < 1e6:
        scale *= 2.5 if str(scale)[0] == "2" else 2.0
    return scale
