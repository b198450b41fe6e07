"""One tick of the surroundings."""

from __future__ import annotations

import math

from station.collision.kernels import table as at
from station.collision.kernels.cache import kernel
from station.collision.kernels.contacts import add_contacts, near_point
from station.collision.kernels.stops import own_stops
from station.collision.kernels.survey import survey
from station.collision.kernels.table import (
    CONDITION,
    CONTACT_RANGE,
    CONTACTS,
    HORIZON,
    MARGIN,
    MOST_ROWS,
    NOT_FINITE,
    ROWS,
    TOO_MANY,
)
from station.mechanism.kernels.memory import Block, Floats

EVERY_BODY = -2


@kernel
def tell(mem: Block, tab: Block, dt: float) -> int:
    """Distances now: rows for the forces, and half-spaces for a step of `dt` [s]; returns how many half-spaces.

    They are written into the contact fields of the mechanism's memory, where its `step` takes them from.
    """
    if not 0.0 < dt < math.inf:
        dt = 0.0  # a step that takes no time goes nowhere
    own_stops(mem, tab)
    survey(mem, tab)
    counts, told, settings = at.counts(tab), at.told(tab), at.settings(tab)
    counts[ROWS] = counts[CONTACTS] = 0
    if counts[CONDITION] & NOT_FINITE:
        return 0
    for pair in range(told.size):
        if told[pair] < settings[HORIZON]:
            _insert(tab, pair)
    rows, row_pair, way = at.rows(tab), at.row_pair(tab), at.way(tab)
    for k in range(counts[ROWS]):
        pair = row_pair[k]
        rows[k, 0] = told[pair]
        rows[k, 4], rows[k, 5], rows[k, 6] = near_point(tab, pair)
        for i in range(3):
            rows[k, 1 + i] = way[pair, i]
        if told[pair] < settings[CONTACT_RANGE] + settings[MARGIN]:
            add_contacts(mem, tab, pair, dt)
    contacts: int = counts[CONTACTS]
    return contacts


@kernel
def _insert(tab: Block, pair: int) -> None:
    """Put a pair in its place among the nearest."""
    counts, told, row_pair = at.counts(tab), at.told(tab), at.row_pair(tab)
    k = counts[ROWS]
    if k == MOST_ROWS:
        counts[CONDITION] |= TOO_MANY
        if told[row_pair[k - 1]] <= told[pair]:
            return
        k -= 1
    else:
        counts[ROWS] = k + 1
    while k > 0 and told[row_pair[k - 1]] > told[pair]:
        row_pair[k] = row_pair[k - 1]
        k -= 1
    row_pair[k] = pair


@kernel
def put_rows(tab: Block, numbers: Floats, count_at: int, rows_at: int, most: int, body: int) -> int:
    """Copy the nearest rows into an array of another kernel, and their number; world axes. Returns the number.

    Only those of one body of the mechanism, such as the one that the hand moves; EVERY_BODY for all.
    """
    rows, row_pair, count = at.rows(tab), at.row_pair(tab), 0
    for k in range(at.counts(tab)[ROWS]):
        if count < most and (body == EVERY_BODY or at.solid_body(tab)[at.pair_a(tab)[row_pair[k]]] == body):
            for i in range(7):
                numbers[rows_at + 7 * count + i] = rows[k, i]
            count += 1
    numbers[count_at] = count
    return count
