"""Mutants of a JSON document, always the same for the same seed: odd values, missing ones, broken text."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

DEEP = "[" * 30_000
ODD = (  # text, since not all of it is JSON that Python would write
    *(
        "null",
        "true",
        '""',
        '"x"',
        '"\\u0000"',
        '"nan"',
        '"1e999"',
        "0",
        "-1",
        "1.5",
        "1e300",
        "[]",
        "{}",
        "[[]]",
        "[0]",
    ),
    *("1e999", "-1e999", "NaN", "Infinity", "1" + "0" * 400, str(2**63), str(-(2**63)), str(2**64), '"\\ud800"'),
    *(DEEP, '{"a":' * 5_000, "[" * 60 + "]" * 60, "[1, [2, 3], 4]", '{"": {"": 1}}'),
)
MARK = "\x00the place of a mutant\x00"


class JsonMutator:
    """Texts made of one document: most are JSON, with one or two values that do not fit."""

    def __init__(self, document: Any, seed: int) -> None:
        self._document, self._random = document, random.Random(seed)

    def __call__(self) -> str:
        """One more."""
        chance = self._random
        kind = chance.randrange(10)
        whole = json.dumps(self._document)
        if kind == 0:
            return whole[: chance.randrange(len(whole) + 1)]
        if kind == 1:
            at = chance.randrange(len(whole) + 1)
            return whole[:at] + chance.choice((*ODD, "\\", '"', "}", "]", "\x01")) + whole[at + chance.randrange(3) :]
        document = copy.deepcopy(self._document)
        for _ in range(chance.randint(1, 2)):
            document = self._spoilt(document)
        text = json.dumps(document)
        for _ in range(text.count(json.dumps(MARK))):
            text = text.replace(json.dumps(MARK), chance.choice(ODD), 1)
        return text

    def _spoilt(self, value: Any) -> Any:
        chance = self._random
        if not isinstance(value, dict | list) or not value or chance.random() < 0.15:
            return MARK
        place: Any = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        if chance.random() < 0.1:
            del value[place]
        else:
            value[place] = self._spoilt(value[place])
        return value
