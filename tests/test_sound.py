"""The sound of a run: loudness by force, limits by pitch, an alarm; ways to make it; it never holds a run up."""

from __future__ import annotations

import math
import os
import pty
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from station.haptics import Cause
from station.run import sound
from station.run.beside import Company
from station.run.cues import (
    ALARM,
    ALARM_FOR,
    BLOCK,
    CONTACT_PITCH,
    FULL_FORCE,
    PITCHES,
    RATE,
    SILENCE,
    Cues,
    Synthesiser,
    contact_loudness,
    cues_of,
)
from station.run.places import DEFAULT_BENCH
from station.run.sound import Bell, NoSoundError, Player, follow, open_sink, ways
from station.servo.job import Job
from station.servo.shared import Acting, ServoState, StateReader, StateWriter

Samples = NDArray[np.int16]
PATIENCE = 60.0  # [s]


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[StateWriter]:
    with StateWriter(6, {"robot": "ur5e"}, folder=tmp_path) as made:
        made.shared.state = ServoState.ENGAGED
        made.shared.measured_wrench[:] = math.nan
        made.publish()
        yield made


def said(writer: StateWriter) -> Cues:
    writer.publish()
    with StateReader(writer.path) as reader:
        return cues_of(reader.read())


def played(cues: Cues, seconds: float = 1.0, maker: Synthesiser | None = None) -> Samples:
    made = maker or Synthesiser()
    return np.concatenate([made.block(cues) for _ in range(round(seconds * RATE / BLOCK))])


def loudness(samples: Samples) -> float:
    return float(np.sqrt(np.mean((samples / 32767.0) ** 2)))


def pitch(samples: Samples) -> float:
    """The strongest tone [Hz]."""
    spectrum = np.abs(np.fft.rfft(samples * np.hanning(len(samples))))
    return float(np.argmax(spectrum) * RATE / len(samples))


# What is to be heard ---------------------------------------------------------------------------------------------


def test_contact_is_the_force_at_the_tool_that_is_measured_or_felt(writer: StateWriter) -> None:
    assert said(writer) == SILENCE
    writer.shared.measured_wrench[:] = [3.0, 0.0, 4.0, 9.0, 9.0, 9.0]
    assert said(writer).contact == pytest.approx(5.0)
    writer.shared.measured_wrench[:] = math.nan
    writer.shared.wrench_parts[Cause.OBSTACLES, :3] = [0.0, 2.0, 0.0]
    assert said(writer).contact == pytest.approx(2.0)
    writer.shared.wrench_parts[Cause.COUPLING, :3] = [9.0, 9.0, 9.0]  # a hand that leads is no contact
    assert said(writer).contact == pytest.approx(2.0)


def test_of_several_limits_the_most_urgent_is_heard(writer: StateWriter) -> None:
    writer.shared.acting = Acting.JOINT_SPEED | Acting.JOINT_STOP | Acting.PASSIVITY
    assert said(writer).limit is Acting.JOINT_STOP
    writer.shared.acting = Acting.JOINT_SPEED
    assert said(writer).limit is Acting.JOINT_SPEED
    writer.shared.acting = Acting.PASSIVITY
    assert said(writer) == SILENCE


def test_nothing_is_heard_of_a_robot_that_is_not_led_but_a_fault(writer: StateWriter) -> None:
    writer.shared.acting, writer.shared.measured_wrench[:] = Acting.JOINT_STOP, 5.0
    writer.shared.state = ServoState.HOLD
    assert said(writer) == SILENCE
    writer.shared.state = ServoState.FAULT
    assert said(writer) == Cues(fault=True)
    assert cues_of(None) == SILENCE


# What it sounds like ---------------------------------------------------------------------------------------------


def test_silence_is_silent() -> None:
    assert not played(SILENCE).any()
    assert not played(Cues(contact=0.4)).any()


def test_contact_is_louder_the_harder_it_is_and_has_an_end() -> None:
    forces = (0.6, 1.0, 2.0, 5.0, 10.0, FULL_FORCE)
    heard = [loudness(played(Cues(contact=force))) for force in forces]
    assert heard == sorted(heard)
    for force, level in zip(forces, heard, strict=True):
        assert level == pytest.approx(contact_loudness(force) / math.sqrt(2.0), rel=0.02)
    assert loudness(played(Cues(contact=1000.0))) == pytest.approx(heard[-1])
    assert pitch(played(Cues(contact=5.0))) == pytest.approx(CONTACT_PITCH, abs=1.5)


@pytest.mark.parametrize("limit", PITCHES)
def test_limits_are_told_apart_by_pitch(limit: Acting) -> None:
    samples = played(Cues(limit=limit))
    assert pitch(samples) == pytest.approx(PITCHES[limit], abs=6.0)  # beeps widen a tone
    beeps = np.abs(samples.reshape(-1, BLOCK)).max(axis=1)
    assert (beeps == 0).sum() > 0.2 * len(beeps)  # with pauses between them
    assert len({round(value) for value in PITCHES.values()}) == len(PITCHES)


def test_a_fault_sounds_in_two_tones_over_everything_and_not_for_ever() -> None:
    maker = Synthesiser()
    samples = played(Cues(fault=True), ALARM_FOR, maker)
    turn = RATE // 4
    heard = sorted({round(pitch(samples[k * turn : (k + 1) * turn]), -1) for k in range(4)})
    assert heard == pytest.approx(sorted(ALARM), abs=10.0)
    played(Cues(fault=True), 0.1, maker)
    assert not played(Cues(fault=True), 1.0, maker).any()
    played(SILENCE, 0.1, maker)
    assert played(Cues(fault=True), 0.5, maker).any()  # the next one is heard again


def test_nothing_clicks() -> None:
    """However cues change, a sample differs from the one before by no more than its tones do."""
    maker, generator, steps = Synthesiser(), np.random.default_rng(2), []
    for _ in range(400):
        cues = Cues(generator.choice([0.0, 3.0, 30.0]), generator.choice([Acting.NONE, Acting.JOINT_STOP]))
        steps.append(maker.block(cues))
    samples = np.concatenate(steps).astype(float) / 32767.0
    steepest = math.tau / RATE * (0.5 * CONTACT_PITCH + 0.2 * PITCHES[Acting.JOINT_STOP]) + 0.7 / BLOCK
    assert np.abs(np.diff(samples)).max() < 1.05 * steepest


# Ways to make it -------------------------------------------------------------------------------------------------


class Ear:
    """A sink that keeps all it is given, and ends the servo after so many blocks."""

    name = "an ear"

    def __init__(self, writer: StateWriter, blocks: int) -> None:
        self.heard: list[Samples] = []
        self._writer, self._blocks = writer, blocks

    def play(self, samples: Samples, cues: Cues) -> bool:
        self.heard.append(samples)
        self._writer.publish()
        if len(self.heard) == self._blocks:
            self._writer.close()
        return True

    def close(self) -> None:
        pass


def test_a_run_is_heard_until_its_servo_ends(writer: StateWriter) -> None:
    writer.shared.measured_wrench[:3] = [0.0, 0.0, 8.0]
    writer.publish()
    ear, waited = Ear(writer, 50), list[float]()
    with StateReader(writer.path) as reader:
        follow(reader, ear, wait=waited.append)
    assert len(ear.heard) == len(waited) == 50
    assert loudness(np.concatenate(ear.heard[1:])) == pytest.approx(contact_loudness(8.0) / math.sqrt(2.0), rel=0.02)


def test_a_servo_that_says_nothing_any_more_is_not_heard(writer: StateWriter, monkeypatch: pytest.MonkeyPatch) -> None:
    writer.shared.measured_wrench[:3] = [0.0, 0.0, 8.0]
    writer.publish()
    monkeypatch.setattr(sound, "STALE", -1.0)
    ear = Ear(writer, 5)
    with StateReader(writer.path) as reader:
        follow(reader, ear, wait=lambda _time: None)
    assert not np.concatenate(ear.heard).any()


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)
    return path


def test_a_player_gets_the_samples(tmp_path: Path) -> None:
    out = tmp_path / "heard"
    keep = f"import sys; open({str(out)!r}, 'wb').write(sys.stdin.buffer.read(4 * {BLOCK}))"
    player = Player("keep", [str(script(tmp_path, "keep", keep))])
    first, second = np.arange(BLOCK, dtype=np.int16), -np.arange(BLOCK, dtype=np.int16)
    assert player.play(first, SILENCE)
    player.play(second, SILENCE)
    player._process.wait(PATIENCE)
    np.testing.assert_array_equal(np.fromfile(out, "<i2"), np.concatenate([first, second]))
    assert not player.play(first, SILENCE)
    player.close()


def test_a_player_that_hangs_holds_nobody_up(tmp_path: Path) -> None:
    player = Player("hang", [str(script(tmp_path, "hang", "import time; time.sleep(600)"))])
    block = np.zeros(BLOCK, np.int16)
    assert all(player.play(block, SILENCE) for _ in range(1000))  # 880 kB, and its pipe takes 64
    player.close()
    player.close()
    assert player._process.poll() is not None


def test_the_first_way_that_works_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path, "pw-cat", "raise SystemExit(1)")
    script(tmp_path, "aplay", "import sys; sys.stdin.buffer.read()")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    sink = open_sink(ways(None), wait=lambda _time: time.sleep(1.0))
    assert sink.name == "aplay"
    sink.close()


def test_no_way_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    with pytest.raises(NoSoundError, match="there is neither sounddevice nor pw-cat, paplay, aplay"):
        open_sink(ways(None))
    with pytest.raises(NoSoundError, match="No such file"):
        open_sink(ways(str(tmp_path / "tty")))


def test_the_bell_rings_when_something_begins() -> None:
    main, end = pty.openpty()
    os.set_blocking(main, False)
    time_now = [0.0]
    bell = Bell(os.ttyname(end), lambda: time_now[0])
    block = np.zeros(BLOCK, np.int16)

    def rings(cues: Cues) -> bool:
        time_now[0] += 1.0
        assert bell.play(block, cues)
        try:
            return os.read(main, 10) == b"\a"
        except BlockingIOError:
            return False

    hit, stop = Cues(contact=3.0), Cues(contact=3.0, limit=Acting.JOINT_STOP)
    assert [rings(cues) for cues in (SILENCE, hit, hit, stop, SILENCE, hit, Cues(fault=True))] == [
        *(False, True, False, True),
        *(False, True, True),
    ]
    bell.close()
    os.close(main)
    os.close(end)


@pytest.mark.parametrize("there", [True, False])
def test_beside_a_run_one_line_says_by_what_or_why_not(
    tmp_path: Path, writer: StateWriter, monkeypatch: pytest.MonkeyPatch, there: bool
) -> None:
    if there:
        script(tmp_path, "aplay", "import sys; sys.stdin.buffer.read()")
    monkeypatch.setenv("PATH", str(tmp_path))
    with Company(
        Job(file=str(DEFAULT_BENCH), devices={"": "sim:syntaxer"}), writer.path, True, None, sound=True
    ) as company:
        lines: list[str] = []
        end = time.monotonic() + PATIENCE
        while not lines and time.monotonic() < end:
            time.sleep(0.05)
            lines = company.news()
    told = "sound by aplay: contact by loudness, limits by pitch"
    assert lines[0].startswith(told if there else "no sound; the run goes on (there is neither")
