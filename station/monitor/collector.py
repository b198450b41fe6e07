"""`Collector`: follows the servo's ring of records into curves and counts of bounded size; one for each part."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from station.monitor.bench import Bench
from station.monitor.columns import Columns, places, values
from station.monitor.errors import OtherRobotError
from station.monitor.run import Curves, Ending, Gap, Run
from station.monitor.tallies import Tallies, limits
from station.monitor.thinner import CAPACITY, Thinner
from station.servo.pacing import Stage
from station.servo.pacing.machine import StealMeter
from station.servo.shared import Batch, Cause, Emulated, RecordReader, SharedStateError, Snapshot, StateReader
from station.servo.shared.memory import RECORDS, Layout, Words
from station.servo.shared.parts import part_names

BATCH = 64  # records in one go
MOST_GAPS = 1000  # kept one by one


class Collector:
    """Reads every tick of a servo, if it is polled a few times in each second; what came too late is counted.

    Args:
        state: the servo's shared state.
        capacity: places that are kept of each curve; beyond, neighbours become their lowest and highest.
        from_start: begin with the oldest record that is there; else with the next that comes.
        notes: lines that the operator should see besides, such as scheduling that the system refused.
        further: shared states of further parts of the same servo; each has a collector in `further`.
    """

    def __init__(
        self,
        state: StateReader,
        capacity: int = CAPACITY,
        from_start: bool = True,
        notes: Sequence[str] = (),
        further: Sequence[StateReader] = (),
    ) -> None:
        self._notes = tuple(notes)
        self.bench = Bench.of(state.text, state.layout.joints, self._notes)
        self.further = tuple(Collector(part, capacity, from_start) for part in further)
        self.last: Snapshot | None = None  # newest snapshot that was whole
        self.records = self.lost = self.restarts = 0
        self.ending = Ending.STILL_RUNNING
        self.tallies = Tallies(state.layout.joints)
        self._places = places(state.layout.joints)
        self._thinner = Thinner(max(place.stop for place in self._places.values()), capacity)
        self._gaps: list[Gap] = []
        self._first: tuple[float, float] | None = None  # time and time of the day of the first record [s]
        self._offset = 0.0  # of a servo that was started again [s]
        self._counted = (0, 0, 0)  # ticks, late, skipped of servos before this one
        self._late = np.zeros(len(Stage) + 1, np.int64)  # by stage, then those kept waiting, of servos before this one
        self._now = 0.0  # of the newest record, since the start of the run [s]
        self._newest = (0, 0, 0, 0)  # tick, late, skipped, lost samples of the newest record
        self._first_tick = 0
        self._emulated = 0
        self._steal = StealMeter()
        self._state, self._reader = state, RecordReader(state, from_start)
        self._name_parts()

    @property
    def parts(self) -> tuple[Collector, ...]:
        """All parts, this one first."""
        return (self, *self.further)

    @property
    def state(self) -> StateReader:
        """Of the servo that is followed."""
        return self._state

    @property
    def now(self) -> float:
        """Time of the newest record, since the start of the run [s]."""
        return self._now

    @property
    def ticks(self) -> int:
        """From the first record to the newest, skipped ones included."""
        seen = self._newest[0] - self._first_tick + 1 if self._first_tick else 0
        return self._counted[0] + seen

    @property
    def steal(self) -> float:
        """Share of the processors' time that went to other machines since the start, 0 to 1."""
        return self._steal.share()

    def poll(self) -> int:
        """Take all that is new; returns how many records that were. Never waits for the servo."""
        taken = 0
        for _ in range(2 * RECORDS // BATCH):  # a servo that is faster than this is left to the next poll
            found = self._take_next()
            taken += found
            if found < BATCH:  # what came meanwhile waits for the next poll: to chase it would never end
                break
        with contextlib.suppress(SharedStateError):  # it ended while it was publishing: the one before is the last
            self.last = self._state.read() or self.last
        if self.last is not None:
            self.tallies.spells.explain(self.last.reason_text)
        for part in self.further:
            part.poll()
        return taken

    def _take_next(self) -> int:
        """One batch, which is forgotten before the next is read: after a pause no more memory is needed than ever."""
        batch = self._reader.read(BATCH)
        if len(batch.records):
            self._take(batch)
        return len(batch.records)

    def attach(self, state: StateReader, further: Sequence[StateReader] = ()) -> None:
        """Go on with a servo that was started again: its records come after those of the one before.

        Raises:
            OtherRobotError: it has another robot, or other parts.
        """
        if len(further) != len(self.further):
            mine, other = len(self.parts), 1 + len(further)
            raise OtherRobotError(f"{state.path}: {other} parts; only a servo with {mine} can continue this run")
        if state.layout.joints != self._state.layout.joints:
            mine, other = self._state.layout.joints, state.layout.joints
            raise OtherRobotError(f"{state.path}: {other} joints; only a servo with {mine} can continue this run")
        self.poll()
        self._counted = self.ticks, self._counted[1] + self._newest[1], self._counted[2] + self._newest[2]
        self._late += self._late_of_this()
        self._first_tick, self._newest, self.last = 0, (0, 0, 0, self._newest[3]), None
        self.restarts += 1
        self._state, self._reader = state, RecordReader(state, from_start=True)
        self.bench = Bench.of(state.text, state.layout.joints, self._notes)
        for part, again in zip(self.further, further, strict=True):
            part.attach(again)
        self._name_parts()

    def run(self) -> Run:
        """Everything up to now."""
        tallies, thinner = self.tallies, self._thinner
        period = self._period()
        late = self._late + self._late_of_this()
        seconds = period if math.isfinite(period) else 0.0
        return Run(
            bench=self.bench,
            began=self._first[1] if self._first else math.nan,
            duration=self._now,
            period=period,
            ticks=self.ticks,
            records=self.records,
            lost=self.lost,
            late=self._counted[1] + self._newest[1],
            skipped=self._counted[2] + self._newest[2],
            late_by_stage={stage: int(late[stage]) for stage in Stage},
            late_waiting=int(late[-1]),
            times={measure: histogram.copy() for measure, histogram in tallies.times.items()},
            error=tallies.error.copy(),
            turn_error=tallies.turn_error.copy(),
            spells=tallies.spells.all,
            spells_left_out=tallies.spells.left_out,
            gaps=tuple(self._gaps),
            acting={flag: seconds * int(count) for flag, count in zip(limits(), tallies.acting, strict=True) if count},
            joint_acting={
                joint: (seconds * int(low), seconds * int(high), seconds * int(speed))
                for joint, (low, high, speed) in enumerate(tallies.joint_acting)
                if low or high or speed
            },
            signs={
                sign: seconds * count for sign, count in tallies.signs.ticks.items() if seconds * count > sign.settles
            },
            peak=tallies.forces.peak,
            cause_peaks={cause: float(tallies.forces.largest[number]) for number, cause in enumerate(Cause)},
            energy=tallies.energy.book,
            curves=Curves(thinner.time.copy(), thinner.low.copy(), thinner.high.copy(), self._places),
            emulated=Emulated(self._emulated),
            not_finite=tallies.not_finite,
            hand_lost=self._newest[3],
            restarts=self.restarts,
            steal=self.steal,
            ending=self.ending,
            further=tuple(replace(part.run(), ending=self.ending) for part in self.further),
        )

    def _name_parts(self) -> None:
        """Names that tell parts from each other; one that is alone needs none."""
        names = part_names([part.state.text for part in self.parts]) if self.further else ("",)
        for part, name in zip(self.parts, names, strict=True):
            part.bench = replace(part.bench, part=name)

    def _take(self, batch: Batch) -> None:
        at = Columns(self._state.layout, _ticks(self._state.layout, batch.records))
        if not len(at):
            return
        if not self._first_tick:
            self._begin(at)
        time = at.time - self._offset
        if batch.lost:
            self.lost += batch.lost
            self._note_gap(Gap(self._now, float(time[0]), batch.lost))
        self.records += len(at)
        self.tallies.add(at, time)
        self._thinner.add(time, values(at))
        self._now = max(self._now, float(time[-1]))
        self._newest = (int(at.tick[-1]), int(at.late_ticks[-1]), int(at.skipped_ticks[-1]), int(at.hand_lost[-1]))
        self._emulated |= int(at.emulated[-1])

    def _begin(self, at: Columns) -> None:
        """The first record of a servo; after a restart time goes on, however its clock stands."""
        self._first_tick = int(at.tick[0])
        begin = float(at.time[0])
        if self._first is None:
            self._first = begin, float(at.wall_time[0])
            self._offset = begin
        elif begin - self._offset < self._now:
            self._offset = begin - self._now

    def _late_of_this(self) -> NDArray[np.int64]:
        """Late ticks of this servo by stage, then those kept waiting for a processor, as it last said."""
        if self.last is None:
            return np.zeros(len(Stage) + 1, np.int64)
        return np.append(self.last.late_by_stage, self.last.late_waiting).astype(np.int64)

    def _note_gap(self, gap: Gap) -> None:
        if len(self._gaps) < MOST_GAPS:
            self._gaps.append(gap)

    def _period(self) -> float:
        """Between two ticks [s]: as the servo says, else from what was seen."""
        told = float(self.last.period[0]) if self.last else math.nan
        if told > 0.0:
            return told
        return self._now / (self.ticks - 1) if self.ticks > 1 and self._now > 0.0 else math.nan


def _ticks(layout: Layout, rows: Words) -> Words:
    """Those that are ticks: what a servo publishes while it warms up has no number yet."""
    return rows[rows[:, layout.by_name["tick"].start] > 0]
