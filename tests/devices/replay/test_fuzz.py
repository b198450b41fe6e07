"""Recordings with random damage: they are read, or refused by a documented error on one line; nothing else."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from mcap.writer import CompressionType

from station.devices.errors import DeviceMismatchError
from station.devices.replay import read_recording
from tests.devices.replay.recordings import bits, made_up, write
from tests.devices.replay.test_recording import by_another

SAMPLES = made_up(40)
KNOWN = [bits(sample) for sample in SAMPLES]
BOUND = 64 << 20  # a small file takes no more memory than this, whatever it says [bytes]


@pytest.fixture(scope="module", params=["ours", *CompressionType])
def whole(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("fuzz") / "a.mcap"
    made = write(path, SAMPLES) if request.param == "ours" else by_another(path, request.param, SAMPLES)
    return made.read_bytes()


def read_or_refuse(path: Path, data: bytes) -> int:
    """How many samples it has, all of them as recorded, or -1 if it was refused as documented (-2: not on one line)."""
    path.write_bytes(data)
    try:
        recording = read_recording(path)
    except DeviceMismatchError as error:
        return -1 if len(str(error).splitlines()) == 1 else -2
    count = len(recording.samples)
    assert {bits(recording.sample(index)) for index in range(count)} <= set(KNOWN)
    return count


def test_cut_anywhere_it_has_a_beginning_of_the_samples_or_none(tmp_path: Path, whole: bytes) -> None:
    dice = random.Random(3)
    last = -1
    for length in sorted({0, len(whole), *(dice.randrange(len(whole)) for _ in range(300))}):
        count = read_or_refuse(tmp_path / "b.mcap", whole[:length])
        assert count >= last  # more of the file is never less of the recording
        last = count
    assert last == len(SAMPLES)


@pytest.mark.parametrize("seed", range(3))
def test_changed_bytes_never_make_a_sample_that_was_not_recorded(tmp_path: Path, whole: bytes, seed: int) -> None:
    dice = random.Random(seed)
    tracemalloc.start()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(dice.randrange(1, 5)):
            where = dice.randrange(len(data))
            how = dice.randrange(4)
            if how == 0:
                data[where] ^= 1 << dice.randrange(8)
            elif how == 1:
                data[where : where + 8] = b"\xff" * 8
            elif how == 2:
                del data[where : where + dice.randrange(1, 40)]
            else:
                data[where:where] = dice.randbytes(dice.randrange(1, 40))
        assert read_or_refuse(tmp_path / "b.mcap", bytes(data)) >= -1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < BOUND


def test_noise_after_the_magic_is_refused(tmp_path: Path) -> None:
    dice = random.Random(5)
    for _ in range(300):
        data = b"\x89MCAP0\r\n" + dice.randbytes(dice.randrange(300))
        assert read_or_refuse(tmp_path / "b.mcap", data) == -1
