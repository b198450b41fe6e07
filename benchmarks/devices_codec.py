"""One STATE decoded and one COMMAND encoded, beside stuffing and check alone: `python -m benchmarks.devices_codec`."""

from __future__ import annotations

import numpy as np
from cobs import cobs  # type: ignore[import-untyped]
from fastcrc.crc16 import ibm_3740

from benchmarks.devices_machine import contest, rows_of, steady
from benchmarks.peers.score import Figures, Table, flat, quick, show
from firmware_bridge.syntaxer.codec import FastLink
from firmware_bridge.syntaxer.frames import Decoder, encode
from firmware_bridge.syntaxer.messages import Command, State, pack, unpack
from firmware_bridge.syntaxer.protocol import MOTORS

PEER = "cobs + fastcrc alone"
STATES = 256  # different ones, taken in turn


def states() -> list[bytes]:
    """STATE frames as they come from a device whose handle moves."""
    frames = []
    for i in range(STATES):
        counts = tuple(int(4000.0 * np.sin(0.1 * i + motor)) for motor in range(MOTORS))
        currents = tuple(float(np.cos(0.1 * i + motor)) for motor in range(MOTORS))
        state = State(i, 1000 * i, i, 400, 1, 1, 0, 0, 1, 0.5, 31.5, 24.0, counts, currents)
        frames.append(encode(pack(state)))
    return frames


def measure() -> list[Table]:
    """Run the contest."""
    samples, rounds = (1000, 2) if quick() else (20_000, 5)
    wires = states()
    link, decoder = FastLink(), Decoder()
    amperes = np.array([0.1, -0.1, 3.6, -3.6, 0.75, -0.001])
    currents = tuple(amperes.tolist())
    raw = encode(pack(Command(currents, True, 2, 1), 1, 1))
    payload = cobs.decode(raw[:-1])[:-2]

    def compiled(i: int) -> None:
        link.feed(wires[i % STATES])
        link.command(amperes, True, 2, i, i, i)

    def plain(i: int) -> None:
        for frame in decoder.feed(wires[i % STATES]):
            unpack(frame)
        encode(pack(Command(currents, True, 2, i), i & 0xFFFF, i))

    def bare(i: int) -> None:
        chunk = cobs.decode(wires[i % STATES][:-1])
        if ibm_3740(chunk[:-2]) == int.from_bytes(chunk[-2:], "little"):
            cobs.encode(payload + ibm_3740(payload).to_bytes(2, "little"))

    spent = contest({"compiled": compiled, "plain": plain, PEER: bare}, samples, rounds)
    notes = {
        "compiled": "FastLink.feed + .command: all fields read and written; at most 15 µs wanted",
        "plain": "Decoder.feed, unpack, pack, encode: the reference",
        PEER: "no field read or written",
    }
    return [Table("codec", f"one STATE in, one COMMAND out, {samples} × {rounds}", rows_of(spent, PEER, notes))]


def run() -> Figures:
    """Figures by name."""
    return flat(steady("codec", measure))


if __name__ == "__main__":
    show(steady("codec", measure))
