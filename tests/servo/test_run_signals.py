"""`station run` as people run it, on a terminal, and what ends or stops it: Ctrl-C, Ctrl-Z, SIGTERM, no terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import resource
import shlex
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from station.servo.shared import Event, ServoState, StateReader, running
from station.tasks.recording import Recording
from tests.servo.rigs import GANTRY

pytestmark = pytest.mark.wall_clock

PATIENCE = 60.0  # [s]: a busy machine is no failure
RUNS = 5
LEFT = "\x1b[?1049l"  # and given the terminal back
PICTURE = "\x1b[?1049h"  # it has begun to show the run
HAND = "tighten 0.5 in 0.1; reach 0.22 0 0 in 0.5; press deadman; hold 60"


class Started:
    """A `station run` with a terminal of its own, and what it has written there."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int, recording: Path) -> None:
        self.process, self.terminal, self.recording = process, terminal, recording
        self.said = ""

    def hear(self) -> None:
        """Read what is there."""
        with contextlib.suppress(OSError):  # nothing is there, or nobody any more
            self.said += os.read(self.terminal, 1 << 16).decode(errors="replace")

    def until(self, holds: Callable[[], bool]) -> bool:
        """Wait for something; a terminal that nobody reads would stop the run."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                return False
            self.hear()
            time.sleep(0.01)
        return True

    def ended(self) -> int:
        """Wait for its end; its exit code."""
        assert self.until(lambda: self.process.poll() is not None), self.said[-2000:]
        self.hear()
        return int(self.process.returncode)


@contextlib.contextmanager
def station_run(folder: Path, *options: str, shell: str = "") -> Iterator[Started]:
    """Run a gantry that an emulated hand leads, recorded; by a shell, if there is a script; ended at the end."""
    scene, tape = folder / "gantry.mad", folder / "run.mcap"
    scene.write_text(GANTRY, encoding="utf8")
    what = [str(scene), "--headless", "--no-report", "--device", f"sim:syntaxer?hand={HAND}", "--record", str(tape)]
    command = [sys.executable, "-m", "station", "run", *what, *options]
    with on_terminal(["bash", "-mc", shell.format(shlex.join(command))] if shell else command) as (process, terminal):
        yield Started(process, terminal, tape)


@contextlib.contextmanager
def on_terminal(command: list[str]) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    """Run something on a terminal of its own; our end of it does not wait."""
    ours, theirs = pty.openpty()
    os.set_blocking(ours, False)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 240, 0, 0))

    def own_terminal() -> None:
        os.setsid()
        os.close(os.open(os.ttyname(theirs), os.O_RDWR))  # the first that a session opens is its own
        os.tcsetpgrp(0, os.getpgrp())
        for number in (signal.SIGINT, signal.SIGHUP):  # as in a shell of a person: in the background they are ignored
            signal.signal(number, signal.SIG_DFL)

    process = subprocess.Popen(
        command,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        preexec_fn=own_terminal,  # noqa: PLW1509 (one thread only)
    )
    os.close(theirs)
    try:
        yield process, ours
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait()
        with contextlib.suppress(OSError):
            os.close(ours)


@contextlib.contextmanager
def engaged(folder: Path, *options: str, shell: str = "") -> Iterator[tuple[Started, StateReader]]:
    """The same with the hand leading the robot.

    Processors that stand still lose the device, and this hand does not let go and press again: then another run.
    """
    for _ in range(RUNS):
        with station_run(folder, *options, shell=shell) as run:
            found: list[Path] = []

            def started(run: Started = run, found: list[Path] = found) -> bool:
                found[:] = [path for path in running() if run.process.pid in ancestors(process_of(path))]
                return bool(found)

            assert run.until(started), run.said
            with StateReader(found[0]) as state:
                in_vain = [0]

                def settled(run: Started = run, state: StateReader = state, in_vain: list[int] = in_vain) -> bool:
                    in_vain[0] += presses_in_vain(state)
                    return (PICTURE in run.said and is_in(state, ServoState.ENGAGED)) or in_vain[0] > 200

                assert run.until(settled), run.said[-2000:]
                if is_in(state, ServoState.ENGAGED):
                    yield run, state
                    return
    raise AssertionError(f"the hand pressed in vain in each of {RUNS} runs")


def process_of(state: Path) -> int:
    """Number of the servo; of another name, nobody's."""
    number = state.stem.rpartition("-")[2]
    return int(number) if number.isdigit() else 0


def ancestors(process: int) -> set[int]:
    """Numbers of who started it, of who started that one, and so on."""
    found: set[int] = set()
    with contextlib.suppress(OSError):  # it has ended
        while process > 1:
            process = int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
            found.add(process)
    return found


def is_in(state: StateReader, wanted: ServoState) -> bool:
    shown = state.read()
    return shown is not None and int(shown.state[0]) == wanted


def presses_in_vain(state: StateReader) -> bool:
    shown = state.read()
    return shown is not None and bool(shown.dead_man[0]) and int(shown.state[0]) != ServoState.ENGAGED


def causes(recording: Path) -> list[Event]:
    """Why each state of a recorded run was entered; it opens only if the file is whole."""
    with Recording(recording) as whole:
        status = whole.messages("/status")
        assert len(status) > 10
        return [Event(int(code)) for code in dict.fromkeys(status["cause"].tolist())]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str)
def test_every_signal_ends_a_run_in_order_with_summary_and_recording(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    with engaged(tmp_path) as (run, state):
        run.process.send_signal(number)
        assert run.ended() == code, run.said[-2000:]
        assert "Traceback" not in run.said
        if number != signal.SIGHUP:  # then nobody reads it
            assert "recording:" in run.said
        assert not state.alive
        assert causes(run.recording)[-1] is Event.SHUTDOWN


def test_a_terminal_that_is_closed_ends_the_run_and_leaves_a_whole_recording(tmp_path: Path) -> None:
    with engaged(tmp_path) as (run, state):
        os.close(run.terminal)
        assert run.ended() == 129
        assert not state.alive
        assert causes(run.recording)[-1] is Event.SHUTDOWN


def test_a_second_ctrl_c_ends_at_once_and_leaves_a_whole_recording(tmp_path: Path) -> None:
    with engaged(tmp_path) as (run, state):
        os.write(run.terminal, b"\x03")
        assert run.until(lambda: LEFT in run.said)  # the first was heard
        os.write(run.terminal, b"\x03")
        assert run.ended() in (0, 130)  # 0: it was at its end already
        assert not state.alive
        assert "Traceback" not in run.said
        causes(run.recording)


def test_ctrl_z_holds_the_robot_and_space_works_again_after_fg(tmp_path: Path) -> None:
    with engaged(tmp_path, shell="{}; sleep 2; echo goes on; fg") as (run, state):
        os.write(run.terminal, b"\x1a")
        assert run.until(lambda: not is_in(state, ServoState.ENGAGED)), run.said[-2000:]
        assert run.until(lambda: LEFT in run.said)  # the terminal is the shell's
        assert run.until(lambda: "goes on" in run.said)
        assert not is_in(state, ServoState.ENGAGED)
        assert run.until(lambda: PICTURE in run.said.partition("goes on")[2])
        os.write(run.terminal, b" ")
        assert run.until(lambda: Event(int(state.read().fault[0])) is Event.ESTOP)  # type: ignore[union-attr]
        os.write(run.terminal, b"\x03")
        assert run.ended() == 0
        assert "Traceback" not in run.said


def test_a_run_whose_starter_is_stopped_holds_and_ends_when_its_time_is_over(tmp_path: Path) -> None:
    with engaged(tmp_path, "--seconds", "6") as (run, state):
        run.process.send_signal(signal.SIGSTOP)
        assert run.until(lambda: not is_in(state, ServoState.ENGAGED))
        shown = state.read()
        assert shown is not None
        assert Event(int(shown.cause[0])) is Event.STARTER_LOST
        assert run.until(lambda: not state.alive)
        run.process.send_signal(signal.SIGCONT)
        assert run.ended() == 0
        assert "time was over" in run.said


@pytest.mark.parametrize("loaded", ["_multiarray_umath", "_umath_linalg"])
def test_ctrl_c_while_everything_is_loaded_leaves_no_traceback(tmp_path: Path, loaded: str) -> None:
    with station_run(tmp_path) as run:
        maps = Path(f"/proc/{run.process.pid}/maps")
        assert run.until(lambda: loaded in maps.read_text())
        os.write(run.terminal, b"\x03")
        assert run.ended() in (-signal.SIGINT, 130)
        assert "Traceback" not in run.said


def test_ctrl_c_in_a_benchmark_leaves_no_traceback() -> None:
    with on_terminal([sys.executable, "-m", "station", "bench", "shaping"]) as (process, terminal):
        run = Started(process, terminal, Path())
        assert run.until(lambda: "benchmark shaping" in run.said)
        os.write(run.terminal, b"\x03")
        assert run.ended() == 130
        assert "Traceback" not in run.said


def child(run: Started, module: str) -> int:
    """Number of the process that runs a module for this run."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            words = (entry / "cmdline").read_text().split("\0")
            if module in words and run.process.pid in ancestors(int(entry.name)):
                return int(entry.name)
    raise AssertionError(f"no {module}")


def test_a_disk_that_fills_is_said_at_once_and_the_run_ends_with_code_1(tmp_path: Path) -> None:
    with engaged(tmp_path) as (run, _state):
        full = run.recording.stat().st_size
        resource.prlimit(child(run, "station.tasks.recording"), resource.RLIMIT_FSIZE, (full, full))
        assert run.until(lambda: "File too large" in run.said)
        assert run.process.poll() is None
        run.process.send_signal(signal.SIGINT)
        assert run.ended() == 1
        assert "File too large" in run.said.splitlines()[-2]


def test_an_arm_that_is_killed_is_said_at_once_and_the_run_ends_with_code_1(tmp_path: Path) -> None:
    with engaged(tmp_path, "--controller", "sim:arm") as (run, state):
        before = len(run.said)
        os.kill(child(run, "sim_devices.arm_links"), signal.SIGKILL)
        assert run.until(lambda: "the run goes on" in run.said[before:])
        assert is_in(state, ServoState.HOLD)
        assert run.process.poll() is None
        run.process.send_signal(signal.SIGINT)
        assert run.ended() == 1
        assert "the arm was lost and did not come back" in "".join(run.said.splitlines()[-2:])
