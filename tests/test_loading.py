"""What each process loads: every library that it has no use for would cost time at its start, and memory."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

HEAVY = {
    *("scipy", "numba", "llvmlite", "matplotlib", "vispy", "PySide6", "coal", "mujoco", "ruckig", "rich", "zmq"),
    *("asyncio", "ssl", "usb", "pymodbus", "mcap", "zstandard", "click", "numpy", "lark"),
}
COMMAND = "import sys, station.cli; sys.argv = ['station', {}]\ntry: station.cli.main()\nexcept SystemExit: pass"


def loaded_by(code: str) -> set[str]:
    """Which of the heavy libraries a program loads."""
    tell = f"\nimport sys; print('loaded', *({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code + tell], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        ("'--version'", {"click"}),
        ("'check', 'macdac'", {"click", "lark"}),
        ("'check', 'ur5e'", {"click", "lark"}),  # which has masses and inertias
        ("'fk', 'ur5e'", {"click", "lark", "numpy"}),
        ("'ik', 'ur5e', '--frame', '6', '--to', '300,200,400'", {"click", "lark", "numpy"}),
    ],
)
def test_a_command_loads_what_it_needs(arguments: str, needed: set[str]) -> None:
    assert loaded_by(COMMAND.format(arguments)) == needed


@pytest.mark.parametrize(
    ("modules", "needed"),
    [
        ("station.run.start", set()),  # which starts the servo before anything else is loaded
        ("station.run.session", {"lark", "numpy", "rich"}),
        ("station.servo.process, sim_devices.scheme", {"lark", "numpy", "ruckig"}),  # coal: with obstacles only
        ("firmware_bridge.arm.zeromq", {"lark", "numpy", "zmq"}),
        ("sim_devices.process, sim_devices.syntaxer.emulator", {"lark", "numpy"}),
        ("sim_devices.arm_links.process", {"lark", "mujoco", "numpy", "zmq"}),
    ],
)
def test_a_process_of_a_run_loads_what_it_needs(modules: str, needed: set[str]) -> None:
    assert loaded_by(f"import {modules}") <= needed


def test_matrices_get_one_thread_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    count = "\nimport os, numpy; print(len(os.listdir('/proc/self/task')))"
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    code = COMMAND.format("'--version'") + count
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1"
    if (os.cpu_count() or 1) > 1:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.splitlines()[-1] == "2"
