"""The firmware as a process of its own on a pty: no Python on its side of the line."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from firmware_bridge.firmware.build import build_process
from tests.firmware.compiling import needs_compiler
from tests.firmware.conversation import check_rate, enable, shake_hands, stop, stream, wait_for_trip
from tests.firmware.line import Line

pytestmark = needs_compiler


@pytest.fixture
def line() -> Iterator[Line]:
    with subprocess.Popen([str(build_process())], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        opened = Line(process.stdout.readline().strip())
        yield opened
        opened.close()
        process.kill()


def test_it_shakes_hands(line: Line) -> None:
    assert shake_hands(line).model == "syntaxer"


@pytest.mark.parametrize("rate", [250, 1000, 4000])
def test_it_streams_at_the_rate_asked_for(line: Line, rate: int) -> None:
    check_rate(line, rate)


def test_it_moves_when_enabled_and_lets_go_in_silence(line: Line) -> None:
    shake_hands(line)
    stream(line, 1000, 3)
    enable(line)
    wait_for_trip(line)
    stop(line)


def test_it_serves_one_host_after_the_other(line: Line) -> None:
    for _ in range(3):
        shake_hands(line)
        assert stream(line, 1000, 5)[0].sequence == 0
        stop(line)
