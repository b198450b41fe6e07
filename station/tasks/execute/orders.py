"""What a person orders while a task runs: by a key, over a link, or from a program; in one vocabulary."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from station.tasks.execute.player import Player
from station.tasks.execute.together import Together
from station.tasks.execute.words import ExecuteError, State
from station.tasks.task import Task

HELP = "space: pause, resume  s: step  b: back to the last mark  + -: speed  a: abort  e: stop"
STEP = 0.1  # of the speed, by one key
BEFORE = 0.2  # a mark that is nearer than this is where one is already [s]


class Order(NamedTuple):
    """A word, with a number where it needs one."""

    word: str
    value: float = 0.0


class Situation(NamedTuple):
    """What a key is understood by."""

    state: State
    place: float  # of the task [s]
    override: float  # share of the speed


def order_of(key: str, now: Situation, task: Task) -> Order | None:
    """What a key means now; None: nothing."""
    if key == " ":
        return Order("pause" if now.state in (State.RUNNING, State.BACKING) else "resume")
    if key == "b":
        return Order("back", last_mark(task, now.place))
    if key in ("+", "-"):
        changed = now.override + (STEP if key == "+" else -STEP)
        return Order("speed", min(max(round(changed, 6), 0.0), 1.0))
    if key == "t":
        return Order("resume" if now.state is State.HAND else "take over")
    plain = {"s": "step", "a": "abort", "e": "stop"}
    return Order(plain[key]) if key in plain else None


def obey(player: Player | Together, order: Order) -> None:
    """Ask a player for it; an ExecuteError if it makes no sense, or not now."""
    words: dict[str, Callable[[], object]] = {
        "start": player.start,
        "pause": player.pause,
        "resume": player.resume,
        "step": player.step,
        "back": lambda: player.back_up(order.value),
        "speed": lambda: player.speed(order.value),
        "take over": player.take_over,
        "abort": player.abort,
        "release": player.release,
        "stop": player.emergency_stop,
    }
    if order.word not in words:
        raise ExecuteError(f"no order {order.word!r}; there are: {', '.join(words)}")
    words[order.word]()


def last_mark(task: Task, place: float) -> float:
    """Place of the mark before this one, or the begin [s]."""
    marks = (mark.sample * task.period for mark in task.marks)
    return max((mark for mark in marks if mark < place - BEFORE), default=0.0)
