"""`station devices` and `station emulate`, as a person calls them."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest

pytestmark = pytest.mark.wall_clock

STATION = [sys.executable, "-c", "from station.cli import main; main()"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*STATION, *arguments], capture_output=True, text=True, check=False, timeout=120)


@pytest.fixture
def magellan() -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        [*STATION, "emulate", "magellan"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    yield process, process.stdout.readline().strip()
    if process.poll() is None:
        process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


def test_devices_lists_real_and_emulated_ones_apart() -> None:
    found = run("devices")
    assert found.returncode == 0
    real, emulated = found.stdout.split("emulated:")
    assert real.startswith("real:")
    assert "sim:syntaxer" in emulated
    assert "sim:" not in real


def test_devices_as_data() -> None:
    data = json.loads(run("devices", "--json").stdout)
    assert {"url": "sim:syntaxer", "model": "syntaxer"}.items() <= next(
        device.items() for device in data["devices"] if device["url"] == "sim:syntaxer"
    )
    assert data["troubles"] == []
    assert all(device["emulated"] for device in data["devices"] if device["url"].startswith("sim:"))


def test_a_device_is_opened_and_watched() -> None:
    found = run("devices", "sim:syntaxer?hand=none", "--seconds", "0.5")
    assert found.returncode == 0, found.stderr
    assert "syntaxer SIM-0001" in found.stdout
    assert "absolute" in found.stdout
    assert "incremental" in found.stdout
    assert "ready" in found.stdout


def test_a_device_as_data() -> None:
    data = json.loads(run("devices", "sim:syntaxer", "--seconds", "0.5", "--json").stdout)
    assert data["serial_number"] == "SIM-0001"
    assert data["samples"] > 10
    assert [axis["kind"] for axis in data["axes"]] == ["absolute"] * 3 + ["incremental"] * 3


def test_an_emulator_prints_its_address_is_listed_as_such_and_ends_cleanly(
    magellan: tuple[subprocess.Popen[str], str],
) -> None:
    process, address = magellan
    assert address.startswith("serial:")
    data = json.loads(run("devices", "--json").stdout)
    listed = next(device for device in data["devices"] if device["url"] == address)
    assert listed["emulated"]
    assert f"process {process.pid}" in listed["detail"]
    watched = run("devices", address, "--seconds", "0.3", "--json")
    assert json.loads(watched.stdout)["samples"] > 10
    process.send_signal(signal.SIGINT)
    assert process.wait(10.0) == 0
    assert address not in run("devices").stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["devices", "serial:/dev/ttyNOTHING"], "no such port"),
        (["devices", "sim:toaster"], "there are:"),
        (["emulate", "toaster"], "there are:"),
        (["emulate", "syntaxer", "--faults", "explode at 1"], "unknown fault"),
        (["emulate", "syntaxer", "--faults", "@/no/such/file"], "cannot be read"),
        (["emulate", "syntaxer", "--hand", "fly to the moon"], "unknown move"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(arguments: list[str], words: str) -> None:
    found = run(*arguments)
    assert found.returncode == 2
    assert found.stdout == ""
    assert len(found.stderr.strip().splitlines()) == 1
    assert words in found.stderr
