"""Random and mutated messages, always the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from zlib import crc32

Repair = Callable[[bytes], bytes]


def with_length_and_crc(body: bytes) -> bytes:
    """A message of ours whose length and check fit, whatever else is wrong with it."""
    if len(body) < 12:
        return body
    body = body[:6] + len(body).to_bytes(2, "little") + body[8:-4]
    return body + crc32(body).to_bytes(4, "little")


class Mutator:
    """Half of what it makes gets past the checks of the frame, so that what lies behind them is tested too."""

    def __init__(self, corpus: Sequence[bytes], seed: int, repair: Repair = with_length_and_crc) -> None:
        self._corpus, self._repair = list(corpus), repair
        self._random = random.Random(seed)

    def __call__(self) -> bytes:
        chance = self._random
        kind = chance.randrange(8)
        if kind == 0:
            return chance.randbytes(chance.choice((0, 1, 3, 7, 36, 100, 400, 5000)))
        data = bytearray(chance.choice(self._corpus))
        if kind == 1:
            return bytes(data)  # said before
        for _ in range(chance.randint(1, 4)):
            self._spoil(data)
        return self._repair(bytes(data)) if kind >= 4 else bytes(data)

    def _spoil(self, data: bytearray) -> None:
        chance = self._random
        way = chance.randrange(6)
        place = chance.randrange(len(data)) if data else 0
        if way == 0 and data:
            data[place] ^= 1 << chance.randrange(8)
        elif way == 1 and data:
            data[place] = chance.choice((0, 1, 0x7F, 0x80, 0xFE, 0xFF))
        elif way == 2:
            del data[place:]
        elif way == 3:
            data += chance.randbytes(chance.randint(1, 64))
        elif way == 4 and len(data) > 8:  # a number becomes NaN, infinite or huge
            odd = chance.choice(("000000000000f87f", "000000000000f07f", "ffffffffffffffff", "0000000000000080"))
            data[place : place + 8] = bytes.fromhex(odd)
        else:
            other = chance.choice(self._corpus)
            data[place:] = other[place:]
