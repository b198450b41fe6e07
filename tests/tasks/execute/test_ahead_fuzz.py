"""Random and mutated messages, thrown at both ends of a delayed link: nothing dies, and nothing is obeyed."""

from __future__ import annotations

import contextlib
import os
import zlib
from pathlib import Path
from typing import Any

import pytest

from station.tasks.execute import State
from station.tasks.execute.ahead import FarEnd, Link
from station.tasks.execute.ahead.messages import LARGEST, MOST_PIECES, PIECE, packed, said, told, unpacked
from station.tasks.task.model import changed
from tests.controllers.mutants import Mutator
from tests.json_mutants import DEEP, JsonMutator
from tests.tasks.execute.places import assert_nothing_beyond_limits, place, there_and_back
from tests.tasks.execute.sending import Far

COUNT = int(os.environ.get("FUZZ_MESSAGES", "3000"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
TASK = there_and_back()
HASH = "ab" * 32

ORDER: dict[str, Any] = {"session": "somebody", "number": 1, "word": "stop", "value": 0.0}
PIECES: dict[str, Any] = {"session": "somebody", "file": HASH, "number": 0, "count": 3}
STATE: dict[str, Any] = {
    "session": "somebody",
    "order": 3,
    "answer": "",
    "clock": 12.5,
    "file": HASH,
    "missing": [0, 1],
    "left": 2,
    "progress": {
        "state": "running",
        "reason": "",
        "place": 0.5,
        "rate": 1.0,
        "override": 1.0,
        "measured": [0.1, None, 0.3, 0.4, 0.5, 0.6],
    },
}
KINDS = {"order": ORDER, "piece": PIECES, "beat": {"session": "somebody"}, "state": STATE}


def sealed(head: bytes, body: bytes = b"") -> bytes:
    """A message whose length and checksum fit, whatever its header is."""
    text = len(head).to_bytes(4, "big") + head + body
    return zlib.crc32(text).to_bytes(4, "big") + text


def with_checksum(data: bytes) -> bytes:
    return zlib.crc32(data[4:]).to_bytes(4, "big") + data[4:]


class Nonsense:
    """Mutants of the bytes and of the header by turns."""

    def __init__(self, seed: int) -> None:
        self._bytes = Mutator([packed(kind, facts, b"x" * 9) for kind, facts in KINDS.items()], seed, with_checksum)
        heads = [{"kind": kind, "version": 1, **facts} for kind, facts in KINDS.items()]
        self._heads = [JsonMutator(head, seed + number) for number, head in enumerate(heads)]
        self._count = 0

    def __call__(self) -> bytes:
        self._count += 1
        if self._count % 3 == 0:
            return self._bytes()
        return sealed(self._heads[self._count % len(self._heads)]().encode(), b"piece")


class Flooded:
    """A link on which nonsense comes in besides what is said."""

    def __init__(self, link: Link, make: Nonsense, at_once: int) -> None:
        self._link, self._make, self.at_once = link, make, at_once
        self.thrown = 0

    def send(self, message: bytes) -> None:
        self._link.send(message)

    def receive(self) -> list[bytes]:
        self.thrown += self.at_once
        return [*(self._make() for _ in range(self.at_once)), *self._link.receive()]


@pytest.mark.parametrize(
    "head",
    [
        DEEP,
        '{"kind": "order", "version": 1, "session": "x", "number": 1e999, "word": "stop", "value": 0}',
        '{"kind": "order", "version": 1, "session": "x", "number": 1, "word": "stop", "value": 1' + "0" * 400 + "}",
        '{"kind": "order", "version": 1, "session": "x", "number": true, "word": "stop", "value": 0}',
        '{"kind": "order", "version": 1, "session": "x", "number": 1, "word": "speed", "value": "nan"}',
        '{"kind": "order", "version": 1, "session": "\\ud800", "number": 1, "word": "stop", "value": 0}',
        '{"kind": "piece", "version": 1, "session": "x", "file": "f", "number": 0, "count": 100000000}',
        '{"kind": "piece", "version": 1, "session": "x", "file": "f", "number": 3, "count": 3}',
        '{"kind": "beat", "version": 1, "session": 5}',
        '{"kind": "beat", "version": 1, "session": ""}',
        '{"kind": ["order"], "version": 1, "session": "x"}',
        '{"kind": "prayer", "version": 1, "session": "x"}',
        "[]",
        "5",
    ],
)
def test_a_message_that_makes_no_sense_takes_no_session_and_is_counted(tmp_path: Path, head: str) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        far.station.send(sealed(head.encode()))
        made.clock.advance(0.05)
        far.far.tick()
        assert far.far.refused == 1
        far.near.order("prepare")  # and who comes at once is heard at once
        far.until(lambda: far.near.waiting == 0)
        assert far.near.answers == [("prepare", "")]


def test_a_task_whose_scene_can_be_no_file_is_answered_in_one_line(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, changed(TASK, scene_file="no\x00such"), 0.0, 0.0)
        for word in ("prepare", "start"):
            far.near.order(word)
        far.until(lambda: far.near.waiting == 0)
        (_, why), (_, then) = far.near.answers
        assert "cannot be read" in why
        assert "\n" not in why
        assert then == "there is no task here yet"


def test_nonsense_before_any_session_and_while_a_task_runs_moves_nothing(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        link = Flooded(far.beside, Nonsense(SEED), 10)
        far.far = FarEnd(link, far._make, made.clock, link_limit=1.0)
        before = made.arm.reading().q
        while link.thrown < COUNT:
            far.far.tick()
        assert far.far.player is None
        assert abs(made.arm.reading().q - before).max() < 1e-3
        link.at_once = 0
        far.begin()  # what the nonsense has taken is free again when nothing more is heard of it
        link.at_once = 1
        far.until(lambda: far.near.shown.state is State.DONE)
        assert far.far.refused > COUNT // 2
        assert_nothing_beyond_limits(made)


def test_a_station_survives_an_end_that_talks_nonsense(tmp_path: Path) -> None:
    with place() as made:
        far = Far(made, tmp_path, TASK, 0.0, 0.0)
        far.begin()
        make = Nonsense(SEED)
        for _ in range(COUNT // 10):
            for _ in range(10):
                far.beside.send(make())
            made.clock.advance(0.05)
            far.near.tick()
            assert 0.0 <= far.near.shown.predicted_place <= TASK.duration
        assert far.near.refused > COUNT // 2
        far.until(lambda: far.near.obeyed and far.near.shown.state is not None, 10.0)  # a wrong clock is believed 5 s


def test_every_mutant_of_a_message_is_read_or_refused() -> None:
    make = Nonsense(SEED)
    for _ in range(COUNT):
        message = unpacked(make())
        if message is not None:
            for read in (said, told):
                with contextlib.suppress(ValueError):
                    read(message)


def test_what_both_ends_say_fits_what_both_take() -> None:
    piece = packed("piece", {**PIECES, "number": MOST_PIECES - 1, "count": MOST_PIECES}, bytes(PIECE))
    state = packed("state", {**STATE, "answer": "é" * 5000, "missing": [MOST_PIECES - 1] * 64})
    for data, read in ((piece, said), (state, told)):
        assert len(data) <= LARGEST
        message = unpacked(data)
        assert message is not None
        read(message)
