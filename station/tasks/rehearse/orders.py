"""What a person says while rehearsing, as words: from keys, buttons, a script or a program.

mark [NAME] [: COMMENT]     a way-point
comment TEXT                to the newest mark
contact [FORCE]             contact is expected from here on [N]
free                        and no more
wait SECONDS                stand still here
grip [WIDTH [SECONDS]]      close the gripper to a width [mm]
open [WIDTH [SECONDS]]      open it
lost finish|hold|retreat    what the arm does from here on if the link is lost
undo [MARK]                 back to a mark
redo                        what was undone, again
robot [NAME]                of several robots: whose contact and gripper are meant from here on; the next one
end                         that is all

Of several robots, contact, free, grip, open and lost may name one first: `grip right 20`. Else the first four are of
the chosen one, and all else is of all.
"""

from __future__ import annotations

from typing import NamedTuple

from station.tasks.rehearse.take import Take
from station.tasks.task import Action, EditError, LinkLoss
from station.tasks.task.model import Floats

ACTION_TIME = 1.0  # of a gripper, if nothing is said [s]
WORDS = ("mark", "comment", "contact", "free", "wait", "grip", "open", "lost", "undo", "redo", "robot", "end")


class Done(NamedTuple):
    """What became of an order."""

    text: str  # for the person
    back_to: Floats | None = None  # where the robots must be put [rad | m]
    ends: bool = False


class Timed(NamedTuple):
    """An order of a script."""

    time: float  # since the hand first moved the robot [s]
    text: str


def read_script(text: str) -> list[Timed]:
    """Lines such as `1.5 mark grasp`; an EditError with the line for what makes no sense."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split("#", 1)[0].strip()
        if not words:
            continue
        moment, _, order = words.partition(" ")
        try:
            time = float(moment)
        except ValueError:
            raise EditError(f"line {number}: {line.strip()!r}; allowed: a time [s] and an order") from None
        if not 0.0 <= time < 1e6 or order.split(" ", 1)[0] not in WORDS:
            raise EditError(f"line {number}: {line.strip()!r}; orders are: {', '.join(WORDS)}")
        found.append(Timed(time, order.strip()))
    return sorted(found, key=lambda order: order.time)


def obey(take: Take, text: str) -> Done:
    """Do what an order says; an EditError if it makes no sense here."""
    word, _, rest = text.strip().partition(" ")
    rest = rest.strip()
    if word == "mark":
        name, _, comment = rest.partition(":")
        return Done(f"mark {take.mark(name.strip(), comment.strip()).name}")
    if word == "comment":
        take.comment(rest)
        return Done("comment")
    if word in ("undo", "redo"):
        where = take.undo(rest) if word == "undo" else take.redo()
        return Done(f"{word}: {take.sample} samples", where)
    if word == "end":
        return Done("end", ends=True)
    if word == "robot":
        place = take.robots.index(take.chosen) + 1
        take.choose(rest or take.robots[place % len(take.robots)])
        return Done(f"robot {take.chosen}")
    return _say(take, word, rest)


def _say(take: Take, word: str, rest: str) -> Done:
    said, robot = f"{word} {rest}".strip(), ""
    first, _, more = rest.partition(" ")
    if word != "wait" and len(take.robots) > 1:
        if first in take.robots:
            robot, rest = first, more.strip()
        elif word != "lost":
            said = f"{word} {take.chosen} {rest}".strip()
    if word == "contact":
        take.contact(_number(rest, 0.0), robot)
    elif word == "free":
        take.free(robot)
    elif word == "wait":
        take.wait(_number(rest, 1.0))
    elif word in ("grip", "open"):
        width, _, seconds = rest.partition(" ")
        take.act(Action(word, 1e-3 * _number(width, 0.0)), _number(seconds, ACTION_TIME), robot=robot)
    elif word == "lost":
        if rest not in list(LinkLoss):
            raise EditError(f"lost {rest}; allowed: {', '.join(LinkLoss)}")
        take.on_link_loss(LinkLoss(rest), robot)
    else:
        raise EditError(f"no order {word!r}; there are: {', '.join(WORDS)}")
    return Done(said)


def _number(text: str, otherwise: float) -> float:
    if not text:
        return otherwise
    try:
        value = float(text)
    except ValueError:
        raise EditError(f"{text!r} is no number") from None
    if not 0.0 <= value < 1e6:
        raise EditError(f"{value:g}; allowed: 0 to 1e6")
    return value
