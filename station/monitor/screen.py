"""`Screen`: the dashboard for one moment, laid out for the terminal it is shown on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from station.monitor import sections
from station.monitor.glyphs import PLAIN, fitted
from station.monitor.moment import Moment
from station.monitor.plain import line_of

NARROW, WIDE = 72, 124  # columns: below one block, from here on three blocks side by side
WIDEST = 180  # more would only pull things apart
GAP = 3
COLUMN = 48  # least width of a part among several


class Screen:
    """What is shown: a moment, or a line as long as there is none.

    Args:
        moment: what to show.
        waiting: the line if there is nothing yet.
        further: the same moment of further parts.
    """

    def __init__(
        self, moment: Moment | None, waiting: str = "waiting for the first tick …", further: Sequence[Moment] = ()
    ) -> None:
        self.moment, self.waiting, self.further = moment, waiting, tuple(further)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        width, height = min(options.max_width, WIDEST), options.height or console.height
        for line in self.lines(width, height):
            text = fitted(line, width)
            if options.ascii_only or options.legacy_windows:
                text.plain = text.plain.translate(PLAIN)
            yield from text.render(console, end="\n")  # it fits: nothing has to be wrapped

    def lines(self, width: int, height: int) -> list[Text]:
        """At most `height` lines of at most `width` letters."""
        if self.moment is None:
            return [Text(self.waiting, "dim")]
        if self.further:
            return _parts((self.moment, *self.further), width, height)[:height]
        layout: Callable[[Moment, int, int], list[Text]] = _two if width >= NARROW else _one
        if width >= WIDE:
            layout = _three
        lines = sections.header(self.moment, width)
        lines += layout(self.moment, width, height - len(lines))
        spare = height - len(lines)
        if spare >= 2 and self.moment.bench.notes:
            lines += [Text(), *sections.notes(self.moment)]
        return lines[:height]


def _one(moment: Moment, width: int, height: int) -> list[Text]:
    status = [*sections.hand(moment, width), *sections.timing(moment, width)]
    rows = height - len(status)
    return [*status, *(sections.forces(moment, width, rows) if rows > 1 else ())]


def _two(moment: Moment, width: int, height: int) -> list[Text]:
    left = (width - GAP) // 2
    widths = left, width - GAP - left
    lower = [sections.hand(moment, widths[0]), sections.timing(moment, widths[1])]
    status = max(map(len, lower))
    rows = max(height - status, 2)
    roomy = height >= status + 15  # an empty line between the blocks, if there is room for it
    upper = [
        sections.forces(moment, widths[0], rows - roomy),
        sections.joints(moment, widths[1], rows - roomy),
    ]
    between = [Text()] if roomy else []
    return [*sections.joined(upper, widths, GAP), *between, *sections.joined(lower, widths, GAP)]


def _three(moment: Moment, width: int, height: int) -> list[Text]:
    third = (width - 2 * GAP) // 3
    widths = third, third, width - 2 * GAP - 2 * third
    status = [*sections.hand(moment, widths[2]), Text(), *sections.timing(moment, widths[2])]
    blocks = [sections.forces(moment, third, height), sections.joints(moment, third, height), status]
    return sections.joined(blocks, widths, GAP)


def _parts(moments: Sequence[Moment], width: int, height: int) -> list[Text]:
    """Several hands and robots: a column for each, as many as fit; a line for each other, and time, which is all's."""
    count = max(1, min(len(moments), (width + GAP) // (COLUMN + GAP)))
    room = (width - (count - 1) * GAP) // count
    others = [Text(line_of(moment)) for moment in moments[count:]]
    below = [*others, *sections.timing(moments[0], width)]
    below += [Text(), *sections.notes(moments[0])] if moments[0].bench.notes else []
    columns = [_column(moment, room, max(height - len(below), 0)) for moment in moments[:count]]
    return [*sections.joined(columns, [room] * count, GAP), *below]


def _column(moment: Moment, width: int, height: int) -> list[Text]:
    """One part among several."""
    status = [Text(moment.bench.part, "bold underline"), *sections.header(moment, width)]
    status += sections.hand(moment, width)
    rows = max(height - len(status), 0)
    forces = sections.forces(moment, width, max(rows // 2, 1)) if rows > 1 else []
    joints = sections.joints(moment, width, rows - len(forces)) if rows - len(forces) > 1 else []
    return [*status, *forces, *joints][:height]
