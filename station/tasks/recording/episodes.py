"""Episodes of a recording: what was said of them, written as it happens; and the list of them, read again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from station.servo.shared import EpisodeState
from station.servo.shared.memory import Layout, Words
from station.tasks.recording.chunk import Times
from station.tasks.recording.reading import Recording
from station.tasks.recording.schema import Field, Kind, Schema

EPISODES = "/episode/events"
EPISODE = Schema(
    "EpisodeEvent",
    (
        Field("kind", Kind.TEXT, meaning="start, success, failure or discarded"),
        Field("episode", Kind.WHOLE, meaning="its number in this run, from 1"),
        Field("task", Kind.TEXT, meaning="what it is about, in words"),
        Field("tick", Kind.WHOLE, meaning="in which it was first seen"),
        Field("time", Kind.REAL, unit="s", meaning="by the servo's clock"),
    ),
    meaning="What was said of an episode; one that was discarded is only marked.",
)
START, DISCARDED, UNFINISHED = "start", "discarded", "unfinished"
KINDS = {
    EpisodeState.RUNNING: START,
    EpisodeState.SUCCESS: "success",
    EpisodeState.FAILURE: "failure",
    EpisodeState.DISCARDED: DISCARDED,
}
OUTCOMES = ("success", "failure", DISCARDED, UNFINISHED)


class Said(NamedTuple):
    """Something that was said of an episode."""

    row: int  # of the batch
    kind: str
    episode: int


class EpisodeChanges:
    """Follows the episodes of a servo through batches of its records."""

    def __init__(self, layout: Layout) -> None:
        self._columns = [layout.by_name[name].start for name in ("episode", "episode_state")]
        self._last = np.zeros(2, np.int64)
        self._outcomes: dict[int, str] = {}

    @property
    def counts(self) -> dict[str, int]:
        """How many there were, by outcome."""
        found = list(self._outcomes.values())
        return {outcome: found.count(outcome) for outcome in OUTCOMES if outcome in found}

    def of(self, rows: Words) -> list[Said]:
        """What was said in these records."""
        seen = rows[:, self._columns]
        changed = (np.diff(seen, axis=0, prepend=self._last[None]) != 0).any(axis=1)
        self._last = seen[-1].copy()
        found = []
        for row in np.flatnonzero(changed).tolist():
            number, state = map(int, seen[row])
            kind = KINDS.get(EpisodeState(state)) if state in EpisodeState._value2member_map_ else None
            if number > 0 and kind is not None:
                self._outcomes[number] = UNFINISHED if kind == START else kind
                found.append(Said(row, kind, number))
        return found


class Episode(NamedTuple):
    """One episode of a recording."""

    number: int  # from 1
    task: str  # in words
    outcome: str  # success, failure, discarded or unfinished
    begin: int  # log time of its first tick [ns]
    end: int  # and of the first one after it [ns]


def episodes_of(recording: Recording) -> list[Episode]:
    """All episodes, in order; none for recordings of releases that knew of none."""
    if EPISODES not in recording.channels:
        return []
    found: dict[int, Episode] = {}
    last = recording.span[1] + 1
    for message in recording.messages(EPISODES):
        number, kind, at = int(message["episode"]), str(message["kind"]), int(message["log_time"])
        if kind == START:
            found[number] = Episode(number, str(message["task"]), UNFINISHED, at, last)
        elif number in found:  # its begin may be among ticks that were lost
            one = found[number]
            found[number] = one._replace(outcome=kind, end=at if one.outcome == UNFINISHED else one.end)
    return list(found.values())


def numbers_at(episodes: list[Episode], times: Times) -> Words:
    """The number of the episode at each log time [ns]; 0 outside of all."""
    numbers = np.zeros(len(times), np.int64)
    for one in episodes:
        numbers[(times >= one.begin) & (times < one.end)] = one.number
    return numbers


def told(counts: dict[str, int]) -> str:
    """For a person, such as `3 episodes (2 success, 1 discarded)`; empty if there were none."""
    total = sum(counts.values())
    parts = ", ".join(f"{count} {outcome}" for outcome, count in counts.items())
    return f"{total} episode{'' if total == 1 else 's'} ({parts})" if total else ""
